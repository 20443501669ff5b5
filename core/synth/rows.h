// The inner loops of drawing, with SIMD: one row of a shape over one row of an image. Every sample is computed
// separately with IEEE operations without contraction, so the vector width does not affect the result.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/synth/shape.h"

namespace throng::synth {

// Rows must have this many spare floats after their last sample.
inline constexpr std::size_t kRowSlack = 64;

// Blends row y of a bounded shape over a row of luma.
void paint_luma_row(const Shape& shape, int y, float* row);

// Blends row y of the chroma planes. Their samples lie between two luma rows and on the left of two columns.
void paint_chroma_row(const Shape& shape, int y, float* cb, float* cr);

// Sets hidden[i] to the maximum of itself and the shape's coverage at (x + i * step, y), i < count. hidden has count +
// kRowSlack floats.
void cover_samples(const Shape& shape, float x, float step, float y, int count, float* hidden);

// Adds the grain (repeated after `period` values, a multiple of 64), clamps to [16, high], rounds and stores bytes.
// `to` has space for `width` rounded up to 64.
void store_row(const float* from, const float* grain, int period, int width, float high, std::uint8_t* to);

}  // namespace throng::synth
