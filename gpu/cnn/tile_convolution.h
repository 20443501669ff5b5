// Convolutions on tensor cores: a dense one whose smallest tile fits (tile_convolution_fits), or the unit of MobileNet,
// UltraFace and YOLOX: a depthwise 3 x 3 convolution, then a pointwise one. Optionally adds an upsampled map before, and
// another map after. Independent ones share a launch.
#pragma once

#include "core/algo/host_device.h"
#include "core/model/network.h"
#include "gpu/cnn/launch.h"
#include "gpu/cnn/map.h"
#include "gpu/cnn/weights.h"

namespace throng::gpu {

// The work for one map. All maps have the same precision; channels are multiples of 16, without an upper limit.
struct TileConvolution {
    Map in;
    Map up;                                                 // added to `in`, each pixel to 2 x 2 pixels; null: nothing
    DepthWeights depth;                                     // null: a dense convolution, of the kernel below
    Activation depth_activation = Activation::none;         // between the two
    PointWeights weights;                                   // a matrix per tap of the dense one
    int kernel = 1, stride = 1, padding = 0, dilation = 1;  // of the dense or of the depthwise convolution
    Activation activation = Activation::none;
    Map add;  // added after the activation, with out's shape; null: nothing
    Activation sum_activation = Activation::none;
    Map out;

    // Taps of the product, per side.
    [[nodiscard]] TH_HD int kernel_of_product() const { return depth.weights != nullptr ? 1 : kernel; }
};

inline constexpr int kMaxConvolutions = 9;  // per launch: three maps for each of three strides

// Up to kMaxConvolutions independent ones.
struct TileConvolutionLaunch {
    TileConvolution task[kMaxConvolutions];
    int first_block[kMaxConvolutions + 1] = {};  // per task, then the number of blocks
    int chunk[kMaxConvolutions] = {};            // channels in at a time
};

// Returns the largest number of channels out per block: 64, 32 or 16.
constexpr int channels_per_block(int channels_out) {
    return channels_out % 64 == 0 ? 64 : channels_out % 32 == 0 ? 32 : 16;
}

// Returns true if the smallest tile fits the shared memory that every device has.
[[nodiscard]] bool tile_convolution_fits(int kernel, int stride, int dilation);

// Chooses the tiles by the estimated time.
void launch_tile_convolutions(const TileConvolution* tasks, int count, int images, Precision precision,
                              const TileLimits& limits, const LaunchChain& chain);

}  // namespace throng::gpu
