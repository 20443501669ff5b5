// Copies the audio of a media file into a video that is made from its frames, packet by packet, without decoding.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/video/media_input.h"
#include "core/video/packet_clock.h"

namespace throng {

// Not thread-safe.
class AudioCopy {
public:
    // Opens the file. Throws as open_input, and Error(input) if it has no audio.
    explicit AudioCopy(const std::string& file);

    // Adds a stream to `output` for each audio stream, with its language. To be called before the header is written.
    // Throws Error(usage) if the container cannot hold a codec.
    void add_streams(AVFormatContext& output, const std::string& output_path);

    // Sets the time of the file at which the output begins, in seconds from the first frame of its video, as in
    // FrameInfo::pts. Earlier audio is left out.
    void set_start(double seconds) { start_ = seconds; }

    // Calls write for all further packets that begin before this time, in seconds from the start of the output. The
    // packets have the time base and index of the output's streams, and times that increase: where the clock of the
    // file wraps or jumps back, the audio stays with the frames (PacketClock). Ends early where the file is damaged.
    void copy_until(double seconds, const std::function<void(AVPacket&)>& write);
    // Does so for the whole rest of the file.
    void copy_rest(const std::function<void(AVPacket&)>& write);
    // Ends the audio with the last frame, which ends at this time. If it is the last one of the file, copies the rest.
    void copy_end(double seconds, const std::function<void(AVPacket&)>& write);

    // After the end: returns why the audio is not whole ("the audio ends early: …"); empty for complete audio.
    [[nodiscard]] std::string incomplete() const;
    // Returns what a user should know: audio that was left out, times that were corrected.
    [[nodiscard]] std::vector<std::string> notes() const;

private:
    struct Track {
        int in;
        AVStream* out;
        PacketClock clock;
        std::size_t time_base = 0;             // index in video_shifts_: where this track is
        std::int64_t own_shift = 0;            // ticks, after jumps that the video does not have
        double end = 0;                        // of the packets so far, in seconds on the clock of the file
        std::optional<std::int64_t> last_dts;  // written
    };
    struct Packet {
        av::PacketPtr data;
        Track* track;
        std::size_t time_base;  // as Track::time_base
        std::int64_t jump;      // ticks by which the track is shifted if it alone jumped back
    };

    void read_packet();
    void note_audio(av::PacketPtr packet, Track& track);
    // Returns the next packet whose time is known, or null at the end.
    Packet* next();
    [[nodiscard]] bool video_ends_at(double seconds) const;
    [[nodiscard]] double seconds_of(const Packet& packet) const;
    [[nodiscard]] double seconds_of(const Track& track, std::int64_t stamp, std::size_t time_base) const;
    void write_packet(Packet& packet, const std::function<void(AVPacket&)>& write);

    MediaInput input_;
    AVStream* video_;  // of the input
    std::vector<Track> tracks_;
    std::deque<Packet> queue_;    // packets that were read, in the order of the file
    double video_step_ = 0;       // seconds between two frames
    bool follows_video_ = false;  // the format may contain jumps, and the packets of the video are read, too
    PacketClock video_clock_;
    std::vector<double> video_shifts_{0.0};  // seconds: one more after each jump of the video's clock
    double video_time_ = 0;                  // of its last packet, in seconds on the continuous clock
    double video_start_ = 0;                 // seconds
    double start_ = 0;
    bool ended_ = false;
    std::string error_;
    double left_out_ = 0;           // seconds of audio before the first frame
    bool left_out_at_end_ = false;  // audio after the last frame
    std::int64_t corrected_ = 0;
};

}  // namespace throng
