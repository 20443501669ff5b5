// Scene graph node of the frame's texture and, with a GPU renderer, the overlay.
#pragma once

#include <QImage>
#include <QRectF>
#include <QSGImageNode>
#include <memory>

#include "ui/render/display_image.h"
#include "ui/video/device_texture.h"
#include "ui/video/overlay_node.h"

namespace throng::ui {

// Lives on the render thread, as all nodes do.
class VideoNode : public QSGNode {
public:
    void set_image(QQuickWindow& window, const QImage& image);
    // Shows the frame of `shown` from device memory, with faces hidden if it says so, scaled to shown_width device
    // pixels. Throws Error as DeviceTexture::show. After an error the previous frame is kept, or none if the size has
    // changed.
    void set_device_frame(QQuickWindow& window, const std::shared_ptr<GlBridge>& bridge, const DisplayImage& shown,
                          int shown_width);
    void set_rect(const QRectF& rect);
    void set_overlay(QQuickWindow& window, const OverlayPlan& plan);

private:
    void set_texture(QQuickWindow& window, QSGTexture* texture, QSize size);

    std::unique_ptr<DeviceTexture> device_;
    std::shared_ptr<GlBridge> bridge_;  // of device_
    bool drawn_from_device_ = false;    // otherwise from an image
    bool has_mipmaps_ = false;          // of the texture that is drawn from device_
    QSGImageNode* image_ = nullptr;     // owned by the scene graph, as is overlay_; owns its texture
    OverlayNode* overlay_ = nullptr;
};

}  // namespace throng::ui
