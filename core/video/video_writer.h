// Writes frames as H.264 in MP4 (or Matroska), fragment by fragment: what is on disk is a valid file at any time.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "core/frame/frame.h"

namespace throng {

struct VideoWriterOptions {
    double fps = 25;         // of the frames to come, as far as known; times are the frames' own
    int quality = 21;        // x264's constant rate factor: 18 hardly any loss, 28 small files
    int threads = 0;         // of the encoder; 0: the cores, at most 4
    std::stop_token stop{};  // ends the waiting for the reader of a pipe
};

// One thread at a time. Frames of another size than the first are fitted into it on black; odd sizes grow by one pixel.
class VideoWriter {
public:
    // The file is created, or an existing one emptied, with the first frame. The extension chooses the container: mp4,
    // m4v, mov or mkv. Throws Error(usage) for another extension, Error(input) when the file cannot be created.
    explicit VideoWriter(const std::string& path, const VideoWriterOptions& options = {});
    ~VideoWriter();  // closes; an error is only logged
    VideoWriter(const VideoWriter&) = delete;
    VideoWriter& operator=(const VideoWriter&) = delete;

    // Any format; device frames are fetched. The time is frame.info().pts counted from the first frame's; a pts that
    // goes back, or jumps by more than 10 seconds (somebody moved in the source), follows the frame before it at 1 /
    // fps. Throws Error(input) when the file cannot be written or the size cannot be encoded, Error(unavailable)
    // without any encoder. After an error only close may be called; what was written stays valid.
    void write(const Frame& frame);

    // Ends the file. Idempotent. Throws Error(input) when the disk is full.
    void close();

    [[nodiscard]] std::int64_t frames() const;
    [[nodiscard]] std::string encoder() const;  // "libx264", empty before the first frame
    // A line about what is not as one would expect (no H.264 encoder), else empty.
    [[nodiscard]] std::string notice() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace throng
