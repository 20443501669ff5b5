#include "ui/compare/compare_item.h"

#include <QQuickWindow>
#include <QSGImageNode>
#include <utility>

namespace throng::ui {
namespace {

// Shows the part of an image that is inside `side`.
void set_part(QSGImageNode& node, const QSize& image, const QRectF& target, const QRectF& side) {
    const QRectF rect = target.intersected(side);
    const double x = image.width() / target.width(), y = image.height() / target.height();
    const QPointF corner = rect.topLeft() - target.topLeft();
    node.setRect(rect);
    node.setSourceRect(QRectF(corner.x() * x, corner.y() * y, rect.width() * x, rect.height() * y));
}

struct CompareNode : QSGNode {
    QSGImageNode* left = nullptr;
    QSGImageNode* right = nullptr;
};

}  // namespace

CompareItem::CompareItem(QQuickItem* parent) : QQuickItem(parent) {
    setFlag(ItemHasContents);
}

void CompareItem::set_view(CompareView* view) {
    if (view_ == view) return;
    if (view_) disconnect(view_, nullptr, this, nullptr);
    view_ = view;
    if (view_) connect(view_, &CompareView::changed, this, &CompareItem::refresh);
    emit viewChanged();
    refresh();
}

void CompareItem::set_divider(double x) {
    if (divider_ == x) return;
    divider_ = x;
    emit dividerChanged();
    update();
}

void CompareItem::refresh() {
    pair_ = view_ ? view_->pair() : nullptr;
    pair_changed_ = true;
    update();
}

QSGNode* CompareItem::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
    if (!pair_ || pair_->target.isEmpty()) {
        delete old;
        return nullptr;
    }
    auto* node = static_cast<CompareNode*>(old);
    const bool is_new = node == nullptr;
    if (is_new) {
        node = new CompareNode;  // the scene graph owns it
        for (QSGImageNode** side : {&node->left, &node->right}) {
            *side = window()->createImageNode();
            (*side)->setOwnsTexture(true);
            (*side)->setFiltering(QSGTexture::Linear);
            node->appendChildNode(*side);
        }
    }
    if (std::exchange(pair_changed_, false) || is_new) {
        const auto texture = [this](const QImage& image) {
            return window()->createTextureFromImage(image, QQuickWindow::TextureIsOpaque);
        };
        node->left->setTexture(texture(pair_->left_image));
        node->right->setTexture(texture(pair_->right_image));
    }
    const QRectF item = boundingRect();
    set_part(*node->left, pair_->left_image.size(), pair_->target, QRectF(0, 0, divider_, item.height()));
    set_part(*node->right, pair_->right_image.size(), pair_->target,
             QRectF(divider_, 0, item.width() - divider_, item.height()));
    return node;
}

}  // namespace throng::ui
