#include "core/video/media_file_source.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/video/damage_watch.h"
#include "core/video/format_watch.h"
#include "core/video/frame_clock.h"
#include "core/video/frame_maker.h"
#include "core/video/image_file.h"

namespace throng {
namespace {

constexpr double kTimeTolerance = 1e-4;  // seconds: time stamps are rounded to the container's clock

struct TimedFrame {
    av::FramePtr av_frame;
    double pts = 0;
    bool starts_again = false;  // the first frame of another loop iteration
    bool damaged = false;
};

class MediaFileSource final : public VideoSource {
public:
    MediaFileSource(const MediaRequest& request, std::unique_ptr<MediaReader> reader, const std::stop_token& stop)
        : request_(request),
          reader_(std::move(reader)),
          maker_(request.source.prefer_device_frames),
          opener_stop_(stop),
          stop_(stop) {
        std::optional<TimedFrame> first = decode(stop);
        if (first && reader_->rejected_by_hardware() && reader_->seekable()) {
            request_.source.decoder = "software";  // with all its threads
            reopen();
            first = decode(stop);
        }
        if (!first) reject(stop);
        if (const std::string unused = reader_->unused_videos(); !unused.empty()) {
            spdlog::warn("{}: {}", request_.shown, unused);
        }
        const Orientation orientation = reader_->orientation_of_frame(*first->av_frame);
        width_ = orientation.transpose ? first->av_frame->height : first->av_frame->width;
        height_ = orientation.transpose ? first->av_frame->width : first->av_frame->height;
        pending_.push_back(std::move(*first));
    }

    ReadStatus read(Frame& frame, std::stop_token stop) override {
        stop_ = stop;
        reader_->set_loop(loop_);
        std::optional<TimedFrame> next = take_pending();
        if (!next) next = decode(stop);
        if (!next) return stop.stop_requested() ? ReadStatus::timeout : ReadStatus::end;
        if (next->starts_again) next_index_ = 0;
        const Orientation orientation = reader_->orientation_of_frame(*next->av_frame);
        maker_.ignore_alpha(reader_->has_padding_for_alpha());
        frame = maker_.make(std::move(next->av_frame), orientation)
                    .with_timing(next_index_++, next->pts, std::chrono::steady_clock::now());
        if (next->damaged) frame = frame.as_damaged();
        width_ = frame.width();
        height_ = frame.height();
        return format_.status_of(frame);
    }

    bool seek(double seconds) override;
    void set_loop(bool loop) override { loop_ = loop; }
    bool resume_on_host(std::int64_t index, double pts) override;

    [[nodiscard]] SourceInfo info() const override {
        SourceInfo info;
        info.name = request_.shown;
        info.details = reader_->details(width_, height_);
        info.width = width_;
        info.height = height_;
        info.fps = reader_->fps();
        info.frame_count = reader_->frame_count();
        info.duration = reader_->duration();
        info.seekable = reader_->seekable();
        return info;
    }

    [[nodiscard]] Message notice() const override { return incomplete(); }
    [[nodiscard]] std::string incomplete() const override {
        return incomplete_text(earlier_damage_ + reader_->damaged(), early_end_);
    }

private:
    std::optional<TimedFrame> take_pending() {
        if (pending_.empty()) return std::nullopt;
        TimedFrame first = std::move(pending_.front());
        pending_.pop_front();
        return first;
    }

    std::optional<TimedFrame> decode(const std::stop_token& stop);
    [[noreturn]] void reject(const std::stop_token& stop) const;
    void reopen();
    void position_before(double seconds, double step_back);
    void skip_to(double seconds, std::optional<TimedFrame> first);

