// A network as a list of kernel launches: which layers share a kernel, and their weights on the device. Independent of
// sizes; network_run.h adds them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/network.h"
#include "gpu/cnn/heads.h"
#include "gpu/cnn/stem.h"
#include "gpu/runtime/device_buffer.h"

namespace throng::gpu {

enum class StepKind : std::uint8_t { stem, stem_unit, point_depth, tile_convolution, plain_convolution, pool, sum };

// Tensor numbers index Network::tensors; -1: none.
struct Step {
    StepKind kind = StepKind::plain_convolution;
    int in = -1;
    int up = -1;      // point_depth, tile_convolution: added to in, half as wide and high
    int more = -1;    // tile_convolution, sum: added to the result
    int out = -1;     // point_depth, stem_unit: may be none if only the maxima are needed
    int pooled = -1;  // point_depth, stem_unit: maxima of 2 x 2 of out
    PointWeights point;
    DepthWeights depth;  // tile_convolution: null if it is dense
    PlainWeights plain;
    int stem = -1;  // index into Steps::stems
    bool depthwise = false;
    Activation activation = Activation::none;        // of the last convolution, pool or sum
    Activation depth_activation = Activation::none;  // tile_convolution
    Activation sum_activation = Activation::none;    // tile_convolution
    int kernel = 1, stride = 1, padding = 0, dilation = 1;
    int factor_in = 1, factor_more = 1;   // sum: repeats pixels
    int channels = 0, first_channel = 0;  // sum
};

// A tensor that is some of the channels of another one: inputs of a concatenation are written in place.
struct TensorAlias {
    int whole = -1;  // -1: not part of another tensor
    int first_channel = 0;
};

// YuNet's head of one stride, with its decoding.
struct HeadStep {
    int in = -1;
    PointWeights point;
    DepthWeights depth;
    float stride = 0;
};

struct Steps {
    std::vector<Step> steps;
    std::vector<HeadStep> heads;  // empty: steps write the head's maps, which are decoded afterwards
    std::vector<StemWeights> stems;
    std::vector<TensorAlias> aliases;      // one per tensor
    std::vector<bool> needs_zero_padding;  // tensors whose padding channels no step writes: zero them once
    std::vector<DeviceBuffer<std::byte>> memory;
};

// fused: off for one launch per layer. shared_memory: max bytes per block. Waits for the stream. Throws
// Error(unavailable) for a network that the kernels do not support.
[[nodiscard]] Steps make_steps(const Network& network, Precision precision, bool fused, std::size_t shared_memory,
                               StreamView stream);

}  // namespace throng::gpu
