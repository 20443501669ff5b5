#include "ui/session/frame_feed.h"

#include <utility>

#include "ui/base/post.h"

namespace throng::ui {

FrameFeed::FrameFeed(QObject* parent)
    : QObject(parent), images_([this](DisplayImage image) { receive(std::move(image)); }) {}

FrameFeed::~FrameFeed() {
    if (pipeline_) pipeline_->set_wake({});
}

void FrameFeed::attach(std::shared_ptr<Pipeline> pipeline, std::shared_ptr<GlBridge> bridge) {
    if (pipeline_) pipeline_->set_wake({});
    pipeline_ = std::move(pipeline);
    bridge_ = std::move(bridge);
    shows_device_frames_ = false;
    ++run_;
    shown_ = {};
    images_.clear();
    emit attached();
    if (!pipeline_) return;
    // The pipeline calls it on its own thread, and no longer after the next set_wake.
    pipeline_->set_wake([this, run = run_, source = pipeline_.get()] { images_.show(source->latest(), run); });
}

void FrameFeed::set_shows_device_frames(bool on) {
    if (shows_device_frames_ == on) return;
    shows_device_frames_ = on;
    emit pathChanged();
}

void FrameFeed::receive(DisplayImage image) {
    newest_.push(std::move(image));
    if (!posted_.exchange(true)) post(this, [this] { deliver(); });
}

void FrameFeed::deliver() {
    posted_ = false;
    DisplayImage image;
    // None: the previous call has delivered an image that arrived after it had reset posted_.
    if (!newest_.try_pop(image)) return;
    if (image.run != run_ || !pipeline_) return;
    shown_ = std::move(image);
    emit delivered();
}

}  // namespace throng::ui
