// Builds the triangles of an overlay plan for one draw call. Independent of the scene graph's nodes.
#pragma once

#include <QSGGeometry>
#include <cstdint>
#include <vector>

#include "ui/render/overlay_plan.h"

namespace throng::ui {

// Box edges are triangles, because wide lines are not portable between graphics APIs. A frame has 8 vertices and 8
// triangles, a filled rectangle 4 and 2.
struct OverlayGeometry {
    std::vector<QSGGeometry::ColoredPoint2D> vertices;  // colors premultiplied by alpha
    std::vector<std::uint32_t> indices;                 // three per triangle

    void clear();
    void add_frame(const OverlayFrame& frame);
    void add_rectangle(const QRectF& rectangle, const QColor& color);
};

// Builds the geometry of the plan's frames. The labels are drawn by another node.
void build_geometry(const OverlayPlan& plan, OverlayGeometry& geometry);

}  // namespace throng::ui
