#include "ui/video/video_node.h"

#include <QQuickWindow>
#include <optional>
#include <utility>

namespace throng::ui {

void VideoNode::set_texture(QQuickWindow& window, QSGTexture* texture, QSize size) {
    if (image_ == nullptr) {
        image_ = window.createImageNode();
        image_->setOwnsTexture(true);
        image_->setFiltering(QSGTexture::Linear);
        prependChildNode(image_);  // below the overlay
    }
    image_->setTexture(texture);
    image_->setSourceRect(QRectF(QPointF(0, 0), QSizeF(size)));
}

void VideoNode::set_image(QQuickWindow& window, const QImage& image) {
    set_texture(window, window.createTextureFromImage(image, QQuickWindow::TextureIsOpaque), image.size());
    image_->setMipmapFiltering(QSGTexture::None);
    drawn_from_device_ = false;
}

void VideoNode::set_device_frame(QQuickWindow& window, const std::shared_ptr<GlBridge>& bridge,
                                 const DisplayImage& shown, int shown_width) {
    const Frame& frame = shown.result->frame;
    std::optional<Redaction> hidden;
    if (shown.hides_faces) hidden = {regions_to_hide(*shown.result), shown.result->redact};
    // Linear filtering skips pixels below half the size: use mipmaps there.
    const bool with_mipmaps = 2 * shown_width <= frame.width();
    std::unique_ptr<DeviceTexture> fresh;
    if (!device_ || bridge_ != bridge) fresh = std::make_unique<DeviceTexture>(bridge);
    DeviceTexture& device = fresh ? *fresh : *device_;
    const QSize before = device.size();
    device.show(frame, hidden ? &*hidden : nullptr, with_mipmaps);
    if (!drawn_from_device_ || fresh || before != device.size() || has_mipmaps_ != with_mipmaps) {
        set_texture(window, device.wrapped(window, with_mipmaps), device.size());
        image_->setMipmapFiltering(with_mipmaps ? QSGTexture::Linear : QSGTexture::None);
        drawn_from_device_ = true;
        has_mipmaps_ = with_mipmaps;
    }
    if (fresh) {  // the texture node now uses the new one
        device_ = std::move(fresh);
        bridge_ = bridge;
    }
    image_->markDirty(QSGNode::DirtyMaterial);  // same texture, new content
}

void VideoNode::set_rect(const QRectF& rect) {
    if (image_ != nullptr) image_->setRect(rect);
}

void VideoNode::set_overlay(QQuickWindow& window, const OverlayPlan& plan) {
    if (overlay_ == nullptr) {
        overlay_ = new OverlayNode;  // owned by the scene graph
        appendChildNode(overlay_);
    }
    overlay_->update(plan, window);
}

}  // namespace throng::ui
