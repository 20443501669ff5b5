// The steps of the people detector on the CPU, with SIMD; the instruction set is chosen at run time. core/algo/hog.h
// defines the results. Float rows have kHogSlack readable and writable entries past their end.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/algo/hog.h"

namespace throng {

inline constexpr int kHogSlack = 64;
inline constexpr int kHogUses = 16;  // per vote of a pixel: (use down) * 4 + (use across), see hog_use_weight

// Votes of a row of pixels: `first` goes to bin first_bin / kHogUses, `second` to the next one.
struct HogVotes {
    float* first;
    float* second;
    std::int32_t* first_bin;   // bin * kHogUses
    std::int32_t* second_bin;  // bin * kHogUses
};

// Converts pixels to float, with gamma to their square roots. out[-1] and out[width] mirror the pixels next to the
// edge.
void hog_gamma_row(const std::uint8_t* row, int width, bool gamma, float* out);

// above, here and below are rows as hog_gamma_row writes them; width is a multiple of 8.
void hog_gradient_row(const float* above, const float* here, const float* below, int width, const HogVotes& out);

// weights[pixel of the cell, row by row][kHogUses]
struct HogCellWeights {
    alignas(64) float weight[kHogCell * kHogCell][kHogUses];
};

// Accumulates the votes of one row of cells. rows: of 8 rows of pixels. out[(bin * kHogUses + use) * pitch + cell].
void hog_vote_cells(const HogVotes* rows, const HogCellWeights& weights, int cells, float* out, std::ptrdiff_t pitch);

// Adds up a row of blocks, not normalized, from the two adjacent rows of cells that it covers. cells: pitch cell_pitch;
// out[value * pitch + block]: kHogBlockValues planes.
void hog_gather_blocks(const float* upper_cells, const float* lower_cells, std::ptrdiff_t cell_pitch, int blocks,
                       float* out, std::ptrdiff_t pitch);

// Normalizes each block by L2-Hys, in place.
void hog_normalize_blocks(int blocks, float* values, std::ptrdiff_t pitch);

// Computes the margins of a row of windows. blocks: of the first row of blocks; its next row lies kHogBlockValues *
// pitch further. weights[block row][value][block column].
void hog_margins(const float* blocks, std::ptrdiff_t pitch, const float* weights, float bias, int windows, float* out);

}  // namespace throng
