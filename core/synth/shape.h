// The only drawing primitive: a soft-edged ellipse (or egg, rounded box, ring, part of one) with shading.
#pragma once

#include "core/synth/portable_math.h"

namespace throng::synth {

// BT.709, limited range, as stored: y 16 to 235, cb and cr 16 to 240 around 128.
struct Color {
    float y = 16;
    float cb = 128;
    float cr = 128;
};

// Converts display-referred R'G'B' in [0, 1].
[[nodiscard]] Color color_of(float r, float g, float b) noexcept;
[[nodiscard]] Color mix(Color a, Color b, float part_of_b) noexcept;
// Scales the brightness and with it the saturation.
[[nodiscard]] Color lit(Color c, float light) noexcept;

// A point in pixels relative to the center is mapped to (u, v) with |(u, v)| = 1 on the outline. From (u, v) follows q,
// which is 1 on the outline and 0 at the center. Coverage falls smoothly from 1 to 0 around q = 1, over a range of 1 /
// edge.
struct Shape {
    float cx = 0, cy = 0;  // center, pixels; the first pixel's center is at 0.5
    float ux = 1, uy = 0;  // u = ux dx + uy dy
    float vx = 0, vy = 1;  // v = vx dx + vy dy
    float top = 1;         // factor for v above the center: an egg
    float bend = 0;        // v is measured from the parabola v = bend u^2: an arc
    float square = 0;      // 0: q = u^2 + v^2; 1: q = u^4 + v^4, nearly a box; intermediate values blend both
    bool box = false;      // a rectangle instead: q = max(u^2, v^2)
    float edge = 8;
    float opacity = 1;
    float ring = 0;     // > 0: only the region |q - 1| < ring
    bool cuts = false;  // only the region v > cut + cut_bend u^2, with a soft edge over a range of 1 / cut_edge
    float cut = 0, cut_bend = 0, cut_edge = 1;
    Color color;
    float shade_u = 0, shade_v = 0, shade_q = 0;  // brightness added: shade_u u + shade_v v + shade_q q
    bool solid = false;                  // hides shapes behind it when the visible fraction of a face is measured
    int x0 = 0, y0 = 0, x1 = 0, y1 = 0;  // bounds in pixels: [x0, x1) by [y0, y1), set by bound()

    // Sets half-axes a and b in pixels, rotated by r. edge_pixels is the width of the soft edge.
    void set_ellipse(float center_x, float center_y, float a, float b, Rotation r, float edge_pixels) noexcept;
    // Keeps only the region below the line v = line + rise u^2, with an edge of this width in v.
    void cut_above(float line, float rise, float width) noexcept {
        cuts = true;
        cut = line;
        cut_bend = rise;
        cut_edge = 1.0F / width;
    }
    // Sets x0 to y1, clipped to an image of width x height.
    void bound(int width, int height) noexcept;
};

}  // namespace throng::synth
