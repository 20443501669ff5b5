#include "core/video/video_writer.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/extension.h"
#include "core/base/output_file.h"
#include "core/base/resources.h"
#include "core/video/audio_copy.h"
#include "core/video/av.h"
#include "core/video/encoder_frame.h"
#include "core/video/media_reader.h"
#include "core/video/muxer_io.h"
#include "core/video/video_encoder.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr int kClock = 60000;   // ticks per second: divisible by all usual rates, and within MPEG-4's 16 bits
constexpr double kMaxGap = 10;  // seconds between two frames
constexpr int kMaxThreads = 4;

struct Container {
    std::string_view extension;
    const char* format;
    const char* flags;  // movflags
};
constexpr const char* kFragments = "frag_keyframe+empty_moov+default_base_moof";
constexpr std::array<Container, 4> kContainers = {
    {{".mp4", "mp4", kFragments}, {".m4v", "mp4", kFragments}, {".mov", "mov", kFragments}, {".mkv", "matroska", ""}}};

const Container& container_of(const std::string& path) {
    const std::string extension = lower_extension(path);
    for (const Container& container : kContainers) {
        if (extension == container.extension) return container;
    }
    throw Error(ErrorKind::usage, "unknown video file extension", path, "use a name that ends in .mp4 or .mkv");
}

// In order of preference; all but the last write H.264.
constexpr std::array<const char*, 5> kEncoders = {"libx264", "libopenh264", "h264_v4l2m2m", "h264_nvenc", "mpeg4"};

AVColorSpace colorspace(ColorMatrix matrix) {
    switch (matrix) {
        case ColorMatrix::bt601: return AVCOL_SPC_SMPTE170M;
        case ColorMatrix::bt709: return AVCOL_SPC_BT709;
        case ColorMatrix::bt2020: return AVCOL_SPC_BT2020_NCL;
    }
    return AVCOL_SPC_UNSPECIFIED;
}

}  // namespace

class VideoWriter::Impl {
public:
    Impl(const std::string& path, const VideoWriterOptions& options);
    void write(const Frame& frame);
    void close();

    std::int64_t frames = 0;
    std::string encoder;
    std::string notice;
    [[nodiscard]] std::string incomplete() const { return audio_ ? audio_->incomplete() : ""; }

private:
    void start(const Frame& first);
    [[nodiscard]] EncoderSettings encoder_settings(const FrameInfo& first) const;
    void encode(const AVFrame* av_frame);
    void write_packet(AVPacket& packet);
    void copy_audio_until(std::int64_t ticks);
    [[nodiscard]] std::int64_t ticks(double pts);
    void check(int status, const char* what);

    std::string path_;
    VideoWriterOptions options_;
    OutputFile file_;
    MuxerIo io_;
    OutputContextPtr output_;
    std::unique_ptr<VideoEncoder> codec_;
    AVStream* stream_ = nullptr;
    std::optional<AudioCopy> audio_;
    EncoderFrame av_frame_;
    av::PacketPtr packet_ = av::make_packet();
    double last_pts_ = 0;  // of the source
    std::int64_t last_ticks_ = -1;
    bool failed_ = false;
};

VideoWriter::Impl::Impl(const std::string& path, const VideoWriterOptions& options)
    : path_(path),
      options_(options),
      file_(path),
      io_([this](std::string_view bytes) { file_.write(bytes, options_.stop); },
          [this](std::int64_t offset, int whence) { return file_.seek(offset, whence); }) {
    av::set_up();
    const Container& container = container_of(path);
    if (!(options_.fps > 0) || !std::isfinite(options_.fps)) options_.fps = VideoWriterOptions().fps;
    AVFormatContext* context = nullptr;
    const int made = avformat_alloc_output_context2(&context, nullptr, container.format, nullptr);
    output_.reset(context);
    if (made < 0)
        throw Error(ErrorKind::unavailable, {"this FFmpeg build cannot write %1", std::string(container.format)}, path);
    output_->flush_packets = 1;  // write each complete fragment to the disk
    output_->flags |= AVFMT_FLAG_CUSTOM_IO;
    if (!options_.audio.empty()) audio_.emplace(options_.audio);
}

void VideoWriter::Impl::check(int status, const char* what) {
    if (status >= 0 && output_->pb != nullptr && output_->pb->error < 0) status = output_->pb->error;
    if (status >= 0) return;
    failed_ = true;
    if (io_.failure()) std::rethrow_exception(io_.failure());
    throw Error(ErrorKind::input, {"%1: %2", what, av::message(status).c_str()}, path_);
}

EncoderSettings VideoWriter::Impl::encoder_settings(const FrameInfo& first) const {
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
    if ((output_->oformat->flags & AVFMT_GLOBALHEADER) != 0) settings.codec_flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    return settings;
}

