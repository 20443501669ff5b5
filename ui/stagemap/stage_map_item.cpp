#include "ui/stagemap/stage_map_item.h"

#include <QQuickWindow>
#include <QSGImageNode>

namespace throng::ui {

StageMapItem::StageMapItem(QQuickItem* parent) : QQuickItem(parent) {
    setFlag(ItemHasContents);
}

void StageMapItem::set_view(StageMapView* view) {
    if (view_ == view) return;
    if (view_) disconnect(view_, nullptr, this, nullptr);
    view_ = view;
    if (view_) connect(view_, &StageMapView::changed, this, &QQuickItem::update);
    emit viewChanged();
    update();
}

QSGNode* StageMapItem::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
    const std::shared_ptr<const StageMapView::Map> now = view_ ? view_->map() : nullptr;
    if (!now) {
        drawn_.reset();
        delete old;
        return nullptr;
    }
    auto* node = static_cast<QSGImageNode*>(old);
    const bool is_new = node == nullptr;
    if (is_new) {
        node = window()->createImageNode();
        node->setOwnsTexture(true);
        node->setFiltering(QSGTexture::Nearest);
    }
    if (is_new || now != drawn_) {
        node->setTexture(window()->createTextureFromImage(now->image, QQuickWindow::TextureHasAlphaChannel));
        node->setSourceRect(QRectF(QPointF(0, 0), now->cells));
        drawn_ = now;
    }
    node->setRect(boundingRect());
    return node;
}

}  // namespace throng::ui
