#include "core/video/exact_writer.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/video/animation_writer.h"
#include "core/video/audio_copy.h"
#include "core/video/encoder_frame.h"
#include "core/video/frame_maker.h"
#include "core/video/muxer_io.h"
#include "core/video/video_encoder.h"

namespace throng {
namespace {

struct Container {
    std::string_view extension;
    const char* muxer;
};
constexpr std::array<Container, 4> kContainers = {
    {{".mp4", "mp4"}, {".m4v", "mp4"}, {".mov", "mov"}, {".mkv", "matroska"}}};

std::string extension_of(const std::string& path) {
    std::string extension = std::filesystem::path(path).extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension;
}

const char* muxer_of(const std::string& path) {
    const std::string extension = extension_of(path);
    const auto found = std::find_if(kContainers.begin(), kContainers.end(),
                                    [&](const Container& each) { return each.extension == extension; });
    return found == kContainers.end() ? nullptr : found->muxer;
}

// Returns true for the demuxers whose animations are written as such.
const char* animation_of(const std::string& demuxer) {
    return demuxer == "gif" ? ".gif" : demuxer == "apng" ? ".png" : nullptr;
}

class H264Writer final : public ExactWriter {
public:
    H264Writer(const std::string& path, const char* muxer, const VideoFormat& format,
               const ExactWriterOptions& options);

    void write(const ExactFrame& frame) override;
    void commit() override;
    [[nodiscard]] std::int64_t scaled_frames() const override { return scaled_; }
    [[nodiscard]] std::vector<std::string> notes() const override;

private:
    void start(const FrameInfo& first);
    void drain();
    void write_packet(AVPacket& packet);
    void copy_audio_until(double seconds);
    [[nodiscard]] double seconds(std::int64_t ticks) const {
        return static_cast<double>(ticks) * av_q2d(format_.time_base);
    }
    void check(int status, const char* what);

    std::string path_;
    VideoFormat format_;
    ExactWriterOptions options_;
    AtomicFile file_;
    MuxerIo io_;
    OutputContextPtr output_;
    std::unique_ptr<VideoEncoder> encoder_;
    AVStream* stream_ = nullptr;
    std::optional<AudioCopy> audio_;
    EncoderFrame encoder_frame_;
    av::PacketPtr packet_ = av::make_packet();
    std::map<std::int64_t, std::int64_t> held_;  // time and duration of the frames in the encoder
    std::int64_t last_ticks_ = 0;
    std::int64_t last_end_ = 0;
    std::int64_t scaled_ = 0;
    PixelFormat first_format_ = PixelFormat::yuv420p;
};

H264Writer::H264Writer(const std::string& path, const char* muxer, const VideoFormat& format,
                       const ExactWriterOptions& options)
    : path_(path),
      format_(format),
      options_(options),
      file_(path),
      io_([this](std::string_view bytes) { file_.write(bytes); },
          [this](std::int64_t offset, int whence) { return file_.seek(offset, whence); }) {
    av::set_up();
    AVFormatContext* context = nullptr;
    const int made = avformat_alloc_output_context2(&context, nullptr, muxer, nullptr);
    output_.reset(context);
    if (made < 0) throw Error(ErrorKind::unavailable, std::string("this FFmpeg build cannot write ") + muxer, path);
    // BITEXACT omits the names and versions of the libraries, and random identifiers.
    output_->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT;
    if (!options_.audio.empty()) audio_.emplace(options_.audio);
}

void H264Writer::check(int status, const char* what) {
    if (status >= 0 && output_->pb != nullptr && output_->pb->error < 0) status = output_->pb->error;
    if (status >= 0) return;
    if (io_.failure()) std::rethrow_exception(io_.failure());
    throw Error(ErrorKind::input, std::string(what) + ": " + av::message(status), path_);
}

void H264Writer::start(const FrameInfo& first) {
    first_format_ = first.format;
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
    settings.quality = options_.quality;
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
    settings.codec_flags = AV_CODEC_FLAG_BITEXACT;
    if ((output_->oformat->flags & AVFMT_GLOBALHEADER) != 0) settings.codec_flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    std::string why;
    encoder_ = VideoEncoder::open(options_.encoder, settings, why);
    if (!encoder_) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("the encoder {} cannot encode {}x{} pixels: {}", options_.encoder, settings.width,
                                settings.height, why),
                    path_, "use --encoder libx264");
    }
    stream_ = avformat_new_stream(output_.get(), nullptr);
    if (stream_ == nullptr) throw std::bad_alloc();
    stream_->time_base = format_.time_base;
    stream_->avg_frame_rate = encoder_->codec().framerate;
    stream_->sample_aspect_ratio = format_.sample_aspect_ratio;
    check(avcodec_parameters_from_context(stream_->codecpar, &encoder_->codec()), "cannot describe the video");
    if (audio_) {
        audio_->add_streams(*output_, path_);
        audio_->set_start(format_.first_frame);
    }
    output_->pb = io_.open();
    check(avformat_write_header(output_.get(), nullptr), "cannot write the video");
}

