#include "core/cpu/cnn_program.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace throng {
namespace {

std::array<std::int32_t, 4> maps_of(const HeadLevel& level) {
    return {level.score, level.objectness, level.box, level.landmarks};
}

bool is_depthwise(const Network& network, const NetworkLayer& layer) {
    return layer.kind == LayerKind::convolution && layer.groups == network.tensors[as_size(layer.output)].channels &&
           layer.groups == network.tensors[as_size(layer.inputs.front())].channels;
}

// Reads one row for each row that it writes.
bool is_pointwise(const NetworkLayer& layer) {
    return layer.kind != LayerKind::max_pool && layer.kernel == 1;
}

bool same_shape(const NetworkLayer& a, const NetworkLayer& b) {
    return a.kind == b.kind && a.kernel == b.kernel && a.stride == b.stride && a.padding == b.padding &&
           a.dilation == b.dilation && a.activation == b.activation;
}

// Appends the output channels of a layer of the same shape.
void append(NetworkLayer& to, const NetworkLayer& from) {
    to.weights.insert(to.weights.end(), from.weights.begin(), from.weights.end());
    to.bias.insert(to.bias.end(), from.bias.begin(), from.bias.end());
}

// The layers that each tensor is read by; the head counts as one more.
std::vector<std::vector<std::int32_t>> readers_of(const Network& network) {
    std::vector<std::vector<std::int32_t>> readers(network.tensors.size());
    for (std::size_t l = 0; l < network.layers.size(); ++l) {
        for (const std::int32_t input : network.layers[l].inputs) {
            readers[as_size(input)].push_back(static_cast<std::int32_t>(l));
        }
    }
    for (const HeadLevel& level : network.head.levels) {
        for (const std::int32_t map : maps_of(level)) {
            if (map >= 0) readers[as_size(map)].push_back(static_cast<std::int32_t>(network.layers.size()));
        }
    }
    return readers;
}

}  // namespace

CnnProgram::CnnProgram(const Network& source) : network(source), head_maps(source.tensors.size()) {
    for (const HeadLevel& level : source.head.levels) {
        for (const std::int32_t map : maps_of(level)) {
            if (map >= 0) head_maps[as_size(map)] = {map, 0};
        }
    }
    merge_heads(source);
    convert_input();
    layers.resize(network.layers.size());
    tensors.resize(network.tensors.size());
    for (std::int32_t l = 0; l < static_cast<std::int32_t>(layers.size()); ++l) pack(l);
    choose_stored();
}

// Merges, for each level, pairs of a pointwise and a depthwise convolution that read one tensor.
void CnnProgram::merge_heads(const Network& source) {
    const auto readers = readers_of(source);
    std::vector<std::int32_t> writer(source.tensors.size(), -1);
    for (std::size_t l = 0; l < source.layers.size(); ++l) {
        writer[as_size(source.layers[l].output)] = static_cast<std::int32_t>(l);
    }
    std::vector<bool> dropped(source.layers.size());
    for (const HeadLevel& level : source.head.levels) {
        std::vector<std::int32_t> merged;  // layers: point, depth, point, depth, ...
        const auto layer = [&](std::size_t i) -> const NetworkLayer& { return source.layers[as_size(merged[i])]; };
        const auto fits = [&](std::int32_t map) {
            const std::int32_t depth = writer[as_size(map)];
            if (depth < 0 || readers[as_size(map)].size() != 1 ||
                !is_depthwise(source, source.layers[as_size(depth)])) {
                return false;
            }
            const std::int32_t between = source.layers[as_size(depth)].inputs.front();
            const std::int32_t point = writer[as_size(between)];
            if (point < 0 || readers[as_size(between)].size() != 1) return false;
            merged.insert(merged.end(), {point, depth});
            const NetworkLayer& first = source.layers[as_size(point)];
            return first.kind == LayerKind::convolution && first.groups == 1 && first.inputs == layer(0).inputs &&
                   same_shape(first, layer(0)) && same_shape(source.layers[as_size(depth)], layer(1));
        };
        std::vector<std::int32_t> maps;
        for (const std::int32_t map : maps_of(level)) {
            if (map >= 0) maps.push_back(map);
        }
        if (!std::all_of(maps.begin(), maps.end(), fits)) continue;
        NetworkLayer point = layer(0);
        NetworkLayer depth = layer(1);
        for (std::size_t i = 0; i < maps.size(); ++i) {
            head_maps[as_size(maps[i])] = {depth.output, i == 0 ? 0 : static_cast<std::int32_t>(depth.bias.size())};
            dropped[as_size(merged[2 * i])] = dropped[as_size(merged[2 * i + 1])] = true;
            if (i == 0) continue;
            append(point, layer(2 * i));
            append(depth, layer(2 * i + 1));
        }
        depth.groups = static_cast<std::int32_t>(depth.bias.size());
        for (const std::int32_t tensor : {point.output, depth.output}) {
            network.tensors[as_size(tensor)].channels = depth.groups;
        }
        // In place of the last one: all that they read is written before it.
        const auto last = as_size(*std::max_element(merged.begin(), merged.end()));
        network.layers[last] = std::move(depth);
        network.layers[as_size(merged[0])] = std::move(point);
        dropped[last] = dropped[as_size(merged[0])] = false;
    }
    std::vector<NetworkLayer> left;
    for (std::size_t l = 0; l < dropped.size(); ++l) {
        if (!dropped[l]) left.push_back(std::move(network.layers[l]));
    }
    network.layers = std::move(left);
    for (HeadLevel& level : network.head.levels) {
        for (std::int32_t* map : {&level.score, &level.objectness, &level.box, &level.landmarks}) {
            if (*map >= 0) *map = head_maps[as_size(*map)].tensor;
        }
    }
}

