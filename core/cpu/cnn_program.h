// A network prepared for the CPU, for inputs of any size: packed weights, and which tensors are stored.
//
// Only the outputs of layers that are expensive to repeat are stored. The other ones ("local") exist as a few rows in
// the memory of the worker that computes their only reader: a pointwise convolution before a depthwise one, a sum
// before a pointwise convolution, a map before its 2 x 2 maxima.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/cpu/cnn_kernels.h"
#include "core/model/network.h"

namespace throng {

// Converts an index or a size that is not negative.
inline std::size_t as_size(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

// YuNet's head reads four maps of one size. Their layers are merged, so that they fill one group of channels.
struct CnnHeadMap {
    std::int32_t tensor = -1;  // of CnnProgram::network
    std::int32_t first_channel = 0;
};

struct CnnProgram {
    explicit CnnProgram(const Network& source);

    struct Layer {
        bool depthwise = false;
        std::vector<CnnGroup> weights;  // as cnn_kernels.h reads them
        std::vector<CnnGroup> bias;
        std::int32_t pass = -1;  // index into passes of the stored tensor that this layer contributes to
    };
    struct Tensor {
        std::int32_t writer = -1;  // layer; -1: the network's input
        bool local = false;
        std::int32_t border = 0;      // columns of zeros on both sides
        std::int32_t window = 0;      // local: rows that the reader needs at once
        std::int32_t last_pass = -1;  // stored: the last pass that reads it
    };

    Network network;                    // without the weights
    std::vector<Layer> layers;          // as network.layers
    std::vector<Tensor> tensors;        // as network.tensors
    std::vector<std::int32_t> passes;   // stored tensors, in the order in which they are computed
    std::vector<CnnHeadMap> head_maps;  // per tensor of the source network; only those of the head are set

private:
    void merge_heads(const Network& source);
    void convert_input();
    void pack(std::int32_t layer);
    void choose_stored();
};

}  // namespace throng
