#include "core/video/media_file_source.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/video/file_kind.h"
#include "core/video/frame_fields.h"
#include "core/video/video_division.h"

namespace throng {
namespace {

constexpr double kTimeTolerance = 1e-4;  // seconds: time stamps are rounded to the container's clock
constexpr double kFromStart = std::numeric_limits<double>::infinity();

MediaRequest exact_request(const std::string& path) {
    std::error_code failure;
    if (!std::filesystem::is_regular_file(path, failure)) {
        throw Error(ErrorKind::input, failure ? failure.message() : "not a regular file", path);
    }
    SourceOptions options;
    options.decoder = DecoderKind::software;
    return file_request(path, options);
}

}  // namespace

MediaFileSource::MediaFileSource(const std::string& path, const std::stop_token& stop)
    : MediaFileSource(exact_request(path), nullptr, stop) {
    MediaFrame& first = pending_.front().media;
    format_ = describe_format(first, reader_->input(), path);
    MediaFrame copy;
    copy.av_frame = av::checked(av::FramePtr(av_frame_clone(first.av_frame.get())));
    copy.padding_for_alpha = first.padding_for_alpha;
    copy.orientation = first.orientation;
    format_.first = make_frame(maker_, std::move(copy), 0, pending_.front().pts).info();
}

MediaFileSource::MediaFileSource(const MediaRequest& request, std::unique_ptr<MediaReader> reader,
                                 const std::stop_token& stop)
    : request_(request),
      reader_(reader ? std::move(reader) : std::make_unique<MediaReader>(request, stop)),
      maker_(request.source),
      opener_stop_(stop),
      stop_(stop) {
    std::optional<TimedFrame> first = decode(stop);
    if (!first) reject(stop);
    reader_->remember_decoder(request_);
    width_ = first->media.width();
    height_ = first->media.height();
    first_ticks_ = first->ticks;
    pending_.push_back(std::move(*first));
}

ReadStatus MediaFileSource::read(Frame& frame, std::stop_token stop) {
    stop_ = stop;
    reader_->set_loop(loop_);
    std::optional<TimedFrame> next = take(stop);
    if (!next) return stop.stop_requested() ? ReadStatus::timeout : ReadStatus::end;
    if (next->starts_again) next_index_ = 0;
    frame = make_frame(maker_, std::move(next->media), next_index_++, next->pts);
    width_ = frame.width();
    height_ = frame.height();
    return watch_.status_of(frame);
}

bool MediaFileSource::read_exact(ExactFrame& frame, const std::stop_token& stop) {
    std::optional<TimedFrame> next = take(stop);
    if (!next) return false;
    frame.ticks = next->ticks - first_ticks_;
    frame.duration = av::duration_of(*next->media.av_frame);
    if (frame.duration <= 0) frame.duration = std::max<std::int64_t>(next->step, 1);
    frame.top_field_first = av::has_top_field_first(*next->media.av_frame);
    frame.frame = make_frame(maker_, std::move(next->media), next_index_++, next->pts);
    frame.composed = maker_.composed();
    return true;
}

SourceInfo MediaFileSource::info() const {
    SourceInfo info;
    info.name = request_.shown;
    info.details = reader_->details(width_, height_);
    info.width = width_;
    info.height = height_;
    info.fps = reader_->clock().fps();
    info.frame_count = reader_->input().frame_count();
    info.duration = reader_->input().duration();
    info.seekable = reader_->input().seekable();
    return info;
}

std::optional<MediaFileSource::TimedFrame> MediaFileSource::take(const std::stop_token& stop) {
    if (pending_.empty()) return decode(stop);
    TimedFrame first = std::move(pending_.front());
    pending_.pop_front();
    return first;
}

std::optional<MediaFileSource::TimedFrame> MediaFileSource::decode(const std::stop_token& stop) {
    TimedFrame result;
    switch (reader_->next(result.media, stop)) {
        case MediaStatus::read: break;
        case MediaStatus::stopped: return std::nullopt;
        case MediaStatus::end:
        case MediaStatus::broken: early_end_ = reader_->input().early_end(); return std::nullopt;
        case MediaStatus::stalled:
            throw Error(ErrorKind::input, Message("no data for %1 s", short_number(request_.source.read_timeout)),
                        request_.shown, "the connection or the sender has stopped");
    }
    result.starts_again = result.media.iteration != std::exchange(iteration_, result.media.iteration);
    if (result.starts_again) clock_.reset();
    has_times_ = has_times_ || result.media.ticks;
    const std::optional<std::int64_t> previous = clock_.last();
    result.ticks = clock_.next(result.media.ticks, reader_->clock().step());
    result.step = result.ticks - previous.value_or(result.ticks);
    result.pts = std::max(static_cast<double>(result.ticks) * reader_->clock().tick(), 0.0);
    return result;
}

// Throws the error for an input without a decoded frame.
void MediaFileSource::reject(const std::stop_token& stop) const {
    if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped while opening", request_.shown);
    if (const Message error = reader_->input().read_error(); !error.empty()) {
        throw Error(ErrorKind::input, {"%1, before the first frame", error}, request_.shown);
    }
    const bool damaged = reader_->damaged() > 0;
    throw Error(ErrorKind::input, damaged ? "no frame can be decoded" : "the input contains no frames", request_.shown,
                damaged ? "the file is damaged" : "the video has a length of 0 seconds");
}

void MediaFileSource::reopen() {
    clock_.reset();
    iteration_ = 0;
    reader_ = std::make_unique<MediaReader>(request_, stop_);
}

// Moves to a key frame at or before the time minus step_back. Infinity: moves to the start by opening the file again.
void MediaFileSource::position_before(double seconds, double step_back) {
    clock_.reset();
    iteration_ = 0;
    jumped_ = jumped_ || reader_->clock().num_jumps() > 0;
    const bool from_start = std::isinf(step_back) || !reader_->input().has_index() || jumped_;
    if (!from_start && reader_->seek_key_frame(std::max(seconds - step_back, 0.0))) return;
    earlier_damage_ += reader_->damaged();
    reopen();
}

bool MediaFileSource::seek(double seconds) {
    if (!reader_->input().seekable() || !std::isfinite(seconds)) return false;
    seconds = std::max(seconds, 0.0);
    reader_->set_loop(false);
    pending_.clear();
    early_end_.clear();
    // Containers without a good index sometimes seek past the requested time. Retry from further back.
    for (const double step_back : {0.0, 2.0, 15.0, kFromStart}) {
        position_before(seconds, step_back);
        std::optional<TimedFrame> first = decode(stop_);
        const bool too_late = !first || first->pts > seconds + kTimeTolerance;
        if (too_late && !std::isinf(step_back)) continue;
        skip_to(seconds, std::move(first));
        break;
    }
    if (!pending_.empty()) next_index_ = std::llround(pending_.front().pts * reader_->clock().fps());
    return true;
}

bool MediaFileSource::resume_on_host(std::int64_t index, double pts) {
    if (!reader_->input().seekable()) return false;
    request_.source.decoder = DecoderKind::software;
    maker_.disable_device_frames();
    pending_.clear();
    early_end_.clear();
    stop_ = opener_stop_;  // the last read was stopped to resume
    reopen();              // resets the damage count: errors of the failed decoder do not count
    if (index >= 0) {
        static_cast<void>(decode(stop_));  // time stamps count from the first frame
        if (!seek(pts)) return false;
        while (!pending_.empty() && pending_.front().pts <= pts + kTimeTolerance) pending_.pop_front();
    }
    next_index_ = index + 1;
    return true;
}

// Decodes up to the frame at `seconds` and the frame after it. Both become the next frames to read.
void MediaFileSource::skip_to(double seconds, std::optional<TimedFrame> first) {
    std::optional<TimedFrame> current = std::move(first);
    while (current) {
        std::optional<TimedFrame> following = decode(stop_);
        if (!following || following->pts > seconds + kTimeTolerance) {
            pending_.push_back(std::move(*current));
            if (following) pending_.push_back(std::move(*following));
            return;
        }
        current = std::move(following);
    }
}

std::optional<Frame> MediaFileSource::begin_at(double seconds, const std::stop_token& stop) {
    stop_ = stop;
    pending_.clear();
    for (const double run_up : kRunUps) {
        const bool from_start = seconds <= run_up;
        position_before(seconds, from_start ? kFromStart : run_up);
        if (from_start) earlier_damage_ = 0;
        early_end_.clear();
        std::optional<TimedFrame> before;
        std::optional<TimedFrame> current;
        while ((current = decode(stop)) && current->pts < seconds) before = std::move(current);
        if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped", request_.shown);
        // A frame may be damaged because decoding did not begin earlier.
        if (!from_start && (!before || before->media.damaged)) continue;
        if (current) pending_.push_back(*std::move(current));
        if (!before) return std::nullopt;
        return make_frame(maker_, std::move(before->media), next_index_++, before->pts);
    }
    throw Error(ErrorKind::internal, "no start of the part", request_.shown);
}

}  // namespace throng
