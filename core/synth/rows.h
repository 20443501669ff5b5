// The inner loops of the drawing, with SIMD: a row of a shape over a row of an image. Every sample is computed on its
// own from IEEE operations without contraction, so that the width of the vectors does not matter.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/synth/shape.h"

namespace throng::synth {

// Rows must have this many floats to spare behind their last sample.
inline constexpr std::size_t kRowSlack = 64;

// Blends row y of a bounded shape over a row of luma.
void paint_luma_row(const Shape& shape, int y, float* row);

// The same for row y of the chroma planes. Their samples lie between two rows of luma and on the left of two columns.
void paint_chroma_row(const Shape& shape, int y, float* cb, float* cr);

// hidden[i] becomes the larger of itself and the shape's coverage at (x + i * step, y), i < count; count + kRowSlack
// floats.
void cover_samples(const Shape& shape, float x, float step, float y, int count, float* hidden);

// Adds the grain (every `period` values again, a multiple of 64), clamps to [16, high], rounds and stores bytes. `to`
// has room for `width` rounded up to 64.
void store_row(const float* from, const float* grain, int period, int width, float high, std::uint8_t* to);

}  // namespace throng::synth
