#include "ui/render/view_mapping.h"

#include <algorithm>
#include <cmath>

namespace throng::ui {

namespace {

// Returns the position of the frame's edge along one axis: centered if the frame is smaller than the item, otherwise
// without a gap between them.
double edge_of(double item, double shown, double center) {
    if (shown <= item) return std::floor((item - shown) / 2);
    return std::round(std::clamp(item / 2 - center * shown, item - shown, 0.0));
}

}  // namespace

ViewMapping::ViewMapping(QSizeF item, QSize frame, double device_ratio, const Zoom& zoom) : item_(item), frame_(frame) {
    if (item.isEmpty() || frame.isEmpty() || !(device_ratio > 0)) return;
    const double width = item.width() * device_ratio;
    const double height = item.height() * device_ratio;
    const double scale = zoom.factor * std::min(width / frame.width(), height / frame.height());
    device_ = QSize(std::max(1, static_cast<int>(std::lround(frame.width() * scale))),
                    std::max(1, static_cast<int>(std::lround(frame.height() * scale))));
    const QPointF corner(edge_of(width, device_.width(), zoom.center.x()),
                         edge_of(height, device_.height(), zoom.center.y()));
    target_ = QRectF(corner / device_ratio, QSizeF(device_) / device_ratio);
    scale_x_ = target_.width() / frame.width();
    scale_y_ = target_.height() / frame.height();
}

QRectF ViewMapping::map_part(const QRect& part) const {
    return {target_.x() + part.x() * scale_x_, target_.y() + part.y() * scale_y_, part.width() * scale_x_,
            part.height() * scale_y_};
}

QPointF ViewMapping::to_frame(QPointF point) const {
    if (empty()) return {};
    return {(point.x() - target_.x()) / scale_x_, (point.y() - target_.y()) / scale_y_};
}

QRect ViewMapping::visible_part() const {
    const QRectF shown(to_frame({0, 0}), to_frame({item_.width(), item_.height()}));
    return shown.toAlignedRect().intersected(QRect(QPoint(0, 0), frame_));
}

QRectF ViewMapping::map(const Box& box) const {
    return {target_.x() + static_cast<double>(box.x) * scale_x_, target_.y() + static_cast<double>(box.y) * scale_y_,
            static_cast<double>(box.w) * scale_x_, static_cast<double>(box.h) * scale_y_};
}

}  // namespace throng::ui