void VideoWriter::Impl::start(const Frame& first) {
    av_frame_.set_size(first.width(), first.height());
    bool any = false;
    for (const char* name : kEncoders) {
        any = any || avcodec_find_encoder_by_name(name) != nullptr;
        std::string why;
        codec_ = VideoEncoder::open(name, encoder_settings(first.info()), why);
        if (!codec_) continue;
        encoder = name;
        break;
    }
    const std::string size = std::to_string(first.width()) + "x" + std::to_string(first.height());
    if (!codec_) {
        failed_ = true;
        if (!any)
            throw Error(ErrorKind::unavailable, "this FFmpeg build has no video encoder", path_, "install libx264");
        throw Error(ErrorKind::input, {"a video of %1 pixels cannot be encoded", size}, path_, "write images instead");
    }
    if (encoder == "mpeg4") {
        notice = "no H.264 encoder available: " + path_ + " is written as MPEG-4 Part 2";
        spdlog::warn("{}", notice);
    }
    stream_ = avformat_new_stream(output_.get(), nullptr);
    if (stream_ == nullptr) throw std::bad_alloc();
    stream_->time_base = codec_->codec().time_base;
    stream_->avg_frame_rate = codec_->codec().framerate;
    check(avcodec_parameters_from_context(stream_->codecpar, &codec_->codec()), "cannot describe the video");
    failed_ = true;  // until the file is open
    if (audio_) {
        audio_->add_streams(*output_, path_);
        audio_->set_start(first.info().pts);
    }
    file_.write({}, options_.stop);  // creates or truncates the file
    output_->pb = io_.open();
    failed_ = false;
    av::Dictionary settings;
    std::string flags = container_of(path_).flags;
    // Audio that begins after the video needs an edit list, which an empty index, written first, cannot have.
    if (audio_ && !flags.empty()) flags += "-empty_moov+delay_moov";
    if (!flags.empty()) settings.set("movflags", flags);
    check(avformat_write_header(output_.get(), settings.address()), "cannot write the video");
}

std::int64_t VideoWriter::Impl::ticks(double pts) {
    const double step = pts - last_pts_;
    const bool plausible = step > 0 && (step <= kMaxGap || audio_);
    last_pts_ = pts;
    if (last_ticks_ < 0) return last_ticks_ = 0;
    const double seconds = plausible ? step : 1 / options_.fps;
    return last_ticks_ += std::max<std::int64_t>(std::llround(seconds * kClock), 1);
}

void VideoWriter::Impl::write(const Frame& frame) {
    if (!output_ || failed_) throw Error(ErrorKind::internal, "a frame was written to a closed video", path_);
    if (!codec_) start(frame);
    AVFrame& av_frame = av_frame_.fill(frame);
    av_frame.pts = ticks(frame.info().pts);
    av_frame.color_range = AVCOL_RANGE_MPEG;
    av_frame.colorspace = codec_->codec().colorspace;
    encode(&av_frame);
    copy_audio_until(last_ticks_);
    ++frames;
}

void VideoWriter::Impl::encode(const AVFrame* av_frame) {
    check(codec_->send(av_frame), "cannot encode the video");
    for (;;) {
        const int status = codec_->receive(*packet_);
        if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return;
        check(status, "cannot encode the video");
        packet_->stream_index = stream_->index;
        av_packet_rescale_ts(packet_.get(), codec_->codec().time_base, stream_->time_base);
        write_packet(*packet_);
    }
}

void VideoWriter::Impl::write_packet(AVPacket& packet) {
    // The encoder is some frames late: audio waits in the muxer until the video before it is written.
    const int status =
        audio_ ? av_interleaved_write_frame(output_.get(), &packet) : av_write_frame(output_.get(), &packet);
    check(status, "cannot write the video");
}

void VideoWriter::Impl::copy_audio_until(std::int64_t ticks) {
    if (!audio_) return;
    audio_->copy_until(static_cast<double>(ticks) / kClock, [this](AVPacket& packet) { write_packet(packet); });
}

void VideoWriter::Impl::close() {
    if (!output_) return;
    try {
        if (codec_ && !failed_) {
            if (audio_) {
                audio_->copy_end(static_cast<double>(last_ticks_) / kClock + 1 / options_.fps,
                                 [this](AVPacket& packet) { write_packet(packet); });
                for (const std::string& note : audio_->notes()) notice = joined_reasons(notice, note);
            }
            encode(nullptr);
            check(av_write_trailer(output_.get()), "cannot finalize the video");
            avio_flush(output_->pb);
            check(0, "cannot finalize the video");
        }
    } catch (...) {
        output_.reset();
        throw;
    }
    output_.reset();
    file_.close();
}

VideoWriter::VideoWriter(const std::string& path, const VideoWriterOptions& options)
    : impl_(std::make_unique<Impl>(path, options)) {}

VideoWriter::~VideoWriter() {
    try {
        close();
    } catch (const std::exception& failure) {
        spdlog::error("{}", failure.what());
    }
}

void VideoWriter::write(const Frame& frame) {
    impl_->write(frame);
}
void VideoWriter::close() {
    impl_->close();
}
std::int64_t VideoWriter::frames() const {
    return impl_->frames;
}
std::string VideoWriter::encoder() const {
    return impl_->encoder;
}
std::string VideoWriter::notice() const {
    return impl_->notice;
}
std::string VideoWriter::incomplete() const {
    return impl_->incomplete();
}

}  // namespace throng
