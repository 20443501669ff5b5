#include "ui/session/frame_feed.h"

#include <utility>

namespace throng::ui {

FrameFeed::FrameFeed(ImageThread& images, std::size_t number, QObject* parent)
    : QObject(parent), images_(images), number_(number) {
    images_.set_receiver(
        [this](DisplayImage image) {
            if (!pipeline_) return;
            shown_ = std::move(image);
            emit delivered();
        },
        number_);
}

FrameFeed::~FrameFeed() {
    if (pipeline_) pipeline_->set_wake({});
}

void FrameFeed::attach(std::shared_ptr<Pipeline> pipeline, std::shared_ptr<GlBridge> bridge) {
    if (pipeline_) pipeline_->set_wake({});
    pipeline_ = std::move(pipeline);
    bridge_ = std::move(bridge);
    shows_device_frames_ = false;
    shown_ = {};
    latency_.clear();
    images_.clear(number_);
    emit attached();
    if (!pipeline_) return;
    // The pipeline calls it on its own thread, and no longer after the next set_wake.
    pipeline_->set_wake([this, source = pipeline_.get()] { images_.show(source->latest(), number_); });
    if (pipeline_->latest()) images_.show(pipeline_->latest(), number_);  // it has run before
}

void FrameFeed::set_view(const ImageView& view, const OverlayOptions& overlay) {
    images_.set_view(view, number_);
    emit viewChanged(view, overlay);
}

void FrameFeed::add_presented(const std::shared_ptr<const FrameResult>& result) {
    if (!result || result == presented_.lock() || !pipeline_ || pipeline_->state() != PipelineState::running) return;
    presented_ = result;
    const auto since = std::chrono::steady_clock::now() - result->frame.info().captured;
    latency_.add(std::chrono::duration<double, std::milli>(since).count());
}

void FrameFeed::set_shows_device_frames(bool on) {
    if (shows_device_frames_ == on) return;
    shows_device_frames_ = on;
    emit pathChanged();
}

}  // namespace throng::ui
