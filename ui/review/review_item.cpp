#include "ui/review/review_item.h"

#include <QPainter>
#include <algorithm>

namespace throng::ui {

void ReviewItem::set_review(Review* review) {
    if (review_ == review) return;
    if (review_) disconnect(review_, nullptr, this, nullptr);
    review_ = review;
    if (review_) {
        connect(review_, &Review::frameChanged, this, &ReviewItem::refresh);
        connect(review_, &Review::currentChanged, this, &ReviewItem::refresh);
    }
    emit reviewChanged();
    refresh();
}

void ReviewItem::refresh() {
    image_ = review_ ? review_->image() : QImage();
    outline_ = review_ ? review_->outline() : QRectF();
    update();
}

void ReviewItem::paint(QPainter* painter) {
    if (image_.isNull() || (close_up_ && outline_.isEmpty())) return;
    QRectF part(image_.rect());
    if (close_up_) {
        constexpr double kSurroundings = 1;  // on each side, as a share of the face's size
        const double side = (1 + 2 * kSurroundings) * std::max(outline_.width(), outline_.height());
        part = QRectF(0, 0, side, side * height() / width());
        part.moveCenter(outline_.center());
    }
    const QSizeF shown = part.size().scaled(size(), Qt::KeepAspectRatio);
    const QRectF target(QPointF((width() - shown.width()) / 2, (height() - shown.height()) / 2), shown);
    painter->setRenderHint(QPainter::SmoothPixmapTransform);
    painter->drawImage(target, image_, part);
    if (outline_.isEmpty()) return;
    const double ratio = shown.width() / part.width();
    painter->setPen(QPen(color_, 2));
    painter->drawRect(
        QRectF(target.topLeft() + (outline_.topLeft() - part.topLeft()) * ratio, outline_.size() * ratio));
}

}  // namespace throng::ui
