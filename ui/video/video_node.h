// The frame's texture and, on a graphics card, the overlay above it.
#pragma once

#include <QImage>
#include <QRectF>
#include <QSGImageNode>
#include <memory>

#include "ui/video/device_texture.h"
#include "ui/video/overlay_node.h"

namespace throng::ui {

// Lives on the render thread, like every node.
class VideoNode : public QSGNode {
public:
    void set_image(QQuickWindow& window, const QImage& image);
    // A frame of device memory, shown on shown_width device pixels. Throws Error as DeviceTexture::show; the frame
    // before stays then, or where the size has changed, none.
    void set_device_frame(QQuickWindow& window, const std::shared_ptr<GlBridge>& bridge, const Frame& frame,
                          int shown_width);
    void set_rect(const QRectF& rect);
    void set_overlay(QQuickWindow& window, const OverlayPlan& plan);

private:
    void set_texture(QQuickWindow& window, QSGTexture* texture, QSize size);

    std::unique_ptr<DeviceTexture> device_;
    std::shared_ptr<GlBridge> bridge_;  // of device_
    bool drawn_from_device_ = false;    // else from an image
    bool has_mipmaps_ = false;          // the view of device_ that is drawn
    QSGImageNode* image_ = nullptr;     // the scene graph's tree owns this, which owns its texture, and the overlay
    OverlayNode* overlay_ = nullptr;
};

}  // namespace throng::ui
