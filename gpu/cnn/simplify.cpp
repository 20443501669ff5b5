#include "gpu/cnn/simplify.h"

#include <algorithm>

namespace throng::gpu {
namespace {

// Returns the number of layers and maps of the head that read the tensor.
std::ptrdiff_t count_readers(const Network& network, std::int32_t tensor) {
    std::ptrdiff_t count = 0;
    for (const NetworkLayer& layer : network.layers)
        count += std::count(layer.inputs.begin(), layer.inputs.end(), tensor);
    for (const HeadLevel& level : network.head.levels) {
        for (const std::int32_t map : {level.score, level.objectness, level.box, level.landmarks}) {
            count += map == tensor ? 1 : 0;
        }
    }
    return count;
}

void move_activation(Network& network, NetworkLayer& concatenation) {
    std::vector<NetworkLayer*> writers;
    for (NetworkLayer& layer : network.layers) {
        const bool writes = std::count(concatenation.inputs.begin(), concatenation.inputs.end(), layer.output) == 1;
        if (writes && layer.kind == LayerKind::convolution && layer.activation == Activation::none &&
            count_readers(network, layer.output) == 1) {
            writers.push_back(&layer);
        }
    }
    if (writers.size() != concatenation.inputs.size()) return;
    for (NetworkLayer* writer : writers) writer->activation = concatenation.activation;
    concatenation.activation = Activation::none;
}

bool keeps_size(const NetworkLayer& layer) {
    return layer.kind == LayerKind::max_pool && layer.stride == 1 && layer.kernel == 2 * layer.padding + 1;
}

// The maximum of maxima covers a window as large as both together; at the border both are cut off alike.
void chain_pools(Network& network) {
    std::vector<NetworkLayer> pools;  // as they were
    for (NetworkLayer& layer : network.layers) {
        if (!keeps_size(layer)) continue;
        const NetworkLayer whole = layer;
        for (const NetworkLayer& pool : pools) {
            const std::int32_t left = whole.padding - pool.padding;
            if (pool.inputs != whole.inputs || pool.activation != Activation::none || left <= 0 ||
                left >= layer.padding) {
                continue;
            }
            layer.inputs = {pool.output};
            layer.padding = left;
            layer.kernel = 2 * left + 1;
        }
        pools.push_back(whole);
    }
}

}  // namespace

Network simplified(Network network) {
    for (NetworkLayer& layer : network.layers) {
        if (layer.kind == LayerKind::concat && layer.activation != Activation::none) move_activation(network, layer);
    }
    chain_pools(network);
    return network;
}

}  // namespace throng::gpu
