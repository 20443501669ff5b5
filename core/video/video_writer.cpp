#include "core/video/video_writer.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/resources.h"
#include "core/base/secrets.h"
#include "core/video/damage_watch.h"
#include "core/video/formats.h"
#include "core/video/media_reader.h"

namespace throng {
namespace {

constexpr int kClock = 60000;  // ticks per second: divisible by all usual rates, and within MPEG-4's 16 bits
constexpr int kMaxThreads = 4;

const char* muxer_of(const std::string& path, const VideoWriterOptions& options) {
    if (options.to_server) {
        if (const char* muxer = muxer_of_server(path)) return muxer;
        throw Error(ErrorKind::usage, "is not the address of a media server", path,
                    "use rtsp://, rtsps://, rtmp:// or rtmps://");
    }
    if (names_video(path)) return format_of_name(path).muxer;
    throw Error(ErrorKind::usage, "unknown video file extension", path, "use a name that ends in .mp4 or .mkv");
}

AVColorSpace colorspace(ColorMatrix matrix) {
    switch (matrix) {
        case ColorMatrix::bt601: return AVCOL_SPC_SMPTE170M;
        case ColorMatrix::bt709: return AVCOL_SPC_BT709;
        case ColorMatrix::bt2020: return AVCOL_SPC_BT2020_NCL;
    }
    return AVCOL_SPC_UNSPECIFIED;
}

}  // namespace

VideoWriter::VideoWriter(const std::string& path, const VideoWriterOptions& options)
    : path_(options.to_server ? mask_credentials(path) : path),
      options_(options),
      muxer_(std::make_unique<Muxer>(
          path_, muxer_of(path, options),
          options.to_server ? MuxerFile{path, options.stop, {}, {}, {}} : recording_file(path, options.stop),
          options.audio)) {
    if (!(options_.fps > 0) || !std::isfinite(options_.fps)) options_.fps = VideoWriterOptions().fps;
    muxer_->context().flush_packets = 1;  // write each complete fragment to the disk
}

EncoderSettings VideoWriter::encoder_settings(const FrameInfo& first) const {
    EncoderSettings settings;
    settings.width = av_frame_.width();
    settings.height = av_frame_.height();
    settings.time_base = {1, kClock};
    settings.frame_rate = av_d2q(options_.fps, kClock);
    settings.quality = options_.quality;
    settings.matrix = colorspace(first.matrix);
    settings.threads = options_.threads > 0 ? options_.threads : std::min(cpu_cores(), kMaxThreads);
    // Without B-frames, fragments start at 0 and need no edit list.
    settings.reorders_frames = false;
    settings.at_once = options_.to_server;
    if ((muxer_->context().oformat->flags & AVFMT_GLOBALHEADER) != 0)
        settings.codec_flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    return settings;
}

void VideoWriter::start(const Frame& first) {
    av_frame_.set_size(first.width(), first.height());
    bool any = false;
    for (const std::string& name : recording_encoders()) {
        any = any || avcodec_find_encoder_by_name(name.c_str()) != nullptr;
        std::string why;
        codec_ = VideoEncoder::open(name, encoder_settings(first.info()), why);
        if (!codec_) continue;
        encoder_ = name;
        break;
    }
    const std::string size = std::to_string(first.width()) + "x" + std::to_string(first.height());
    if (!codec_) {
        if (!any)
            throw Error(ErrorKind::unavailable, "this FFmpeg build has no video encoder", path_, "install libx264");
        throw Error(ErrorKind::input, {"a video of %1 pixels cannot be encoded", size}, path_, "write images instead");
    }
    if (encoder_ == "mpeg4") {
        notice_ = "no H.264 encoder available: " + path_ + " is written as MPEG-4 Part 2";
        logger().warn("{}", notice_);
    }
    av::Dictionary settings;
    if (!options_.to_server && std::string_view(muxer_of(path_, options_)) != "matroska") {
        // Audio that begins after the video needs an edit list, which an empty index, written first, cannot have.
        settings.set("movflags", std::string("frag_keyframe+default_base_moof") +
                                     (muxer_->has_audio() ? "+delay_moov" : "+empty_moov"));
    }
    muxer_->begin(codec_->codec(), codec_->codec().time_base, {0, 1}, first.info().pts, settings);
}

std::int64_t VideoWriter::ticks(double pts) {
    const double step = pts - last_pts_;
    const bool plausible = step > 0 && (step <= kMaxFrameGap || muxer_->has_audio());
    last_pts_ = pts;
    if (last_ticks_ < 0) return last_ticks_ = 0;
    const double seconds = plausible ? step : 1 / options_.fps;
    return last_ticks_ += std::max<std::int64_t>(std::llround(seconds * kClock), 1);
}

void VideoWriter::write(const Frame& frame) {
    if (!muxer_ || failed_) throw Error(ErrorKind::internal, "a frame was written to a closed video", path_);
    failed_ = true;  // unless nothing throws
    if (!codec_) start(frame);
    AVFrame& av_frame = av_frame_.fill(frame);
    av_frame.pts = ticks(frame.info().pts);
    av_frame.color_range = AVCOL_RANGE_MPEG;
    av_frame.colorspace = codec_->codec().colorspace;
    encode(&av_frame, *muxer_);
    muxer_->copy_audio_until(static_cast<double>(last_ticks_) / kClock);
    ++frames_;
    failed_ = false;
}

void VideoWriter::encode(const AVFrame* av_frame, Muxer& muxer) {
    muxer.check(codec_->encode(av_frame, [&muxer](AVPacket& packet) { muxer.write(packet); }),
                "cannot encode the video");
}

void VideoWriter::close() {
    const std::unique_ptr<Muxer> muxer = std::exchange(muxer_, nullptr);
    if (!muxer || !codec_ || failed_) return;
    muxer->copy_audio_end(static_cast<double>(last_ticks_) / kClock + 1 / options_.fps);
    for (const std::string& note : muxer->audio_notes()) notice_ = joined_reasons(notice_, note);
    encode(nullptr, *muxer);
    muxer->finish();
    incomplete_ = muxer->audio_incomplete();
}

VideoWriter::~VideoWriter() {
    try {
        close();
    } catch (const std::exception& failure) {
        logger().error("{}", failure.what());
    }
}

}  // namespace throng
