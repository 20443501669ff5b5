#include "ui/review/review_item.h"

#include <QPainter>
#include <algorithm>

#include "ui/render/view_mapping.h"

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
    Zoom zoom;
    if (close_up_) {
        constexpr double kSurroundings = 1;  // on each side, as a share of the face's size
        const double side = (1 + 2 * kSurroundings) * std::max(outline_.width(), outline_.height());
        const double whole = std::min(width() / image_.width(), height() / image_.height());
        zoom.factor = std::max(1.0, width() / side / whole);
        zoom.center = {outline_.center().x() / image_.width(), outline_.center().y() / image_.height()};
    }
    const ViewMapping mapping(size(), image_.size(), 1.0, zoom);
    painter->setRenderHint(QPainter::SmoothPixmapTransform);
    painter->drawImage(mapping.target(), image_);
    if (outline_.isEmpty()) return;
    painter->setPen(QPen(color_, 2));
    painter->drawRect(mapping.map({static_cast<float>(outline_.x()), static_cast<float>(outline_.y()),
                                   static_cast<float>(outline_.width()), static_cast<float>(outline_.height())}));
}

}  // namespace throng::ui
