#include "core/video/exact_reader.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/video/damage_watch.h"
#include "core/video/frame_clock.h"
#include "core/video/frame_maker.h"
#include "core/video/image_file.h"
#include "core/video/media_file_source.h"
#include "core/video/media_reader.h"
#include "core/video/video_division.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace throng {
namespace {

#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
bool is_interlaced(const AVFrame& av_frame) {
    return (av_frame.flags & AV_FRAME_FLAG_INTERLACED) != 0;
}
bool has_top_field_first(const AVFrame& av_frame) {
    return (av_frame.flags & AV_FRAME_FLAG_TOP_FIELD_FIRST) != 0;
}
#else
bool is_interlaced(const AVFrame& av_frame) {
    return av_frame.interlaced_frame != 0;
}
bool has_top_field_first(const AVFrame& av_frame) {
    return av_frame.top_field_first != 0;
}
#endif

std::int64_t duration_of(const AVFrame& av_frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
    return av_frame.duration;
#else
    return av_frame.pkt_duration;
#endif
}

MediaRequest request_for(const std::string& path) {
    std::error_code failure;
    if (!std::filesystem::is_regular_file(path, failure)) {
        throw Error(ErrorKind::input, failure ? failure.message().c_str() : "not a regular file", path);
    }
    SourceOptions options;
    options.decoder = "software";
    return file_request(path, options);
}

}  // namespace

class ExactReader::Impl {
public:
    Impl(const std::string& path, const std::stop_token& stop)
        : path_(path), reader_(std::make_unique<MediaReader>(request_for(path), stop)), maker_(false) {
        pending_ = decode(stop);
        if (pending_) return;
        if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped while opening", path_);
        throw Error(ErrorKind::input, "no frame can be decoded", path_, "the file is damaged");
    }

    std::optional<Frame> begin_at(double seconds, const std::stop_token& stop);
    bool next(ExactFrame& frame, const std::stop_token& stop) {
        std::optional<ExactFrame> current = std::exchange(pending_, std::nullopt);
        if (!current && !at_end_) current = decode(stop);
        if (!current) return false;
        frame = *std::move(current);
        return true;
    }

    [[nodiscard]] std::string incomplete() const { return incomplete_text(reader_->damaged(), early_end_); }
    [[nodiscard]] std::int64_t corrected_times() const { return clock_.corrections() + reader_->num_jumps(); }

    VideoFormat format;
    bool has_times = false;

private:
    std::optional<ExactFrame> decode(const std::stop_token& stop);
    void describe_format(AVFrame& av_frame, Orientation orientation);

    std::string path_;
    std::unique_ptr<MediaReader> reader_;
    FrameMaker maker_;
    FrameClock clock_;
    std::optional<ExactFrame> pending_;
    std::int64_t next_index_ = 0;
    bool at_end_ = false;           // after begin_at
    std::int64_t first_ticks_ = 0;  // of the first frame of the file
    std::int64_t last_ticks_ = 0;   // of the frame decoded last
    DamageWatch damage_;
    std::string early_end_;
};

void ExactReader::Impl::describe_format(AVFrame& av_frame, Orientation orientation) {
    format.width = orientation.transpose ? av_frame.height : av_frame.width;
    format.height = orientation.transpose ? av_frame.width : av_frame.height;
    format.rotated = !orientation.is_identity();
    format.time_base = reader_->time_base();
    format.fps = reader_->fps();
    AVRational& aspect = format.sample_aspect_ratio;
    aspect = reader_->sample_aspect_ratio_of(av_frame);
    if (aspect.num <= 0 || aspect.den <= 0) aspect = {0, 1};
    if (orientation.transpose && aspect.num > 0) std::swap(aspect.num, aspect.den);
    format.range = av_frame.color_range;
    format.primaries = av_frame.color_primaries;
    format.transfer = av_frame.color_trc;
    format.matrix = av_frame.colorspace;
    format.chroma_location = orientation.is_identity() ? av_frame.chroma_location : AVCHROMA_LOC_UNSPECIFIED;
    format.interlaced = is_interlaced(av_frame) && !orientation.transpose;
    if (const AVPixFmtDescriptor* pixels = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(av_frame.format))) {
        format.pixel_format = pixels->name;
        format.bits = pixels->comp[0].depth;
        const bool chroma = (pixels->flags & AV_PIX_FMT_FLAG_RGB) == 0 && pixels->nb_components >= 3;
        format.subsampled = !chroma || (pixels->log2_chroma_w >= 1 && pixels->log2_chroma_h >= 1);
    }
    format.container = reader_->container();
    format.codec = reader_->codec_name();
    format.plays = find_animation_plays(path_);
    format.other_videos = reader_->num_streams(AVMEDIA_TYPE_VIDEO) - 1;
    format.audio_tracks = reader_->num_streams(AVMEDIA_TYPE_AUDIO);
    format.frame_count = reader_->frame_count();
    format.first_frame = reader_->time_of(av_frame).value_or(0);
}

