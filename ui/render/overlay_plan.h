// Describes what is drawn over a frame. It is drawn either as triangles on the GPU (overlay_node.h) or with a painter
// for the software renderer (overlay_painter.h). All coordinates are logical pixels of the item.
#pragma once

#include <QColor>
#include <QRectF>
#include <array>
#include <vector>

#include "core/pipeline/frame_result.h"
#include "core/video/annotate.h"
#include "ui/render/view_mapping.h"

namespace throng::ui {

// Visibility and style of the overlay. The colors are those of the theme.
struct OverlayOptions {
    bool raw = true;        // raw detections, thin and light
    bool kept = true;       // kept detections, bold; tracks instead if the result has them
    bool tracks = true;     // false: kept detections even if the result has tracks
    bool labels = false;    // score and hits of kept detections, or ids of tracks
    bool landmarks = true;  // landmarks of kept detections, if the detector provides them
    QColor raw_color{kScreenRaw.red, kScreenRaw.green, kScreenRaw.blue, kScreenRaw.alpha};
    QColor kept_color{kScreenKept.red, kScreenKept.green, kScreenKept.blue, kScreenKept.alpha};
    QColor landmark_color{255, 206, 92};
    double raw_width = 1;
    double kept_width = 3;
    double label_size = 13;  // line height of the text

    friend bool operator==(const OverlayOptions&, const OverlayOptions&) = default;
};

// The edge of a box: a frame of the given width inside `outer`. Fills `outer` if the width is at least half its size (a
// dot).
struct OverlayFrame {
    QRectF outer;
    double width = 1;
    QColor color;
};

// Score and hits of a box, or the id of a track; `plate` is the background of the text.
struct OverlayLabel {
    QRectF plate;
    std::array<char, 24> text{};  // ASCII, null-terminated; 'x' precedes the hits
};

struct OverlayPlan {
    std::vector<OverlayFrame> frames;  // in drawing order
    std::vector<OverlayLabel> labels;
    QColor plate_color;
    double label_size = 0;

    void clear();
};

// Returns the width of a label's letter in logical pixels: all letters are as wide as the widest one that labels use.
[[nodiscard]] double label_letter_width(double label_size);

// Refills `plan` and reuses its memory. Edges are snapped to device pixels, so that thin edges stay sharp.
void plan_overlay(const FrameResult& result, const ViewMapping& mapping, const OverlayOptions& options,
                  double device_ratio, OverlayPlan& plan);

}  // namespace throng::ui
