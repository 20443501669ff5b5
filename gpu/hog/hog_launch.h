// Launchers of the four kernels. Other code calls HogDetector.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "core/detect/stage.h"
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

// The launch of a kernel for a group of levels.
struct HogLaunch {
    HogTables tables;
    HogUnits units;     // of the kernel
    DeviceImage image;  // for the gradient
    int histogram_rows;
    HogOutput output;           // of the SVM
    DetectionCount* clear;      // set to 0 by the gradient, for later kernels; may be null
    std::size_t shared_memory;  // max bytes per block, as in DeviceInfo
    StreamView stream;

    [[nodiscard]] const HogUnit* first_unit() const { return tables.units + units.first; }
    [[nodiscard]] unsigned blocks() const { return static_cast<unsigned>(units.count); }
};

// The kernels in their order, as stages.
inline constexpr std::array<std::string_view, 4> kHogKernels{stage::kGradient, stage::kHistogram, stage::kNormalize,
                                                             stage::kSvm};
using HogKernel = void (*)(const HogLaunch& work);

// The launchers of the four kernels.
struct HogKernels {
    // Resizes the image, takes square roots, and writes magnitude and orientation of the gradient.
    HogKernel gradient;
    // Accumulates votes into blocks.
    HogKernel histogram;
    // Normalizes blocks by L2-Hys.
    HogKernel normalize;
    // Computes the margins of all windows and reports raw detections.
    HogKernel svm;

    // Returns a launcher by its index in kHogKernels.
    [[nodiscard]] HogKernel at(std::size_t kernel) const {
        return std::array{gradient, histogram, normalize, svm}.at(kernel);
    }
};

// Returns the kernels with the switches at their defaults. Other choices: gpu/lab/hog_steps.h.
[[nodiscard]] HogKernels hog_kernels(const HogOptions& options);

}  // namespace throng::gpu
