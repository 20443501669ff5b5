#include "ui/session/frame_feed.h"

#include <utility>

namespace throng::ui {

FrameFeed::FrameFeed(QObject* parent)
    : QObject(parent), images_(this, 1, [this](std::size_t, DisplayImage image) {
          if (!pipeline_) return;
          shown_ = std::move(image);
          emit delivered();
      }) {}

FrameFeed::~FrameFeed() {
    if (pipeline_) pipeline_->set_wake({});
}

void FrameFeed::attach(std::shared_ptr<Pipeline> pipeline, std::shared_ptr<GlBridge> bridge) {
    if (pipeline_) pipeline_->set_wake({});
    pipeline_ = std::move(pipeline);
    bridge_ = std::move(bridge);
    shows_device_frames_ = false;
    shown_ = {};
    images_.clear();
    emit attached();
    if (!pipeline_) return;
    // The pipeline calls it on its own thread, and no longer after the next set_wake.
    pipeline_->set_wake([this, source = pipeline_.get()] { images_.show(source->latest()); });
}

void FrameFeed::set_shows_device_frames(bool on) {
    if (shows_device_frames_ == on) return;
    shows_device_frames_ = on;
    emit pathChanged();
}

}  // namespace throng::ui
