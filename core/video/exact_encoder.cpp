#include "core/video/exact_encoder.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"

namespace throng {

ExactEncoder::ExactEncoder(const VideoFormat& format, const ExactEncoderOptions& options, std::string path)
    : format_(format), path_(std::move(path)) {
    const FrameInfo& first = format.first;
    encoder_frame_.set_size(first.width, first.height);
    const bool rgb = first.format == PixelFormat::bgr24;
    const bool full = !rgb && first.range == ColorRange::full;
    encoder_frame_.set_range(full ? ColorRange::full : ColorRange::limited);
    EncoderSettings settings;
    settings.width = encoder_frame_.width();
    settings.height = encoder_frame_.height();
    settings.time_base = format_.time_base;
    // Only for the distance of key frames: files of a variable rate may report the rate of their clock.
    constexpr double kMaxRate = 120;
    constexpr int kMaxDenominator = 1001000;
    settings.frame_rate = av_d2q(format_.fps > 0 ? std::min(format_.fps, kMaxRate) : 25, kMaxDenominator);
    settings.quality = options.quality;
    settings.threads = options.threads;
    settings.reorders_frames = true;
    settings.interlaced = format_.interlaced;
    settings.sample_aspect_ratio = format_.sample_aspect_ratio;
    // Frames in RGB are converted, by the matrix that the tag names. Other samples keep their values, so their tags stay
    // true.
    if (rgb) {
        settings.range = AVCOL_RANGE_MPEG;
        settings.matrix = first.matrix == ColorMatrix::bt709 ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M;
    } else {
        settings.range = full ? AVCOL_RANGE_JPEG : format_.range;
        settings.matrix = format_.matrix;
        settings.chroma_location = format_.chroma_location;
    }
    settings.primaries = format_.primaries;
    settings.transfer = format_.transfer;
    // All containers of exact_writer.h hold the parameter sets in their header.
    settings.codec_flags = AV_CODEC_FLAG_BITEXACT | AV_CODEC_FLAG_GLOBAL_HEADER;
    std::string why;
    encoder_ = VideoEncoder::open(options.encoder, settings, why);
    if (!encoder_) {
        constexpr int kMaxSide = 16384;
        const bool too_large = std::max(settings.width, settings.height) > kMaxSide;
        throw Error(
            too_large ? ErrorKind::input : ErrorKind::unavailable,
            {"the encoder %1 cannot encode %2x%3 pixels: %4", options.encoder, settings.width, settings.height, why},
            path_,
            too_large                      ? Message("H.264 has at most %1 pixels per side", kMaxSide)
            : options.encoder == "libx264" ? Message()
                                           : Message("use %1", Setting{"encoder", "libx264"}));
    }
}

void ExactEncoder::encode(const ExactFrame& frame, const Write& write) {
    const FrameInfo& info = frame.frame.info();
    if (info.width != format_.width || info.height != format_.height) ++scaled_;
    AVFrame& av_frame = encoder_frame_.fill(frame.frame);
    av_frame.pts = frame.ticks;
    av_frame.color_range = encoder_->codec().color_range;
    av_frame.colorspace = encoder_->codec().colorspace;
    av_frame.sample_aspect_ratio = format_.sample_aspect_ratio;
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    av_frame.flags &= ~(AV_FRAME_FLAG_INTERLACED | AV_FRAME_FLAG_TOP_FIELD_FIRST);
    if (format_.interlaced) av_frame.flags |= AV_FRAME_FLAG_INTERLACED;
    if (format_.interlaced && frame.top_field_first) av_frame.flags |= AV_FRAME_FLAG_TOP_FIELD_FIRST;
#else
    av_frame.interlaced_frame = format_.interlaced ? 1 : 0;
    av_frame.top_field_first = format_.interlaced && frame.top_field_first ? 1 : 0;
#endif
    held_[frame.ticks] = frame.duration;
    encode(&av_frame, write);
}

void ExactEncoder::encode(const AVFrame* frame, const Write& write) {
    const int status = encoder_->encode(frame, [&](AVPacket& packet) {
        if (held_.empty()) throw Error(ErrorKind::internal, "the encoder returned more frames than it got", path_);
        // Encoders that do not reorder may round time stamps to a clock of their own.
        auto held = encoder_->reorders_frames() ? held_.find(packet.pts) : held_.begin();
        if (held == held_.end()) throw Error(ErrorKind::internal, "the encoder changed a time stamp", path_);
        if (!encoder_->reorders_frames()) packet.dts = packet.pts = held->first;
        packet.duration = held->second;
        held_.erase(held);
        write(packet);
    });
    if (status < 0) throw Error(ErrorKind::input, {"cannot encode the video: %1", av::message(status).c_str()}, path_);
}

void ExactEncoder::finish(const Write& write) {
    encode(nullptr, write);
    if (!held_.empty()) throw Error(ErrorKind::internal, "the encoder lost frames", path_);
}

std::vector<std::uint8_t> ExactEncoder::header() const {
    return {codec().extradata, codec().extradata + codec().extradata_size};
}

std::vector<std::string> encoding_notes(const VideoFormat& format, const std::string& encoder, std::int64_t scaled) {
    std::vector<std::string> notes;
    if (format.bits > 8) notes.push_back(fmt::format("{}-bit input is written with 8 bits", format.bits));
    if (format.first.format == PixelFormat::bgr24) {
        notes.push_back(fmt::format("{} input is written as YUV 4:2:0", format.pixel_format));
    } else if (!format.subsampled) {
        notes.push_back(fmt::format("{} input is written as 4:2:0", format.pixel_format));
    }
    if (format.width % 2 + format.height % 2 > 0) {
        notes.push_back(fmt::format("{}x{} pixels become {}x{}, since H.264 needs even sizes", format.width,
                                    format.height, format.width + format.width % 2, format.height + format.height % 2));
    }
    if (format.rotated) notes.emplace_back("the rotation is applied to the pixels");
    if (format.interlaced) {
        const bool kept = encoder == "libx264";
        notes.emplace_back(kept ? "interlaced input stays interlaced"
                                : "interlaced input is coded as progressive frames");
    }
    if (scaled > 0) {
        notes.push_back(fmt::format("the video changes its size: {} frames are scaled to fit {}x{}", scaled,
                                    format.width, format.height));
    }
    if (format.other_videos > 0) {
        notes.push_back(fmt::format("{} further video track{} not written", format.other_videos,
                                    format.other_videos == 1 ? " is" : "s are"));
    }
    return notes;
}

}  // namespace throng
