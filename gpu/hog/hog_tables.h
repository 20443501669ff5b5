// The description of a frame's levels for the kernels of the people detector, and the addresses of their results.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/algo/hog_levels.h"
#include "core/algo/resize_linear.h"
#include "core/detect/detection_buffer.h"

namespace throng::gpu {

struct HogDeviceLevel : HogLevel {
    std::int32_t taps_x, taps_y;    // index of its first ResizeTap; -1: the frame itself
    std::int32_t cells, cell_rows;  // covered by blocks
    std::int32_t block_pitch;       // entries per row of one value, a multiple of 4
    std::int64_t pixels;            // gradients: entry of pixel (0, 0); rows of 8 * cells entries
    std::int64_t blocks;            // entry of value 0 of block (0, 0); [block row][value][block_pitch]
};

// The work unit of a block of threads: a position in a level, in the step sizes of the kernel.
struct HogUnit {
    std::int32_t level;
    std::int32_t x, y;
};

// Those of a kernel for a group of levels.
struct HogUnits {
    std::size_t first = 0;
    std::size_t count = 0;
};

// All addresses are in device memory. Value: float or half, see HogOptions::half.
struct HogTables {
    const HogDeviceLevel* levels = nullptr;
    const ResizeTap* taps = nullptr;
    const HogUnit* units = nullptr;
    void* magnitude = nullptr;      // Value [pixel]
    void* orientation = nullptr;    // Value [pixel], as hog_orientation
    float* blocks = nullptr;        // sums of votes; with floats overwritten by the normalized values
    void* values = nullptr;         // normalized: float, or pairs of half: values 2 i and 2 i + 1 in one word
    const void* weights = nullptr;  // of the SVM: [value, or pair of values][block row][block column, 8]
    float bias = 0;
    bool gamma = true;
};

// Output: a window whose margin reaches the threshold becomes a raw detection.
struct HogOutput {
    DetectionSpan raw;
    float threshold = 0;
};

}  // namespace throng::gpu
