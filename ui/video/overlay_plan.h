// What is drawn over a frame, worked out once and drawn by one of two ways: triangles for a graphics card
// (overlay_node.h), a painter for the software renderer (overlay_painter.h). Everything in logical pixels of the item.
#pragma once

#include <QColor>
#include <QRectF>
#include <array>
#include <vector>

#include "core/pipeline/frame_result.h"
#include "ui/video/view_mapping.h"

namespace throng::ui {

// What to show and how. Colors come from the theme.
struct OverlayOptions {
    bool raw = true;        // raw detections, thin and light
    bool kept = true;       // kept detections, bold
    bool labels = false;    // score and hits of the kept ones
    bool landmarks = true;  // points of the kept ones, where the detector gives any
    QColor raw_color{255, 255, 255, 90};
    QColor kept_color{45, 212, 191};
    QColor landmark_color{255, 206, 92};
    double raw_width = 1;
    double kept_width = 3;
    double label_size = 13;  // height of the letters' line

    friend bool operator==(const OverlayOptions&, const OverlayOptions&) = default;
};

// The edge of a box: a frame of the given width that lies inside `outer`, which it fills where it is as wide as that (a
// dot).
struct OverlayFrame {
    QRectF outer;
    double width = 1;
    QColor color;
};

// Score and hits of a box; `plate` is the ground behind the text.
struct OverlayLabel {
    QRectF plate;
    std::array<char, 24> text{};  // ASCII, ends with 0; 'x' stands before the hits
};

struct OverlayPlan {
    std::vector<OverlayFrame> frames;  // in the order of drawing
    std::vector<OverlayLabel> labels;
    QColor plate_color;
    double label_size = 0;

    void clear();
};

// Width of a label's text in logical pixels: every letter is as wide as the widest one that labels use.
[[nodiscard]] double label_letter_width(double label_size);

// Refills `plan`, whose memory is reused. Edges are snapped to device pixels, so that thin ones stay sharp.
void plan_overlay(const FrameResult& result, const ViewMapping& mapping, const OverlayOptions& options,
                  double device_ratio, OverlayPlan& plan);

}  // namespace throng::ui
