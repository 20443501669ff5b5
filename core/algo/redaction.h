// The arithmetic of hiding faces: the ellipse around a face, its soft edge, and the grid of mean colors that repositions
// the pixels. CPU and GPU share this code. Floats are computed in the order written here, without contraction;
// everything else is integer arithmetic. Results are bit-identical on both.
#pragma once

#include <cstdint>

#include "core/algo/host_device.h"

namespace throng {

inline constexpr int kRedactCells = 6;    // maximum number of cells per axis of a hidden face
inline constexpr int kRedactMinCell = 4;  // minimum size of a cell in frame pixels, so that a tiny face is hidden, too
inline constexpr int kOpaque = 256;       // opacity of a pixel that is replaced completely
inline constexpr float kRedactCore = 0.92F;  // radius of the opaque core as a share of the ellipse

// A hidden region: an ellipse in its bounding rectangle, or the whole frame. Edges are whole frame pixels, right and
// bottom excluded.
struct RedactShape {
    int left = 0, top = 0, right = 0, bottom = 0;                      // of the ellipse; may lie outside the frame
    int clip_left = 0, clip_top = 0, clip_right = 0, clip_bottom = 0;  // the same within the frame; not empty
    int cells_x = 1, cells_y = 1;                                      // the grid over the clipped rectangle
    float inverse_width = 0, inverse_height = 0;                       // 1 / (right - left), 1 / (bottom - top)
    bool is_whole = false;                                             // the whole frame: opaque everywhere
};

// A range of samples of one axis of a plane, and its division into cells.
struct RedactAxis {
    int begin = 0, end = 0;  // samples
    int cells = 1;           // at most end - begin
};

// Maps the clipped range [from, to) of frame pixels to samples of a plane with 2^shift pixels per sample.
TH_HD RedactAxis redact_axis(int from, int to, int cells, int shift) {
    const int end = (to + (1 << shift) - 1) >> shift;
    return {from >> shift, end, cells};
}

// Returns the first sample of a cell; cell == axis.cells returns the end.
TH_HD int redact_cell_begin(const RedactAxis& axis, int cell) {
    return axis.begin + cell * (axis.end - axis.begin) / axis.cells;
}

// Returns the cell of a sample, by the same division as redact_cell_begin.
TH_HD int redact_cell_of(const RedactAxis& axis, int sample) {
    return ((sample - axis.begin + 1) * axis.cells - 1) / (axis.end - axis.begin);
}

// Distance of a sample's center from the center of the ellipse along one axis, as a share of the semi-axis.
TH_HD float redact_offset(int sample, int shift, int from, int to, float inverse_size) {
    return static_cast<float>(((2 * sample + 1) << shift) - (from + to)) * inverse_size;
}

// Returns the opacity of a sample, from 0 (outside) to kOpaque, for the offsets of both axes.
TH_HD int redact_opacity(float x, float y) {
    constexpr float kSlope = kOpaque / (1.0F - kRedactCore * kRedactCore);
    const float depth = (1.0F - (x * x + y * y)) * kSlope;
    if (!(depth > 0.0F)) return 0;
    return depth >= static_cast<float>(kOpaque) ? kOpaque : static_cast<int>(depth);
}

// The three cells that determine a blurred sample on one axis, with their weights: a quadratic B-spline.
struct RedactTaps {
    int cell[3];
    int weight[3];  // their sum is 1 << kRedactTapBits
};
inline constexpr int kRedactTapBits = 17;

TH_HD RedactTaps redact_taps(const RedactAxis& axis, int sample) {
    const std::int64_t samples = axis.end - axis.begin;
    const std::int64_t position =
        (2 * std::int64_t{sample - axis.begin} + 1) * axis.cells * 128 / samples;  // 1/256 cells
    const int cell = static_cast<int>(position >> 8);
    const int part = static_cast<int>(position & 255);
    RedactTaps taps{};
    taps.cell[0] = cell > 0 ? cell - 1 : 0;
    taps.cell[1] = cell;
    taps.cell[2] = cell < axis.cells - 1 ? cell + 1 : axis.cells - 1;
    taps.weight[0] = (256 - part) * (256 - part);
    taps.weight[1] = 65536 + 2 * part * (256 - part);
    taps.weight[2] = part * part;
    return taps;
}

// Blends three cells of a column of the grid; keeps 6 fractional bits for redact_blend_row.
TH_HD int redact_blend_column(int a, int b, int c, const RedactTaps& taps) {
    return (a * taps.weight[0] + b * taps.weight[1] + c * taps.weight[2] + (1 << 10)) >> (kRedactTapBits - 6);
}

// Blends three results of redact_blend_column into a sample.
TH_HD int redact_blend_row(int a, int b, int c, const RedactTaps& taps) {
    return static_cast<int>((static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(taps.weight[0]) +
                             static_cast<std::uint32_t>(b) * static_cast<std::uint32_t>(taps.weight[1]) +
                             static_cast<std::uint32_t>(c) * static_cast<std::uint32_t>(taps.weight[2]) + (1U << 22)) >>
                            (kRedactTapBits + 6));
}

// Returns the sample after a color of this opacity was drawn over it.
TH_HD std::uint8_t redact_mix(int sample, int color, int opacity) {
    return static_cast<std::uint8_t>((sample * (kOpaque - opacity) + color * opacity + kOpaque / 2) >> 8);
}

// Returns the mean of `count` samples, rounded to the nearest.
TH_HD std::uint8_t redact_mean(std::uint64_t sum, std::uint64_t count) {
    return static_cast<std::uint8_t>((sum + count / 2) / count);
}

}  // namespace throng
