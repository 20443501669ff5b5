// Maps a frame and its boxes into an item: letterboxed, aspect ratio kept, aligned to device pixels.
#pragma once

#include <QPointF>
#include <QRect>
#include <QRectF>
#include <QSize>
#include <QSizeF>

#include "core/algo/box.h"

namespace throng::ui {

// Magnification of the frame. center is the point of the frame in the middle of the item, relative to its size; it is
// moved if the item would show more than the frame on one side.
struct Zoom {
    double factor = 1;  // 1: the whole frame fits into the item
    QPointF center{0.5, 0.5};

    friend bool operator==(const Zoom&, const Zoom&) = default;
};

class ViewMapping {
public:
    ViewMapping() = default;

    // item in logical pixels, frame in pixels of the frame; device_ratio: device pixels per logical pixel. The target
    // is snapped to device pixels, so the horizontal and vertical scales may differ by a fraction of a pixel over the
    // width.
    ViewMapping(QSizeF item, QSize frame, double device_ratio = 1.0, const Zoom& zoom = {});

    [[nodiscard]] bool empty() const { return target_.isEmpty(); }
    [[nodiscard]] QRectF target() const { return target_; }      // of the whole frame, logical pixels of the item
    [[nodiscard]] QSize device_size() const { return device_; }  // of the target, device pixels

    // Maps from pixels of the frame to logical pixels of the item, and back.
    [[nodiscard]] QRectF map(const Box& box) const;
    [[nodiscard]] QRectF map_part(const QRect& part) const;
    [[nodiscard]] QPointF to_frame(QPointF point) const;

    // Returns the part of the frame, in whole pixels, that the item shows.
    [[nodiscard]] QRect visible_part() const;

private:
    QSizeF item_;
    QSize frame_;
    QRectF target_;
    QSize device_;
    double scale_x_ = 0;
    double scale_y_ = 0;
};

}  // namespace throng::ui
