#include "ui/views/image_item.h"

#include <QQuickWindow>
#include <QSGImageNode>
#include <utility>

namespace throng::ui {

ImageItem::ImageItem(QQuickItem* parent) : QQuickItem(parent) {
    setFlag(ItemHasContents);
    connect(this, &ImageItem::imageChanged, this, [this] {
        image_changed_ = true;
        update();
    });
    connect(this, &ImageItem::partChanged, this, &QQuickItem::update);
}

QSGNode* ImageItem::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
    const auto image = image_.value<QImage>();
    if (image.isNull()) {
        delete old;
        return nullptr;
    }
    auto* node = static_cast<QSGImageNode*>(old);
    const bool is_new = node == nullptr;
    if (is_new) {
        node = window()->createImageNode();
        node->setOwnsTexture(true);
    }
    if (std::exchange(image_changed_, false) || is_new) {
        const bool opaque = !image.hasAlphaChannel();
        node->setTexture(window()->createTextureFromImage(
            image, opaque ? QQuickWindow::TextureIsOpaque : QQuickWindow::TextureHasAlphaChannel));
    }
    node->setSourceRect(QRectF(QPointF(0, 0), part_.isEmpty() ? QSizeF(image.size()) : part_));
    node->setFiltering(cells_ && image.width() < width() ? QSGTexture::Nearest : QSGTexture::Linear);
    node->setRect(boundingRect());
    return node;
}

}  // namespace throng::ui
