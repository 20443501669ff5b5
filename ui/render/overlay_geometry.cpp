#include "ui/render/overlay_geometry.h"

namespace throng::ui {
namespace {

struct Premultiplied {
    uchar r, g, b, a;
};

Premultiplied premultiplied(const QColor& color) {
    const int a = color.alpha();
    const auto channel = [a](int value) { return static_cast<uchar>((value * a + 127) / 255); };
    return {channel(color.red()), channel(color.green()), channel(color.blue()), static_cast<uchar>(a)};
}

// Adds the corners clockwise from the upper left.
void add_corners(std::vector<QSGGeometry::ColoredPoint2D>& vertices, const QRectF& r, Premultiplied c) {
    const auto add = [&](double x, double y) {
        QSGGeometry::ColoredPoint2D point{};
        point.set(static_cast<float>(x), static_cast<float>(y), c.r, c.g, c.b, c.a);
        vertices.push_back(point);
    };
    add(r.left(), r.top());
    add(r.right(), r.top());
    add(r.right(), r.bottom());
    add(r.left(), r.bottom());
}

}  // namespace

void OverlayGeometry::clear() {
    vertices.clear();
    indices.clear();
}

void OverlayGeometry::add_frame(const OverlayFrame& frame) {
    const double w = frame.width;
    if (frame.outer.width() <= 2 * w || frame.outer.height() <= 2 * w) {  // no interior left
        add_rectangle(frame.outer, frame.color);
        return;
    }
    const auto first = static_cast<std::uint32_t>(vertices.size());
    const Premultiplied color = premultiplied(frame.color);
    add_corners(vertices, frame.outer, color);
    add_corners(vertices, frame.outer.adjusted(w, w, -w, -w), color);
    for (std::uint32_t side = 0; side < 4; ++side) {  // outer corners 0 to 3, inner 4 to 7
        const std::uint32_t next = (side + 1) % 4;
        for (const std::uint32_t corner : {side, next, next + 4, side, next + 4, side + 4}) {
            indices.push_back(first + corner);
        }
    }
}

void OverlayGeometry::add_rectangle(const QRectF& rectangle, const QColor& color) {
    const auto first = static_cast<std::uint32_t>(vertices.size());
    add_corners(vertices, rectangle, premultiplied(color));
    for (const std::uint32_t corner : {0U, 1U, 2U, 0U, 2U, 3U}) indices.push_back(first + corner);
}

void build_geometry(const OverlayPlan& plan, OverlayGeometry& geometry) {
    geometry.clear();
    for (const OverlayFrame& frame : plan.frames) geometry.add_frame(frame);
}

}  // namespace throng::ui
