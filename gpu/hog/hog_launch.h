// Launchers of the four kernels. HogDetector is what others call.
#pragma once

#include <cstddef>

#include "gpu/frame/device_image.h"
#include "gpu/hog/hog_options.h"
#include "gpu/hog/hog_tables.h"
#include "gpu/runtime/check.h"

namespace throng::gpu {

// Steps of the units of each kernel.
inline constexpr int kGradientWidth = 64;  // pixels
inline constexpr int kGradientRows = 16;   // pixels; with one a thread 4
inline constexpr int kGradientRowsOfOne = 4;
inline constexpr int kHistogramColumns = 31;  // blocks: a warp has 32 columns of cells
inline constexpr int kNormalizeColumns = 32;  // blocks
inline constexpr int kNormalizeRows = 4;
inline constexpr int kSvmColumns = 16;  // windows
inline constexpr int kSvmRows = 8;

// Resizes the image, takes square roots, and writes magnitude and orientation of the gradient. clear: set to 0 for
// the kernels after it; may be null.
void launch_hog_gradient(const HogTables& tables, const HogUnits& units, const HogOptions& options,
                         const DeviceImage& image, DetectionCount* clear, StreamView stream);

// Votes to blocks. rows: of blocks, of a unit.
void launch_hog_histogram(const HogTables& tables, const HogUnits& units, const HogOptions& options, int rows,
                          StreamView stream);

// L2-Hys.
void launch_hog_normalize(const HogTables& tables, const HogUnits& units, const HogOptions& options, StreamView stream);

// Margins of all windows to raw detections. shared_memory: bytes that a block may have, as in DeviceInfo.
void launch_hog_svm(const HogTables& tables, const HogUnits& units, const HogOptions& options, const HogOutput& output,
                    std::size_t shared_memory, StreamView stream);

}  // namespace throng::gpu