// The input is planar, which only convolutions read. Other layers read a copy, made by a convolution.
void CnnProgram::convert_input() {
    const std::int32_t input = network.input.tensor;
    const auto copy = static_cast<std::int32_t>(network.tensors.size());
    bool needed = false;
    for (NetworkLayer& layer : network.layers) {
        if (layer.kind == LayerKind::convolution) continue;
        for (std::int32_t& tensor : layer.inputs) {
            if (tensor != input) continue;
            tensor = copy;
            needed = true;
        }
    }
    if (!needed) return;
    NetworkLayer identity;
    identity.name = "copy of the input";
    identity.inputs = {input};
    identity.output = copy;
    identity.weights = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    identity.bias = {0, 0, 0};
    network.tensors.push_back({identity.name, 3});
    network.layers.insert(network.layers.begin(), std::move(identity));
}

void CnnProgram::pack(std::int32_t index) {
    NetworkLayer& layer = network.layers[as_size(index)];
    Layer& to = layers[as_size(index)];
    if (layer.kind != LayerKind::convolution) return;
    const std::int32_t in = network.tensors[as_size(layer.inputs.front())].channels;
    const std::int32_t out = network.tensors[as_size(layer.output)].channels;
    const std::int32_t taps = layer.kernel * layer.kernel;
    const std::int32_t groups = (out + kCnnGroup - 1) / kCnnGroup;
    const std::int32_t inputs = in / layer.groups;  // of one output channel
    to.depthwise = is_depthwise(network, layer) && layer.inputs.front() != network.input.tensor;
    to.bias.resize(as_size(groups));
    to.weights.resize(as_size(groups) * as_size(taps) * as_size(to.depthwise ? 1 : in));
    for (std::int32_t o = 0; o < out; ++o) {
        const std::size_t group = as_size(o / kCnnGroup);
        to.bias[group].channel[o % kCnnGroup] = layer.bias[as_size(o)];
        // A convolution in several groups has zeros for the input channels of the other groups.
        const std::int32_t first = to.depthwise ? 0 : o / (out / layer.groups) * inputs;
        for (std::int32_t i = 0; i < inputs; ++i) {
            for (std::int32_t t = 0; t < taps; ++t) {
                const std::size_t tap = group * as_size(taps) + as_size(t);
                const std::size_t place = to.depthwise ? tap : tap * as_size(in) + as_size(first + i);
                to.weights[place].channel[o % kCnnGroup] = layer.weights[as_size((o * inputs + i) * taps + t)];
            }
        }
    }
    layer.weights = {};
    layer.bias = {};
}

void CnnProgram::choose_stored() {
    const auto readers = readers_of(network);
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const NetworkLayer& layer = network.layers[l];
        tensors[as_size(layer.output)].writer = static_cast<std::int32_t>(l);
        if (layer.kind != LayerKind::convolution) continue;
        std::int32_t& border = tensors[as_size(layer.inputs.front())].border;
        border = std::max(border, layer.padding);
    }
    for (std::size_t t = 0; t < tensors.size(); ++t) {
        Tensor& tensor = tensors[t];
        if (tensor.writer < 0 || readers[t].size() != 1 || as_size(readers[t].front()) == layers.size()) continue;
        // Workers repeat the rows that lie beyond the ends of their strips. That is cheap unless they need neighbors of
        // neighbors.
        const NetworkLayer& reader = network.layers[as_size(readers[t].front())];
        const bool disjoint = reader.kind == LayerKind::max_pool && reader.kernel <= reader.stride;
        tensor.local = disjoint || is_pointwise(network.layers[as_size(tensor.writer)]);
        tensor.window = (reader.kernel - 1) * reader.dilation + 1;
    }
    // A local tensor belongs to the pass of its reader, which comes later.
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const std::int32_t output = network.layers[l].output;
        if (tensors[as_size(output)].local) continue;
        layers[l].pass = static_cast<std::int32_t>(passes.size());
        passes.push_back(output);
    }
    for (std::size_t l = layers.size(); l-- > 0;) {
        const Tensor& output = tensors[as_size(network.layers[l].output)];
        if (output.local) layers[l].pass = layers[as_size(readers[as_size(network.layers[l].output)].front())].pass;
        for (const std::int32_t input : network.layers[l].inputs) {
            tensors[as_size(input)].last_pass = std::max(tensors[as_size(input)].last_pass, layers[l].pass);
        }
    }
    for (const HeadLevel& level : network.head.levels) {
        for (const std::int32_t map : maps_of(level)) {
            if (map >= 0) tensors[as_size(map)].last_pass = static_cast<std::int32_t>(passes.size());
        }
    }
}

}  // namespace throng
