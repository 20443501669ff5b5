#include "ui/render/view_mapping.h"

#include <algorithm>
#include <cmath>

namespace throng::ui {

ViewMapping::ViewMapping(QSizeF item, QSize frame, double device_ratio) {
    if (item.isEmpty() || frame.isEmpty() || !(device_ratio > 0)) return;
    const double width = item.width() * device_ratio;
    const double height = item.height() * device_ratio;
    const double scale = std::min(width / frame.width(), height / frame.height());
    device_ = QSize(std::max(1, static_cast<int>(std::lround(frame.width() * scale))),
                    std::max(1, static_cast<int>(std::lround(frame.height() * scale))));
    const QPointF corner(std::floor((width - device_.width()) / 2), std::floor((height - device_.height()) / 2));
    target_ = QRectF(corner / device_ratio, QSizeF(device_) / device_ratio);
    scale_x_ = target_.width() / frame.width();
    scale_y_ = target_.height() / frame.height();
}

QRectF ViewMapping::map(const Box& box) const {
    return {target_.x() + static_cast<double>(box.x) * scale_x_, target_.y() + static_cast<double>(box.y) * scale_y_,
            static_cast<double>(box.w) * scale_x_, static_cast<double>(box.h) * scale_y_};
}

}  // namespace throng::ui
