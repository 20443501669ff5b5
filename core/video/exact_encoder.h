// Encodes the frames of a file as H.264, with their time stamps.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/video/encoder_frame.h"
#include "core/video/exact_frame.h"
#include "core/video/video_encoder.h"

namespace throng {

struct ExactEncoderOptions {
    std::string encoder = "libx264";  // one of encoder_names(), for H.264
    int quality = 21;                 // see EncoderSettings::quality
    int threads = 0;                  // see EncoderSettings::threads
};

// Parameter sets, and so all properties of the stream, depend on the format and the options only. The first packet is a
// key frame (IDR), and no packet refers to one before it. Not thread-safe.
class ExactEncoder {
public:
    // Gets the packets in the order of decoding; times and duration are in VideoFormat::time_base.
    using Write = VideoEncoder::Write;

    // path: of the output, for messages. Throws Error(unavailable) if the encoder cannot be opened.
    ExactEncoder(const VideoFormat& format, const ExactEncoderOptions& options, std::string path);

    // Frames of another size than the first of the file are scaled to fit on a black background. Both throw Error(input)
    // if encoding fails.
    void encode(const ExactFrame& frame, const Write& write);
    void finish(const Write& write);  // writes what the encoder still holds

    [[nodiscard]] const AVCodecContext& codec() const { return encoder_->codec(); }
    // Returns the parameter sets.
    [[nodiscard]] std::vector<std::uint8_t> header() const;
    // Returns how many frames were scaled because the video changed its size.
    [[nodiscard]] std::int64_t scaled_frames() const { return scaled_; }

private:
    void encode(const AVFrame* frame, const Write& write);

    VideoFormat format_;
    std::string path_;
    std::unique_ptr<VideoEncoder> encoder_;
    EncoderFrame encoder_frame_;
    std::map<std::int64_t, std::int64_t> held_;  // time and duration of the frames in the encoder
    std::int64_t scaled_ = 0;
};

// Returns what differs from the input by design, one sentence per entry, for the user: "10-bit input is written with 8
// bits". scaled: ExactEncoder::scaled_frames.
[[nodiscard]] std::vector<std::string> encoding_notes(const VideoFormat& format, const std::string& encoder,
                                                      std::int64_t scaled);

}  // namespace throng
