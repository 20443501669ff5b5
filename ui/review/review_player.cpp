#include "ui/review/review_player.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/error.h"

namespace throng::ui {
namespace {

constexpr double kSamePts = 1e-4;      // seconds
constexpr double kSurroundings = 0.5;  // seconds played before and after the track

}  // namespace

ReviewPlayer::ReviewPlayer(Open open, OnFrame on_frame, OnError on_error)
    : open_(std::move(open)),
      on_frame_(std::move(on_frame)),
      on_error_(std::move(on_error)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ReviewPlayer::show(const ReviewSpan& span) {
    {
        const std::lock_guard lock(mutex_);
        span_ = span;
        is_new_ = true;
    }
    changed_.notify_one();
}

bool ReviewPlayer::has_changed() {
    const std::lock_guard lock(mutex_);
    return is_new_;
}

void ReviewPlayer::run(const std::stop_token& stop) {
    for (;;) {
        ReviewSpan span;
        {
            std::unique_lock lock(mutex_);
            if (!changed_.wait(lock, stop, [this] { return is_new_; })) return;
            is_new_ = false;
            span = span_;
        }
        try {
            play(span, stop);
        } catch (const std::exception& error) {
            source_.reset();
            if (!stop.stop_requested()) on_error_(error.what());
        }
    }
}

ReadStatus ReviewPlayer::read(Frame& frame, const std::stop_token& stop) {
    while (!stop.stop_requested() && !has_changed()) {
        const ReadStatus status = source_->read(frame, stop);
        if (status != ReadStatus::timeout) return status;
    }
    return ReadStatus::timeout;
}

bool ReviewPlayer::read_at(double pts, Frame& frame, const std::stop_token& stop) {
    // A source that cannot seek is read from its beginning.
    if (!source_ || !source_->seek(std::max(0.0, pts))) source_ = open_(stop);
    bool has_frame = false;
    for (;;) {
        Frame next;
        const ReadStatus status = read(next, stop);
        if (status == ReadStatus::end) return has_frame;  // the last frame, for a time after the end
        if (status == ReadStatus::timeout) return false;
        has_frame = true;
        frame = std::move(next);
        if (frame.info().pts >= pts - kSamePts) return true;
    }
}

void ReviewPlayer::play(const ReviewSpan& span, const std::stop_token& stop) {
    Frame frame;
    if (!read_at(span.at, frame, stop)) return;
    report(frame);
    if (!span.playing) return;
    using Clock = std::chrono::steady_clock;
    auto shown_at = Clock::now();
    double shown = frame.info().pts;
    for (;;) {
        const ReadStatus status = read(frame, stop);
        if (status == ReadStatus::timeout) return;
        const bool at_end = status == ReadStatus::end || frame.info().pts > span.last + kSurroundings;
        if (at_end) {
            const double begin = std::max(0.0, span.first - kSurroundings);
            if (!read_at(begin, frame, stop)) return;
            shown = frame.info().pts;
            // A loop of one frame, as of a still image, does not spin.
            shown_at = std::max(shown_at + std::chrono::milliseconds(200), Clock::now());
        } else {
            const std::chrono::duration<double> step(std::clamp(frame.info().pts - shown, 0.0, 1.0));
            shown = frame.info().pts;
            shown_at = std::max(shown_at + std::chrono::duration_cast<Clock::duration>(step),
                                Clock::now() - std::chrono::milliseconds(100));
        }
        std::unique_lock lock(mutex_);
        if (changed_.wait_until(lock, stop, shown_at, [this] { return is_new_; }) || stop.stop_requested()) return;
        lock.unlock();
        report(frame);
    }
}

void ReviewPlayer::report(const Frame& frame) {
    const WritableFrame bgr = converter_.bgr_copy(frame, pool_);
    const PlaneView& plane = bgr.plane(0);
    const QImage image(plane.data, frame.width(), frame.height(), static_cast<qsizetype>(plane.pitch),
                       QImage::Format_BGR888);
    on_frame_(image.convertToFormat(QImage::Format_RGB32), frame.info().pts);
}

}  // namespace throng::ui
