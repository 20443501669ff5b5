// Copies the audio of a media file into a video that is made from its frames, packet by packet, without decoding.
#pragma once

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
        int in;
        AVStream* out;
    };
    // Reads the next packet of an audio stream. Returns its track, or null at the end.
    const Track* next();
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
