// A step: the work of one kernel on one map, a layer or several that are fused. From compute capability 9.0 on a kernel may
// start while the previous one finishes, and load its weights meanwhile (gpu/runtime/launch.cuh).
#pragma once

#include "core/model/network.h"
#include "gpu/cnn/map.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {

class LaunchChain;

// Weights are in device memory; channels are padded with zeros.
//
// A convolution for tensor cores, pointwise or dense: 16-bit [row][column][out][in], for fp32 followed by the remainders
// of rounding to 16 bits (tile_product.cuh). bias: 32 bits, [out].
struct PointWeights {
    const void* weights = nullptr;
    const float* bias = nullptr;
    int in = 0, out = 0;  // padded channels
    float scale = 1.0F;   // the weights, not the bias, are multiplied by this power of two
};

// Any other convolution: 32 bits, [row][column][in or, if depthwise, 1][out] and [out].
struct PlainWeights {
    const float* weights = nullptr;
    const void* narrow = nullptr;  // the weights of a depthwise one in 16 bits; null for fp32
    const float* bias = nullptr;
    int channels = 0;  // out, padded
};

// Each is described in the header of its launcher.
enum class StepKind : std::uint8_t { stem, point_depth, tile_convolution, convolution, pool, sum };

// A step of any size.
struct StepParams {
    StepKind kind = StepKind::convolution;
    PointWeights stem;
    PointWeights point;                              // stem: null without the unit
    PlainWeights depth;                              // of units; null for a dense convolution
    PlainWeights plain;                              // convolution
    bool depthwise = false;                          // convolution: channel c of out depends only on channel c of in
    Activation first_activation = Activation::none;  // stem, tile_convolution: of the first of several convolutions
    Activation activation = Activation::none;        // of the last convolution, pool or sum
    Activation sum_activation = Activation::none;    // tile_convolution: after `more` was added
    int kernel = 1, stride = 1, padding = 0, dilation = 1;
    int factor = 1;                       // sum: repeats each pixel of `in` factor x factor times
    int channels = 0, first_channel = 0;  // sum: writes these of `out`; neither must be a multiple of anything
};

// A step of one input size. Maps that a kind does not use, or that are not needed, are null.
struct StepTask : StepParams {
    Map in;
    Map up;      // point_depth, tile_convolution: added to `in`, each pixel to 2 x 2 pixels
    Map more;    // tile_convolution, sum: added to the result
    Map out;     // stem, point_depth: may be null if only the maxima are needed
    Map pooled;  // stem with unit, point_depth: 2 x 2 maxima of `out`, half as wide and high, rounded down
};

}  // namespace throng::gpu
