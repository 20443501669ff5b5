#include "ui/matrix/matrix_item.h"

#include <QQuickWindow>
#include <QSGImageNode>

namespace throng::ui {

MatrixItem::MatrixItem(QQuickItem* parent) : QQuickItem(parent) {
    setFlag(ItemHasContents);
    connect(this, &MatrixItem::greedyChanged, this, &MatrixItem::refresh);
}

void MatrixItem::set_view(MatrixView* view) {
    if (view_ == view) return;
    if (view_) disconnect(view_, nullptr, this, nullptr);
    view_ = view;
    if (view_) connect(view_, &MatrixView::changed, this, &MatrixItem::refresh);
    emit viewChanged();
    refresh();
}

void MatrixItem::refresh() {
    const auto matrix = view_ ? view_->matrix() : nullptr;
    image_ = !matrix ? QImage() : greedy_ ? matrix->greedy_image : matrix->one_pass_image;
    image_changed_ = true;
    update();
}

QSGNode* MatrixItem::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
    if (image_.isNull()) {
        delete old;
        return nullptr;
    }
    auto* node = static_cast<QSGImageNode*>(old);
    const bool is_new = node == nullptr;
    if (is_new) {
        node = window()->createImageNode();
        node->setOwnsTexture(true);
    }
    if (is_new || image_changed_) {
        node->setTexture(window()->createTextureFromImage(image_, QQuickWindow::TextureIsOpaque));
        node->setSourceRect(QRectF(QPointF(0, 0), QSizeF(image_.size())));
    }
    image_changed_ = false;
    // Nearest: sharp cells if they are larger than pixels. Linear: no cell is skipped if they are smaller.
    node->setFiltering(image_.width() < width() ? QSGTexture::Nearest : QSGTexture::Linear);
    node->setRect(boundingRect());
    return node;
}

}  // namespace throng::ui
