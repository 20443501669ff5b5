// Opens video encoders, in software and in hardware, and finds out which of them work on this machine.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/video/av.h"

namespace throng {

struct EncoderSettings {
    int width = 0;  // pixels, even
    int height = 0;
    AVRational time_base{1, 25};
    AVRational frame_rate{25, 1};  // nominal
    int quality = 21;              // x264's constant rate factor, or the quantizer of hardware encoders; 0 to 51
    int threads = 0;               // of software encoders; 0: by the number of cores, which the output depends on
    bool reorders_frames = false;  // allow B-frames, in encoders that keep exact time stamps with them
    bool at_once = false;          // return each frame before the next one, where the encoder can
    bool interlaced = false;       // code fields, in encoders that can
    AVRational sample_aspect_ratio{0, 1};
    AVColorRange range = AVCOL_RANGE_MPEG;
    AVColorPrimaries primaries = AVCOL_PRI_UNSPECIFIED;
    AVColorTransferCharacteristic transfer = AVCOL_TRC_UNSPECIFIED;
    AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;
    AVChromaLocation chroma_location = AVCHROMA_LOC_UNSPECIFIED;
    int codec_flags = 0;  // AV_CODEC_FLAG_GLOBAL_HEADER, AV_CODEC_FLAG_BITEXACT
};

// An open encoder that takes yuv420p frames in host memory. Not thread-safe.
class VideoEncoder {
public:
    // name: FFmpeg's name of an encoder. Returns null, and sets `why`, if it does not exist or cannot be opened.
    [[nodiscard]] static std::unique_ptr<VideoEncoder> open(const std::string& name, const EncoderSettings& settings,
                                                            std::string& why);

    using Write = std::function<void(AVPacket&)>;

    // Encodes a frame, or all frames still held for null, and calls `write` with the packets that are ready. Returns an
    // FFmpeg status.
    [[nodiscard]] int encode(const AVFrame* frame, const Write& write);
    [[nodiscard]] const AVCodecContext& codec() const { return *codec_; }
    // Returns true if packets come in another order than their frames.
    [[nodiscard]] bool reorders_frames() const { return codec_->has_b_frames > 0; }

private:
    VideoEncoder() = default;
    [[nodiscard]] int upload(const AVFrame& frame);

    av::CodecPtr codec_;
    av::PacketPtr packet_ = av::make_packet();
    av::BufferPtr surfaces_;   // frames of the device; null for encoders that take host frames
    av::FramePtr host_frame_;  // NV12, for the upload
    av::FramePtr surface_;
    av::ScalerPtr scaler_;
};

// An H.264 encoder that the user can name.
struct EncoderInfo {
    std::string name;  // as FFmpeg names it
    bool hardware = false;
    bool available = false;
    // False: no developer of this program has seen it encode on hardware.
    bool verified = false;
    std::string details;  // if unavailable: the reason
};

// Returns the encoders that the user can name, in the order in which `auto` tries them.
[[nodiscard]] std::vector<std::string> encoder_names();
// Returns the encoders of recordings in the order of preference: what works without a trial first. All but the last one,
// mpeg4, write H.264.
[[nodiscard]] std::vector<std::string> recording_encoders();

// Encodes five small frames in this process. Returns why that failed; empty if the encoder works. A driver may crash or
// hang, so call probe_encoder instead.
[[nodiscard]] std::string test_encoder(const std::string& name);

// Tries a hardware encoder in a child process, `command NAME`, and kills it after the limit. The child calls test_encoder
// and exits with 0 if the encoder works; otherwise its output is the reason. A software encoder is tried in this process.
// An encoder that FFmpeg does not have is not tried.
[[nodiscard]] EncoderInfo probe_encoder(const std::string& name, const std::vector<std::string>& command,
                                        std::chrono::milliseconds limit);

}  // namespace throng
