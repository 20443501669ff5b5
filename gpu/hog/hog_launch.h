// Launchers of the four kernels. Other code calls HogDetector.
#pragma once

#include <cstddef>

#include "gpu/frame/device_image.h"
#include "gpu/hog/hog_options.h"
#include "gpu/hog/hog_tables.h"
#include "gpu/runtime/check.h"

namespace throng::gpu {

// Step sizes of the work units of each kernel.
inline constexpr int kGradientWidth = 64;  // pixels
inline constexpr int kGradientRows = 16;   // pixels; 4 with one pixel per thread
inline constexpr int kGradientRowsOfOne = 4;
inline constexpr int kHistogramColumns = 31;  // blocks: a warp has 32 columns of cells
inline constexpr int kNormalizeColumns = 32;  // blocks
inline constexpr int kNormalizeRows = 4;
inline constexpr int kSvmColumns = 16;  // windows
inline constexpr int kSvmRows = 8;

// The launchers of the four kernels.
struct HogKernels {
    // Resizes the image, takes square roots, and writes magnitude and orientation of the gradient. clear: set to 0 for
    // later kernels; may be null.
    void (*gradient)(const HogTables& tables, const HogUnits& units, const DeviceImage& image, DetectionCount* clear,
                     StreamView stream);
    // Accumulates votes into blocks. rows: rows of blocks per unit.
    void (*histogram)(const HogTables& tables, const HogUnits& units, int rows, StreamView stream);
    // Normalizes blocks by L2-Hys.
    void (*normalize)(const HogTables& tables, const HogUnits& units, StreamView stream);
    // Computes the margins of all windows and reports raw detections. shared_memory: max bytes per block, as in
    // DeviceInfo.
    void (*svm)(const HogTables& tables, const HogUnits& units, const HogOutput& output, std::size_t shared_memory,
                StreamView stream);
};

// Returns the kernels with the switches at their defaults. Other choices: gpu/lab/hog_steps.h.
[[nodiscard]] HogKernels hog_kernels(const HogOptions& options);

}  // namespace throng::gpu
