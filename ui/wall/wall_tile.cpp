#include "ui/wall/wall_tile.h"

#include <algorithm>
#include <utility>

#include "ui/language/language.h"
#include "ui/session/run_status.h"

namespace throng::ui {
namespace {

constexpr int kFirstRetry = 1;  // seconds; doubled after each failure
constexpr int kLastRetry = 30;

}  // namespace

WallTile::WallTile(int number, QString spec, QString title, QObject* parent)
    : QObject(parent), number_(number), spec_(std::move(spec)), title_(std::move(title)) {
    retry_.setSingleShot(true);
    connect(&retry_, &QTimer::timeout, this, &WallTile::retryRequested);
}

QString WallTile::state() const {
    if (failed_) return QStringLiteral("failed");
    if (!opened_.pipeline) return QStringLiteral("opening");
    switch (opened_.pipeline->state()) {
        case PipelineState::paused: return QStringLiteral("paused");
        case PipelineState::ended: return QStringLiteral("ended");
        case PipelineState::failed: return QStringLiteral("failed");
        default: return silent_ ? QStringLiteral("silent") : QStringLiteral("running");
    }
}

bool WallTile::delivers() const {
    return active() && !silent_ && opened_.pipeline->state() != PipelineState::ended;
}

int WallTile::retry_in() const {
    return retry_.isActive() ? (retry_.remainingTime() + 999) / 1000 : 0;
}

int WallTile::begin_opening() {
    stop_.request_stop();
    stop_ = std::stop_source();
    retry_.stop();
    return ++attempt_;
}

void WallTile::set_opened(const OpenedSource& opened) {
    opened_ = opened;
    failed_ = false;
    silent_ = false;
    problem_.clear();
    latency_.clear();
    emit changed();
}

std::shared_ptr<Pipeline> WallTile::take_pipeline() {
    ++attempt_;
    return std::exchange(opened_, {}).pipeline;
}

std::shared_ptr<Pipeline> WallTile::fail(const Error& error) {
    failed_ = true;
    problem_ = translated_message(error.problem());
    faces_ = 0;
    frame_rate_ = 0;
    retry_.start(1000 * std::min(kLastRetry, kFirstRetry << std::min(failures_, 10)));
    ++failures_;
    std::shared_ptr<Pipeline> pipeline = take_pipeline();
    set_image({});  // an image that stands still looks like a running source
    emit changed();
    return pipeline;
}

void WallTile::set_image(DisplayImage image) {
    const bool had = has_image();
    image_ = std::move(image);
    if (has_image()) failures_ = 0;
    if (has_image() || had) emit imageChanged();
}

void WallTile::refresh() {
    if (opened_.pipeline && !failed_) {
        const PipelineCounters counters = opened_.pipeline->counters();
        silent_ = is_silent(*opened_.pipeline, counters);
        frame_rate_ = counters.fps;
        faces_ = image_.result ? static_cast<int>(image_.result->kept.detections.size()) : 0;
        problem_ = translated_message(opened_.pipeline->notice());
    }
    emit changed();
}

void WallTile::add_presented(const std::shared_ptr<const FrameResult>& result) {
    if (!result || result == on_screen_.lock()) return;
    on_screen_ = result;
    const auto since = std::chrono::steady_clock::now() - result->frame.info().captured;
    latency_.add(std::chrono::duration<double, std::milli>(since).count());
}

}  // namespace throng::ui
