// Launchers of the pyramid's kernels; other code calls Pyramid.
#pragma once

#include <cstdint>

#include "core/algo/resize_linear.h"
#include "gpu/frame/candidate_mask.h"
#include "gpu/frame/device_image.h"
#include "gpu/frame/pyramid.h"

namespace throng::gpu {

inline constexpr int kStripColumns = 32;  // columns or diagonals per block

// Device addresses of the tables of all levels.
struct PyramidTables {
    const PyramidLevel* levels = nullptr;
    const std::int32_t* row_level = nullptr;    // [row] level of the row
    const std::int32_t* strip_level = nullptr;  // [strip]
    const std::int32_t* slant_level = nullptr;  // [strip of diagonals]
    const ResizeTap* taps = nullptr;
    std::uint32_t* entries = nullptr;
    std::int64_t squares = 0, tilted = 0;  // 0: no such plane
    std::int32_t pitch = 0;
};

void launch_resize_rows(const PyramidTables& tables, const DeviceImage& frame, const CandidateMask& mask, int first_row,
                        int end_row, const ClearWords& clear, StreamView stream);

// planes: 1 for sums only, 2 for sums and squares. Strips of the mask have sums only.
void launch_sum_columns(const PyramidTables& tables, int first_strip, int end_strip, int planes, StreamView stream);

// Two launches; call after launch_sum_columns for the same levels.
void launch_tilted_sums(const PyramidTables& tables, int first_slant, int end_slant, StreamView stream);

}  // namespace throng::gpu