    MediaRequest request_;
    std::unique_ptr<MediaReader> reader_;
    FrameMaker maker_;
    FormatWatch format_;
    std::deque<TimedFrame> pending_;  // decoded in advance: the first frame, and frames after a seek
    std::int64_t next_index_ = 0;
    FrameClock clock_;
    bool jumped_ = false;         // the clock of the file jumped back somewhere
    DamageWatch damage_;          // of reader_
    std::int64_t iteration_ = 0;  // of the frame decoded last
    bool loop_ = false;           // applies to read only: a seek stops at the end
    int width_ = 0;
    int height_ = 0;
    std::uint64_t earlier_damage_ = 0;
    std::string early_end_;
    std::stop_token opener_stop_;
    std::stop_token stop_;  // of the opener, later of the last read; also ends reopening
};

std::optional<TimedFrame> MediaFileSource::decode(const std::stop_token& stop) {
    TimedFrame result{av::make_frame()};
    switch (reader_->next(*result.av_frame, stop)) {
        case MediaStatus::frame: break;
        case MediaStatus::stopped: return std::nullopt;
        case MediaStatus::end:
        case MediaStatus::broken: early_end_ = reader_->early_end(); return std::nullopt;
        case MediaStatus::stalled:
            throw Error(ErrorKind::input, Message("no data for %1 s", short_number(request_.source.read_timeout)),
                        request_.shown, "the connection or the sender has stopped");
    }
    const std::int64_t iteration = reader_->iteration_of(*result.av_frame);
    result.starts_again = iteration != std::exchange(iteration_, iteration);
    if (result.starts_again) clock_.reset();
    result.damaged = damage_.is_damaged(*result.av_frame, *reader_);
    const std::int64_t ticks = clock_.next(reader_->ticks_of(*result.av_frame), reader_->step_ticks());
    result.pts = std::max(static_cast<double>(ticks) * av_q2d(reader_->time_base()), 0.0);
    return result;
}

// Throws the error for an input without a decoded frame.
void MediaFileSource::reject(const std::stop_token& stop) const {
    if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped while opening", request_.shown);
    if (const Message error = reader_->read_error(); !error.empty()) {
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
    damage_ = {};
}

// Moves to a key frame at or before the time minus step_back. Infinity: moves to the start by opening the file again.
void MediaFileSource::position_before(double seconds, double step_back) {
    clock_.reset();
    iteration_ = 0;
    jumped_ = jumped_ || reader_->num_jumps() > 0;
    const bool from_start = std::isinf(step_back) || !reader_->has_index() || jumped_;
    if (!from_start && reader_->seek_key_frame(std::max(seconds - step_back, 0.0))) {
        damage_.begin_again(*reader_);
        return;
    }
    earlier_damage_ += reader_->damaged();
    reopen();
}

bool MediaFileSource::seek(double seconds) {
    if (!reader_->seekable() || !std::isfinite(seconds)) return false;
    seconds = std::max(seconds, 0.0);
    reader_->set_loop(false);
    pending_.clear();
    early_end_.clear();
    // Containers without a good index sometimes seek past the requested time. Retry from further back.
    for (const double step_back : {0.0, 2.0, 15.0, std::numeric_limits<double>::infinity()}) {
        position_before(seconds, step_back);
        std::optional<TimedFrame> first = decode(stop_);
        const bool too_late = !first || first->pts > seconds + kTimeTolerance;
        if (too_late && !std::isinf(step_back)) continue;
        skip_to(seconds, std::move(first));
        break;
    }
    if (!pending_.empty()) next_index_ = std::llround(pending_.front().pts * reader_->fps());
    return true;
}

bool MediaFileSource::resume_on_host(std::int64_t index, double pts) {
    if (!reader_->seekable()) return false;
    request_.source.decoder = "software";
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

}  // namespace

std::unique_ptr<VideoSource> make_media_file_source(const MediaRequest& request, std::unique_ptr<MediaReader> reader,
                                                    const std::stop_token& stop) {
    return std::make_unique<MediaFileSource>(request, std::move(reader), stop);
}

std::unique_ptr<VideoSource> open_media_file(const MediaRequest& request, const std::stop_token& stop) {
    return make_media_file_source(request, std::make_unique<MediaReader>(request, stop), stop);
}

MediaRequest file_request(const std::string& path, const SourceOptions& options) {
    MediaRequest request;
    const std::filesystem::file_status status = std::filesystem::status(path);
    const bool pipe = std::filesystem::is_fifo(status) || std::filesystem::is_character_file(status) ||
                      std::filesystem::is_socket(status);
    if (pipe) request.bytes = ByteReader::pipe;
    request.url = pipe ? path : "file:" + path;  // prevents FFmpeg from parsing a colon in the name as a protocol
    request.shown = path;
    // An untrusted file must not cause other addresses to be opened.
    request.options = {{"protocol_whitelist", "file,crypto,data"}};
    if (std::optional<ImageAnimation> animation; !pipe && (animation = find_image_animation(path))) {
        request.input_format = animation->demuxer;
        request.orientation = animation->orientation;
    }
    request.source = options;
    return request;
}

}  // namespace throng
