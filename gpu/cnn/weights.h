// Weights as the fused kernels read them. Addresses of device memory; channels padded with zeros.
#pragma once

#include "gpu/cnn/map.h"

namespace throng::gpu {

// A pointwise convolution for the tensor cores: 16-bit [out][in], and for fp32 behind it what rounding to 16 bits has
// left (tile_product.cuh). bias: 32 bits, [out].
struct PointWeights {
    const void* weights = nullptr;
    const float* bias = nullptr;
    int in = 0, out = 0;  // padded channels
};

// A depthwise convolution of 3 x 3: [9][channels] and [channels], 32 bits.
struct DepthWeights {
    const float* weights = nullptr;
    const float* bias = nullptr;
    int channels = 0;  // padded
};

// Any other convolution, 32 bits: [row][column][in or, if depthwise, 1][out] and [out].
struct PlainWeights {
    const float* weights = nullptr;
    const float* bias = nullptr;
};

}  // namespace throng::gpu