void H264Writer::write(const ExactFrame& frame) {
    const FrameInfo& info = frame.frame.info();
    if (!encoder_) start(info);
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
    const std::int64_t step =
        frame.duration > 0 ? frame.duration : std::max<std::int64_t>(frame.ticks - last_ticks_, 1);
    held_[frame.ticks] = step;
    last_ticks_ = frame.ticks;
    last_end_ = frame.ticks + step;
    check(encoder_->send(&av_frame), "cannot encode the video");
    drain();
    copy_audio_until(seconds(last_ticks_));
}

void H264Writer::drain() {
    for (;;) {
        const int status = encoder_->receive(*packet_);
        if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return;
        check(status, "cannot encode the video");
        if (held_.empty()) throw Error(ErrorKind::internal, "the encoder returned more frames than it got", path_);
        // Encoders that do not reorder may round time stamps to a clock of their own.
        auto frame = encoder_->reorders_frames() ? held_.find(packet_->pts) : held_.begin();
        if (frame == held_.end()) throw Error(ErrorKind::internal, "the encoder changed a time stamp", path_);
        if (!encoder_->reorders_frames()) packet_->dts = packet_->pts = frame->first;
        packet_->duration = frame->second;
        held_.erase(frame);
        packet_->stream_index = stream_->index;
        av_packet_rescale_ts(packet_.get(), format_.time_base, stream_->time_base);
        write_packet(*packet_);
    }
}

void H264Writer::write_packet(AVPacket& packet) {
    check(av_interleaved_write_frame(output_.get(), &packet), "cannot write the video");
}

void H264Writer::copy_audio_until(double seconds) {
    if (audio_) audio_->copy_until(seconds, [this](AVPacket& packet) { write_packet(packet); });
}

void H264Writer::commit() {
    if (!encoder_) throw Error(ErrorKind::internal, "a video without frames", path_);
    copy_audio_until(seconds(last_end_));
    check(encoder_->send(nullptr), "cannot encode the video");
    drain();
    if (!held_.empty()) throw Error(ErrorKind::internal, "the encoder lost frames", path_);
    check(av_write_trailer(output_.get()), "cannot finish the video");
    avio_flush(output_->pb);
    check(0, "cannot finish the video");
    output_.reset();
    file_.commit();
}

std::vector<std::string> H264Writer::notes() const {
    std::vector<std::string> notes;
    if (format_.bits > 8) notes.push_back(fmt::format("{}-bit input is written with 8 bits", format_.bits));
    if (first_format_ == PixelFormat::bgr24) {
        notes.push_back(fmt::format("{} input is written as YUV 4:2:0", format_.pixel_format));
    } else if (!format_.subsampled) {
        notes.push_back(fmt::format("{} input is written as 4:2:0", format_.pixel_format));
    }
    if (format_.width % 2 + format_.height % 2 > 0) {
        notes.push_back(fmt::format("{}x{} pixels become {}x{}, since H.264 needs even sizes", format_.width,
                                    format_.height, format_.width + format_.width % 2,
                                    format_.height + format_.height % 2));
    }
    if (format_.rotated) notes.emplace_back("the rotation is applied to the pixels");
    if (format_.interlaced) {
        const bool kept = options_.encoder == "libx264";
        notes.emplace_back(kept ? "interlaced input stays interlaced"
                                : "interlaced input is coded as progressive frames");
    }
    if (scaled_ > 0) {
        notes.push_back(fmt::format("the video changes its size: {} frames are scaled to fit {}x{}", scaled_,
                                    format_.width, format_.height));
    }
    if (format_.other_videos > 0) {
        notes.push_back(fmt::format("{} further video track{} not written", format_.other_videos,
                                    format_.other_videos == 1 ? " is" : "s are"));
    }
    return notes;
}

}  // namespace

std::unique_ptr<ExactWriter> make_exact_writer(const std::string& path, const VideoFormat& format,
                                               const ExactWriterOptions& options) {
    const std::string extension = extension_of(path);
    if (const char* muxer = muxer_of(path)) return std::make_unique<H264Writer>(path, muxer, format, options);
    if (extension == ".gif" || extension == ".png" || extension == ".apng") {
        if (!options.audio.empty()) {
            throw Error(ErrorKind::usage, "an animation cannot hold audio", path, "use --audio drop");
        }
        return make_animation_writer(path, extension == ".gif", format);
    }
    throw Error(ErrorKind::usage, "unknown video file extension", path, "use a name that ends in .mp4 or .mkv");
}

std::string exact_extension(const std::string& path, const std::string& container) {
    if (const char* animation = animation_of(container)) {
        const std::string extension = extension_of(path);
        return extension == ".apng" ? extension : animation;
    }
    return muxer_of(path) != nullptr ? extension_of(path) : ".mp4";
}

}  // namespace throng
