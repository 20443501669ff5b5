// Histograms of oriented gradients: the bins and weights of a pixel's votes, and the normalization of a block.
// N. Dalal, B. Triggs, Histograms of Oriented Gradients for Human Detection (CVPR 2005), as cv::HOGDescriptor of
// OpenCV 4 computes it with the settings of its people detector.
//
// A cell has 8x8 pixels, a block 2x2 cells; blocks and windows start at every cell. A window of 64x128 pixels has 7x15
// blocks of 36 values, and its margin is the bias plus the products of all 3780 with the weights of a linear SVM.
#pragma once

#include <cmath>

#include "core/algo/host_device.h"

namespace throng {

inline constexpr int kHogCell = 8;                    // pixels
inline constexpr int kHogBlock = 2 * kHogCell;        // pixels
inline constexpr int kHogBins = 9;                    // of 20 degrees; gradients of opposite signs are the same
inline constexpr int kHogBlockValues = 4 * kHogBins;  // (cell column * 2 + cell row) * 9 + bin
inline constexpr int kHogWindowWidth = 64;            // pixels
inline constexpr int kHogWindowHeight = 128;          // pixels
inline constexpr int kHogColumns = 7;                 // blocks of a window
inline constexpr int kHogRows = 15;                   //
inline constexpr int kHogWeights = kHogColumns * kHogRows * kHogBlockValues;

inline constexpr float kHogClip = 0.2F;                          // L2-Hys: values are clipped here and normalized again
inline constexpr float kHogBlockFloor = 0.1F * kHogBlockValues;  // added to the first norm
inline constexpr float kHogClippedFloor = 1e-3F;                 // added to the second
inline constexpr float kHogSigma = 4.0F;                         // of the Gaussian over a block, pixels

// Default margin from which a window is a detection.
inline constexpr float kHogMargin = 0.3F;

// Coefficients of the arc tangent of a ratio in [0, 1], in bins of 20 degrees: the odd polynomial of degree 7 that
// OpenCV uses. Its error is at most 0.0112 degrees.
inline constexpr float kHogBinsPerRadian = 2.8647889756541161F;  // 9 / pi
inline constexpr float kHogAtan1 = 0.9997878412794807F * kHogBinsPerRadian;
inline constexpr float kHogAtan3 = -0.3258083974640975F * kHogBinsPerRadian;
inline constexpr float kHogAtan5 = 0.1555786518463281F * kHogBinsPerRadian;
inline constexpr float kHogAtan7 = -0.04432655554792128F * kHogBinsPerRadian;
inline constexpr float kHogNoSlope = 2.2204460492503131e-16F;  // avoids 0 / 0

// Returns a * b + c. The GPU rounds once. The CPU rounds twice: one rounding would need a library call without FMA.
TH_HD float hog_fma(float a, float b, float c) {
#ifdef __CUDA_ARCH__
    return __fmaf_rn(a, b, c);
#else
    return a * b + c;
#endif
}

// Returns the unsigned orientation of a gradient, in bins from the center of bin 0: in [-0.5, 8.5]. A value v votes for
// bins floor(v) and floor(v) + 1, modulo 9, in proportion to their proximity.
// first_quadrant: the angle of (|dx|, |dy|) in bins, in [0, 4.5].
TH_HD float hog_fold(float first_quadrant, float dx, float dy) {
    const float half_turn = (dx < 0) != (dy < 0) ? static_cast<float>(kHogBins) - first_quadrant : first_quadrant;
    return half_turn - 0.5F;
}

TH_HD float hog_orientation(float dx, float dy) {
    const float ax = fabsf(dx);
    const float ay = fabsf(dy);
    const float large = ax > ay ? ax : ay;
    const float small = ax > ay ? ay : ax;
#ifdef __CUDA_ARCH__
    float inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(large + kHogNoSlope));
    const float c = small * inverse;
#else
    const float c = small / (large + kHogNoSlope);
#endif
    const float cc = c * c;
    const float near_axis = hog_fma(hog_fma(hog_fma(cc, kHogAtan7, kHogAtan5), cc, kHogAtan3), cc, kHogAtan1) * c;
    return hog_fold(ax >= ay ? near_axis : 0.5F * kHogBins - near_axis, dx, dy);
}

// Returns the same orientation, computed with the library's arc tangent.
TH_HD float hog_orientation_exact(float dx, float dy) {
    return hog_fold(atan2f(fabsf(dy), fabsf(dx)) * kHogBinsPerRadian, dx, dy);
}

// Returns the share of a vote at `orientation` that goes to a bin, in [0, 1].
TH_HD float hog_share(float orientation, float bin) {
    const float apart = fabsf(orientation - bin);
    const float other_way = static_cast<float>(kHogBins) - apart;
    const float share = 1.0F - (apart < other_way ? apart : other_way);
    return share > 0 ? share : 0;
}

// Weights of votes along one axis: the Gaussian of the block times the share of a cell. weight[c][i] is for cell c and
// pixel i of a block. A pixel's weight is the product of both axes.
struct HogSide {
    float weight[2][kHogBlock];
};

inline HogSide hog_side() {
    HogSide side{};
    for (int i = 0; i < kHogBlock; ++i) {
        const float from_center = static_cast<float>(i) - 0.5F * kHogBlock;
        const float gauss = std::exp(-from_center * from_center / (2 * kHogSigma * kHogSigma));
        const float at = (static_cast<float>(i) + 0.5F) / kHogCell - 0.5F;  // in cells, from the center of cell 0
        for (int c = 0; c < 2; ++c) {
            const float share = 1.0F - std::fabs(at - static_cast<float>(c));
            side.weight[c][i] = share > 0 ? gauss * share : 0;
        }
    }
    return side;
}

// Returns a weight along one axis for a pixel of a cell. The cell is the left or right half of a block, and the vote
// goes to cell 0 or 1 of that block: four weights per axis, use = half * 2 + cell.
inline float hog_use_weight(const HogSide& side, int use, int pixel) {
    return side.weight[use % 2][pixel + use / 2 * kHogCell];
}

}  // namespace throng
