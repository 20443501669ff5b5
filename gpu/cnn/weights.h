// Weights in the layout of the fused kernels. Addresses are in device memory; channels are padded with zeros.
#pragma once

#include "gpu/cnn/map.h"

namespace throng::gpu {

// A convolution for tensor cores, pointwise or dense: 16-bit [row][column][out][in], for fp32 followed by the remainders
// of rounding to 16 bits (tile_product.cuh). bias: 32 bits, [out].
struct PointWeights {
    const void* weights = nullptr;
    const float* bias = nullptr;
    int in = 0, out = 0;  // padded channels
    float scale = 1.0F;   // the weights, not the bias, are multiplied by this power of two
};

// A depthwise 3 x 3 convolution: [9][channels] and [channels], 32 bits.
struct DepthWeights {
    const float* weights = nullptr;
    const void* narrow = nullptr;  // the weights in 16 bits; null for fp32
    const float* bias = nullptr;
    int channels = 0;  // padded
};

// Any other convolution, 32 bits: [row][column][in or, if depthwise, 1][out] and [out].
struct PlainWeights {
    const float* weights = nullptr;
    const float* bias = nullptr;
};

}  // namespace throng::gpu
