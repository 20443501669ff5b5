// Carries results from a pipeline to the window's thread, each with the image that its view shows.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <memory>

#include "core/base/rolling.h"
#include "core/detect/gl_bridge.h"
#include "core/pipeline/pipeline.h"
#include "ui/render/image_thread.h"

namespace throng::ui {

// The image is made before the window's thread hears of the result, so a frame costs that thread one event: figures,
// plot and texture are updated together. Results that arrive meanwhile are skipped. Lives on the window's thread.
class FrameFeed : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to a source")

public:
    // images makes those of this object as its view of that number, and outlives it.
    FrameFeed(ImageThread& images, std::size_t number, QObject* parent = nullptr);
    ~FrameFeed() override;

    // Delivers the results of this pipeline from now on; null: no results, and shown() becomes empty. bridge: copies
    // frames from the backend's device into the window's textures; null if the backend has none.
    void attach(std::shared_ptr<Pipeline> pipeline, std::shared_ptr<GlBridge> bridge = nullptr);

    // Sets the properties of the images, which one item draws. Makes the image of the newest result again if they have
    // changed. Without a call, results arrive without images. overlay: what is drawn over them, wherever that is done.
    void set_view(const ImageView& view, const OverlayOptions& overlay = {});

    // Adds the time from capture to screen of a result that has been presented, once per result.
    void add_presented(const std::shared_ptr<const FrameResult>& result);
    [[nodiscard]] double latency() const { return latency_.summary().p50; }  // of the last ones, in ms; 0: unknown

    // The newest result that has arrived and its image. Both are null before the first one.
    [[nodiscard]] const DisplayImage& shown() const { return shown_; }
    [[nodiscard]] const std::shared_ptr<GlBridge>& gl_bridge() const { return bridge_; }

    // on: the view draws frames directly from device memory. Otherwise frames are copied to the host.
    void set_shows_device_frames(bool on);
    [[nodiscard]] bool shows_device_frames() const { return shows_device_frames_; }

signals:
    void attached();     // to another pipeline, or to none: gl_bridge() and shown() have changed
    void delivered();    // a result, an image, or a change of the pipeline's state
    void pathChanged();  // shows_device_frames() has changed
    void viewChanged(const throng::ui::ImageView& view, const throng::ui::OverlayOptions& overlay);

private:
    ImageThread& images_;
    const std::size_t number_;
    std::shared_ptr<Pipeline> pipeline_;
    std::shared_ptr<GlBridge> bridge_;
    bool shows_device_frames_ = false;
    DisplayImage shown_;
    RollingStatistics latency_{60};
    std::weak_ptr<const FrameResult> presented_;  // weak: a decoder has few device surfaces
};

}  // namespace throng::ui
