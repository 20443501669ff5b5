// The kernels of gpu/redact.
#pragma once

#include <cstddef>

#include "core/redact/redact.h"
#include "gpu/runtime/check.h"

namespace throng::gpu {

inline constexpr int kRedactChannels = 4;
inline constexpr std::size_t kRedactSums = std::size_t{kRedactCells} * kRedactCells * kRedactChannels;

// Adds the samples of each cell of d_shapes[0 .. num_shapes) to d_sums[plane][shape][row][column][channel], which must
// be zero. max_cell: pixels of the largest cell, to spread it over several blocks.
void enqueue_redact_sums(const RedactImage& image, const RedactShape* d_shapes, int num_shapes, std::int64_t max_cell,
                         unsigned long long* d_sums, StreamView stream);

// Draws all shapes from the means of their cells.
void enqueue_redact_draw(const RedactImage& image, const RedactShape* d_shapes, int num_shapes, RedactStyle style,
                         const unsigned long long* d_sums, StreamView stream);

}  // namespace throng::gpu
