// Copies the audio of a media file into a video that is made from its frames, packet by packet, without decoding.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/video/av.h"

namespace throng {

// Not thread-safe.
class AudioCopy {
public:
    // Opens the file. Throws Error(input) if it is no media file or has no audio.
    explicit AudioCopy(const std::string& file);

    // Adds a stream to `output` for each audio stream, with its language. To be called before the header is written.
    // Throws Error(usage) if the container cannot hold a codec.
    void add_streams(AVFormatContext& output, const std::string& output_path);

    // Sets the time of the file at which the output begins, in seconds from the first frame of its video, as in
    // FrameInfo::pts. Earlier audio is left out.
    void set_start(double seconds) { start_ = seconds; }

    // Calls write for all further packets that begin before this time, in seconds from the start of the output. The
    // packets have the time base and index of the output's streams. Ends early, with a warning, where the file is
    // damaged.
    void copy_until(double seconds, const std::function<void(AVPacket&)>& write);

private:
    struct Track {
        int in = 0;
        AVStream* out = nullptr;
        // In the time base of the file:
        std::int64_t offset = 0;            // added to its times
        std::int64_t last = 0;              // time of decoding of the last packet
        std::int64_t end = AV_NOPTS_VALUE;  // of that packet
    };
    // Reads the next packet of an audio stream. Returns its track, or null at the end.
    const Track* next();
    // Moves the times of the packet behind the last one of its track if they jump back, as in concatenated files.
    void correct(Track& track);
    [[nodiscard]] double seconds_of(const AVPacket& packet) const;

    std::string file_;
    av::InputPtr input_;
    av::PacketPtr packet_ = av::make_packet();
    std::vector<Track> tracks_;
    const Track* pending_ = nullptr;  // the track of packet_, which is not written yet
    double video_start_ = 0;          // seconds
    double start_ = 0;
    bool ended_ = false;
};

}  // namespace throng
