// Carries results from the pipeline to the window's thread, each with the image that the view shows.
#pragma once

#include <QObject>
#include <memory>

#include "core/detect/gl_bridge.h"
#include "core/pipeline/pipeline.h"
#include "ui/render/image_thread.h"

namespace throng::ui {

// The image is made before the window's thread hears of the result, so a frame costs that thread one event: figures,
// plot and texture are updated together. Results that arrive meanwhile are skipped. Lives on the window's thread.
class FrameFeed : public QObject {
    Q_OBJECT

public:
    explicit FrameFeed(QObject* parent = nullptr);
    ~FrameFeed() override;

    // Delivers the results of this pipeline from now on; null: no results, and shown() becomes empty. bridge: copies
    // frames from the backend's device into the window's textures; null if the backend has none.
    void attach(std::shared_ptr<Pipeline> pipeline, std::shared_ptr<GlBridge> bridge);

    // Sets the properties of the images, which one view draws. Makes the image of the newest result again if they have
    // changed. Without a call, results arrive without images.
    void set_view(const ImageView& view) { images_.set_view(view); }

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

private:
    std::shared_ptr<Pipeline> pipeline_;
    std::shared_ptr<GlBridge> bridge_;
    bool shows_device_frames_ = false;
    DisplayImage shown_;
    ImageThread images_;  // last: its thread uses the pipeline
};

}  // namespace throng::ui
