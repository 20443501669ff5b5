#include "ui/review/review_player.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace throng::ui {
namespace {

constexpr double kSamePts = 1e-4;      // seconds
constexpr double kSurroundings = 0.5;  // seconds played before and after the track

}  // namespace

ReviewPlayer::ReviewPlayer(Open open, QObject* owner, Receive receive)
    : open_(std::move(open)), worker_(owner, std::move(receive)) {
    worker_.open([this](const ReviewSpan& span, const Job& job) {
        try {
            play(span, job);
        } catch (...) {
            source_.reset();
            throw;
        }
    });
}

ReadStatus ReviewPlayer::read(Frame& frame, const Job& job) {
    while (!job.superseded()) {
        const ReadStatus status = source_->read(frame, job.stop());
        if (status != ReadStatus::timeout) return status;
    }
    return ReadStatus::timeout;
}

bool ReviewPlayer::read_at(double pts, Frame& frame, const Job& job) {
    // A source that cannot seek is read from its beginning.
    if (!source_ || !source_->seek(std::max(0.0, pts))) source_ = open_(job.stop());
    bool has_frame = false;
    for (;;) {
        Frame next;
        const ReadStatus status = read(next, job);
        if (status == ReadStatus::end) return has_frame;  // the last frame, for a time after the end
        if (status == ReadStatus::timeout) return false;
        has_frame = true;
        frame = std::move(next);
        if (frame.info().pts >= pts - kSamePts) return true;
    }
}

void ReviewPlayer::play(const ReviewSpan& span, const Job& job) {
    Frame frame;
    if (!read_at(span.at, frame, job)) return;
    report(frame, job);
    if (!span.playing) return;
    using Clock = std::chrono::steady_clock;
    auto shown_at = Clock::now();
    double shown = frame.info().pts;
    for (;;) {
        const ReadStatus status = read(frame, job);
        if (status == ReadStatus::timeout) return;
        const bool at_end = status == ReadStatus::end || frame.info().pts > span.last + kSurroundings;
        if (at_end) {
            const double begin = std::max(0.0, span.first - kSurroundings);
            if (!read_at(begin, frame, job)) return;
            shown = frame.info().pts;
            // A loop of one frame, as of a still image, does not spin.
            shown_at = std::max(shown_at + std::chrono::milliseconds(200), Clock::now());
        } else {
            const std::chrono::duration<double> step(std::clamp(frame.info().pts - shown, 0.0, 1.0));
            shown = frame.info().pts;
            shown_at = std::max(shown_at + std::chrono::duration_cast<Clock::duration>(step),
                                Clock::now() - std::chrono::milliseconds(100));
        }
        if (!job.wait_until(shown_at)) return;
        report(frame, job);
    }
}

void ReviewPlayer::report(const Frame& frame, const Job& job) {
    const WritableFrame bgr = converter_.bgr_copy(frame, pool_);
    const PlaneView& plane = bgr.plane(0);
    const QImage image(plane.data, frame.width(), frame.height(), static_cast<qsizetype>(plane.pitch),
                       QImage::Format_BGR888);
    job.report({image.convertToFormat(QImage::Format_RGB32), frame.info().pts});
}

}  // namespace throng::ui
