// Triangles of an overlay plan, ready for one draw call. Knows vertices, not the scene graph's nodes.
#pragma once

#include <QSGGeometry>
#include <cstdint>
#include <vector>

#include "ui/video/overlay_plan.h"

namespace throng::ui {

// Box edges are triangles, because the width of lines is not portable between graphics interfaces:
// a frame is 8 vertices and 8 triangles, a filled rectangle 4 and 2.
struct OverlayGeometry {
    std::vector<QSGGeometry::ColoredPoint2D> vertices;  // colors premultiplied by alpha
    std::vector<std::uint32_t> indices;                 // three a triangle

    void clear();
    void add_frame(const OverlayFrame& frame);
    void add_rectangle(const QRectF& rectangle, const QColor& color);
};

// The frames of the plan; its labels are another node's.
void build_geometry(const OverlayPlan& plan, OverlayGeometry& geometry);

}  // namespace throng::ui