std::optional<ExactFrame> ExactReader::Impl::decode(const std::stop_token& stop) {
    av::FramePtr av_frame = av::make_frame();
    switch (reader_->next(*av_frame, stop)) {
        case MediaStatus::frame: break;
        case MediaStatus::stopped: return std::nullopt;
        case MediaStatus::stalled: throw Error(ErrorKind::input, "the file cannot be read any further", path_);
        case MediaStatus::end:
        case MediaStatus::broken: early_end_ = reader_->early_end(); return std::nullopt;
    }
    const Orientation orientation = reader_->orientation_of_frame(*av_frame);
    const bool is_first = format.width == 0;
    if (is_first) describe_format(*av_frame, orientation);
    ExactFrame result;
    const std::optional<std::int64_t> stamp = reader_->ticks_of(*av_frame);
    has_times = has_times || stamp;
    const std::int64_t ticks = clock_.next(stamp, reader_->step_ticks());
    if (is_first) first_ticks_ = last_ticks_ = ticks;
    result.ticks = ticks - first_ticks_;
    const std::int64_t step = ticks - std::exchange(last_ticks_, ticks);
    result.duration = duration_of(*av_frame) > 0 ? duration_of(*av_frame) : std::max<std::int64_t>(step, 1);
    const bool damaged = damage_.is_damaged(*av_frame, *reader_);
    result.top_field_first = has_top_field_first(*av_frame);
    const double pts = std::max(static_cast<double>(ticks) * av_q2d(format.time_base), 0.0);
    maker_.ignore_alpha(reader_->has_padding_for_alpha());
    result.frame =
        maker_.make(std::move(av_frame), orientation).with_timing(next_index_++, pts, std::chrono::steady_clock::now());
    result.composed = maker_.composed();
    if (damaged) result.frame = result.frame.as_damaged();
    if (is_first) format.first = result.frame.info();
    return result;
}

std::optional<Frame> ExactReader::Impl::begin_at(double seconds, const std::stop_token& stop) {
    for (const double run_up : kRunUps) {
        const bool from_start = seconds <= run_up;
        if (from_start) {
            reader_ = std::make_unique<MediaReader>(request_for(path_), stop);
            damage_ = {};
            last_ticks_ = first_ticks_;
        } else if (reader_->seek_key_frame(seconds - run_up)) {
            damage_.begin_again(*reader_);
        } else {
            continue;
        }
        clock_.reset();
        early_end_.clear();
        std::optional<Frame> before;
        while ((pending_ = decode(stop)) && pending_->frame.info().pts < seconds) before = pending_->frame;
        if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped", path_);
        // A frame may be damaged because decoding did not begin earlier.
        if (from_start || (before && !before->info().damaged)) {
            at_end_ = !pending_;
            return before;
        }
    }
    throw Error(ErrorKind::internal, "no start of the part", path_);
}

ExactReader::ExactReader(const std::string& path, const std::stop_token& stop)
    : impl_(std::make_unique<Impl>(path, stop)) {}

ExactReader::~ExactReader() = default;

std::optional<Frame> ExactReader::begin_at(double seconds, const std::stop_token& stop) {
    return impl_->begin_at(seconds, stop);
}

bool ExactReader::next(ExactFrame& frame, const std::stop_token& stop) {
    return impl_->next(frame, stop);
}
const VideoFormat& ExactReader::format() const {
    return impl_->format;
}
std::string ExactReader::incomplete() const {
    return impl_->incomplete();
}
std::int64_t ExactReader::corrected_times() const {
    return impl_->corrected_times();
}
bool ExactReader::has_times() const {
    return impl_->has_times;
}

}  // namespace throng
