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

// Resizes the image, takes square roots, and writes magnitude and orientation of the gradient. clear: set to 0 for
// later kernels; may be null.
void launch_hog_gradient(const HogTables& tables, const HogUnits& units, const HogOptions& options,
                         const DeviceImage& image, DetectionCount* clear, StreamView stream);

// Accumulates votes into blocks. rows: rows of blocks per unit.
void launch_hog_histogram(const HogTables& tables, const HogUnits& units, const HogOptions& options, int rows,
                          StreamView stream);

// Normalizes blocks by L2-Hys.
void launch_hog_normalize(const HogTables& tables, const HogUnits& units, const HogOptions& options, StreamView stream);

// Computes the margins of all windows and reports raw detections. shared_memory: max bytes per block, as in DeviceInfo.
void launch_hog_svm(const HogTables& tables, const HogUnits& units, const HogOptions& options, const HogOutput& output,
                    std::size_t shared_memory, StreamView stream);

}  // namespace throng::gpu
