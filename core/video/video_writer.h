// Writes frames as H.264 in MP4 (or Matroska), fragment by fragment, so that the file on disk is valid at any time, or
// to a media server.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "core/frame/frame.h"
#include "core/video/encoder_frame.h"
#include "core/video/muxer.h"
#include "core/video/video_encoder.h"

namespace throng {

constexpr double kMaxFrameGap = 10;  // seconds between two frames; more is a jump in the source

struct VideoWriterOptions {
    double fps = 25;         // nominal rate; time stamps come from the frames
    int quality = 21;        // x264's constant rate factor: 18 nearly lossless, 28 small files
    int threads = 0;         // of the encoder; 0: number of cores, at most 4
    std::string audio{};     // media file that the frames come from: all its audio is copied; empty: none
    std::stop_token stop{};  // ends the wait for the reader of a pipe, or for a server
    bool to_server = false;  // the path is the address of a media server, as muxer_of_server takes it
};

// Not thread-safe. Frames of another size than the first are scaled to fit on a black background. Odd sizes are rounded
// up to even.
class VideoWriter {
public:
    // The file is created or truncated when the first frame is written. The extension selects the container: mp4, m4v,
    // mov or mkv. Throws Error(usage) for another extension or an address that is none, and Error(input) if there is no
    // audio to copy.
    explicit VideoWriter(const std::string& path, const VideoWriterOptions& options = {});
    ~VideoWriter();  // calls close; an error is only logged
    VideoWriter(const VideoWriter&) = delete;
    VideoWriter& operator=(const VideoWriter&) = delete;

    // Accepts any format; device frames are copied to the host. The time is frame.info().pts relative to the first
    // frame. If the pts goes back or, without audio, jumps by more than 10 seconds (after a seek), the frame follows the
    // previous one after 1 / fps. Audio is written up to the end of the last frame; after the last frame of the file,
    // all of it. Throws Error(usage) with the first frame if the container cannot hold the audio, Error(input) if the
    // file cannot be created or written or the size cannot be encoded, and Error(unavailable) without any encoder. After
    // an error only close may be called; the frames already written remain valid.
    void write(const Frame& frame);

    // Finalizes and closes the file. Idempotent. Throws Error(input) if the disk is full.
    void close();

    [[nodiscard]] std::int64_t frames() const { return frames_; }
    [[nodiscard]] const std::string& encoder() const { return encoder_; }  // "libx264", empty before the first frame
    // Returns one line about an unexpected condition (no H.264 encoder, and after close: audio that was left out);
    // otherwise empty.
    [[nodiscard]] const std::string& notice() const { return notice_; }
    // After close: why the audio is not that of a whole file, as VideoSource::incomplete.
    [[nodiscard]] const std::string& incomplete() const { return incomplete_; }

private:
    void start(const Frame& first);
    [[nodiscard]] EncoderSettings encoder_settings(const FrameInfo& first) const;
    void encode(const AVFrame* av_frame, Muxer& muxer);
    [[nodiscard]] std::int64_t ticks(double pts);

    std::string path_;
    VideoWriterOptions options_;
    std::unique_ptr<Muxer> muxer_;  // null after close
    std::unique_ptr<VideoEncoder> codec_;
    EncoderFrame av_frame_;
    double last_pts_ = 0;  // of the source
    std::int64_t last_ticks_ = -1;
    bool failed_ = false;
    std::int64_t frames_ = 0;
    std::string encoder_;
    std::string notice_;
    std::string incomplete_;
};

}  // namespace throng
