// Maps a frame and its boxes into an item: letterboxed, aspect ratio kept, aligned to device pixels.
#pragma once

#include <QPointF>
#include <QRectF>
#include <QSize>
#include <QSizeF>

#include "core/algo/box.h"

namespace throng::ui {

class ViewMapping {
public:
    ViewMapping() = default;

    // item in logical pixels, frame in pixels of the frame; device_ratio: device pixels per logical pixel. The target
    // is snapped to device pixels, so the horizontal and vertical scales may differ by a fraction of a pixel over the
    // width.
    ViewMapping(QSizeF item, QSize frame, double device_ratio = 1.0);

    [[nodiscard]] bool empty() const { return target_.isEmpty(); }
    [[nodiscard]] QRectF target() const { return target_; }      // of the whole frame, logical pixels of the item
    [[nodiscard]] QSize device_size() const { return device_; }  // of the target, device pixels

    // Maps a box from pixels of the frame to logical pixels of the item.
    [[nodiscard]] QRectF map(const Box& box) const;

private:
    QRectF target_;
    QSize device_;
    double scale_x_ = 0;
    double scale_y_ = 0;
};

}  // namespace throng::ui
