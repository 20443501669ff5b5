#include "tests/support/network_reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace throng::test {
namespace {

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

float activated(const NetworkLayer& layer, double value) {
    if (layer.activation == Activation::relu) value = std::max(value, 0.0);
    if (layer.activation == Activation::silu) value /= 1 + std::exp(-value);
    if (layer.activation == Activation::leaky && value < 0) value *= static_cast<double>(kLeakySlope);
    return static_cast<float>(value);
}

double convolve(const NetworkLayer& layer, const Tensor& in, int o, int x, int y) {
    const int out_channels = static_cast<int>(layer.bias.size());
    const int group_in = in.channels / layer.groups;
    const int first = o / (out_channels / layer.groups) * group_in;
    double sum = static_cast<double>(layer.bias[at(o)]);
    for (int i = 0; i < group_in; ++i) {
        for (int ky = 0; ky < layer.kernel; ++ky) {
            for (int kx = 0; kx < layer.kernel; ++kx) {
                const int column = x * layer.stride - layer.padding + kx * layer.dilation;
                const int row = y * layer.stride - layer.padding + ky * layer.dilation;
                if (column < 0 || column >= in.width || row < 0 || row >= in.height) continue;
                const int weight = ((o * group_in + i) * layer.kernel + ky) * layer.kernel + kx;
                sum +=
                    static_cast<double>(layer.weights[at(weight)]) * static_cast<double>(in.at(first + i, column, row));
            }
        }
    }
    return sum;
}

double max_of_window(const NetworkLayer& layer, const Tensor& in, int c, int x, int y) {
    double value = -std::numeric_limits<double>::infinity();
    for (int ky = 0; ky < layer.kernel; ++ky) {
        for (int kx = 0; kx < layer.kernel; ++kx) {
            const int column = x * layer.stride - layer.padding + kx;
            const int row = y * layer.stride - layer.padding + ky;
            if (column < 0 || column >= in.width || row < 0 || row >= in.height) continue;
            value = std::max(value, static_cast<double>(in.at(c, column, row)));
        }
    }
    return value;
}

}  // namespace

std::vector<Tensor> evaluate(const Network& network, const Tensor& input) {
    const std::vector<MapSize> sizes = resolve_sizes(network, input.width, input.height);
    std::vector<Tensor> tensors(network.tensors.size());
    tensors[at(network.input.tensor)] = input;
    for (const NetworkLayer& layer : network.layers) {
        const MapSize size = sizes[at(layer.output)];
        Tensor out(network.tensors[at(layer.output)].channels, size.width, size.height);
        int first = 0;  // first channel of the current input, where inputs are concatenated
        for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
            const Tensor& in = tensors[at(layer.inputs[i])];
            const int count = layer.kind == LayerKind::concat ? in.channels : out.channels;
            for (int c = 0; c < count; ++c) {
                for (int y = 0; y < out.height; ++y) {
                    for (int x = 0; x < out.width; ++x) {
                        double value = 0;
                        switch (layer.kind) {
                            case LayerKind::convolution: value = convolve(layer, in, c, x, y); break;
                            case LayerKind::max_pool: value = max_of_window(layer, in, c, x, y); break;
                            case LayerKind::upsample:
                                value = static_cast<double>(in.at(c, x / layer.factor, y / layer.factor));
                                break;
                            case LayerKind::add:
                                if (i == 0) continue;
                                value = static_cast<double>(in.at(c, x, y)) +
                                        static_cast<double>(tensors[at(layer.inputs[0])].at(c, x, y));
                                break;
                            case LayerKind::concat: value = static_cast<double>(in.at(c, x, y)); break;
                        }
                        out.at(first + c, x, y) = activated(layer, value);
                    }
                }
            }
            if (layer.kind == LayerKind::concat) first += in.channels;
        }
        tensors[at(layer.output)] = std::move(out);
    }
    return tensors;
}

Tensor random_input(int width, int height, std::mt19937_64& random) {
    std::uniform_real_distribution<float> values(-1.0F, 1.0F);
    Tensor input(3, width, height);
    for (float& v : input.values) v = values(random);
    return input;
}

NetworkMaker::NetworkMaker(std::uint64_t seed) : random_(seed) {
    network_.name = "random network";
    network_.tensors.push_back({"input", 3});
}

int NetworkMaker::add_layer(NetworkLayer layer, int channels) {
    const auto tensor = static_cast<int>(network_.tensors.size());
    layer.name = "layer " + std::to_string(tensor);
    layer.output = tensor;
    network_.tensors.push_back({layer.name, channels});
    network_.layers.push_back(std::move(layer));
    return tensor;
}

int NetworkMaker::convolution(int in, int channels_out, int kernel, int stride, int padding, Activation activation,
                              int groups, int dilation) {
    NetworkLayer layer;
    layer.inputs = {in};
    layer.kernel = kernel;
    layer.stride = stride;
    layer.padding = padding;
    layer.dilation = dilation;
    layer.groups = groups;
    layer.activation = activation;
    const int taps = channels(in) / groups * kernel * kernel;
    std::normal_distribution<float> weights(0.0F, std::sqrt(1.5F / static_cast<float>(taps)));
    std::normal_distribution<float> biases(0.0F, 0.3F);
    layer.weights.resize(at(channels_out * taps));
    layer.bias.resize(at(channels_out));
    for (float& w : layer.weights) w = weights(random_);
    for (float& b : layer.bias) b = biases(random_);
    return add_layer(std::move(layer), channels_out);
}

int NetworkMaker::depth(int in, Activation activation, int stride) {
    return convolution(in, channels(in), 3, stride, 1, activation, channels(in));
}

int NetworkMaker::pool(int in, int kernel, int stride, int padding) {
    NetworkLayer layer;
    layer.kind = LayerKind::max_pool;
    layer.inputs = {in};
    layer.kernel = kernel;
    layer.stride = stride;
    layer.padding = padding;
    return add_layer(std::move(layer), channels(in));
}

int NetworkMaker::upsample(int in, int factor) {
    NetworkLayer layer;
    layer.kind = LayerKind::upsample;
    layer.inputs = {in};
    layer.factor = factor;
    return add_layer(std::move(layer), channels(in));
}

int NetworkMaker::add(int a, int b, Activation activation) {
    NetworkLayer layer;
    layer.kind = LayerKind::add;
    layer.inputs = {a, b};
    layer.activation = activation;
    return add_layer(std::move(layer), channels(a));
}

int NetworkMaker::concat(const std::vector<int>& in, Activation activation) {
    NetworkLayer layer;
    layer.kind = LayerKind::concat;
    layer.activation = activation;
    int sum = 0;
    for (const int t : in) {
        layer.inputs.push_back(t);
        sum += channels(t);
    }
    return add_layer(std::move(layer), sum);
}

void NetworkMaker::yunet_head(int in, int stride) {
    HeadLevel level;
    level.stride = stride;
    level.score = unit(in, 1, Activation::none);
    level.box = unit(in, 4, Activation::none);
    level.objectness = unit(in, 1, Activation::none);
    level.landmarks = unit(in, 10, Activation::none);
    network_.head.levels.push_back(level);
}

void NetworkMaker::yolox_head(int in, int stride) {
    HeadLevel level;
    level.stride = stride;
    const int object = depth(point(in, 24, Activation::silu), Activation::silu);
    level.score = point(depth(point(in, 24, Activation::silu), Activation::silu), 1);
    level.box = point(object, 4);
    level.objectness = point(object, 1);
    network_.head.levels.push_back(level);
}

void NetworkMaker::ultraface_head(int in, int stride, const std::vector<Prior>& priors) {
    HeadLevel level;
    level.stride = stride;
    level.priors = priors;
    const auto count = static_cast<int>(priors.size());
    level.score = point(depth(in), 2 * count);
    level.box = point(depth(in), 4 * count);
    network_.head.levels.push_back(level);
}

void NetworkMaker::retinaface_head(int in, int stride, const std::vector<Prior>& priors) {
    HeadLevel level;
    level.stride = stride;
    level.priors = priors;
    const auto count = static_cast<int>(priors.size());
    level.score = point(in, 2 * count);
    level.box = point(in, 4 * count);
    level.landmarks = point(in, 10 * count);
    network_.head.levels.push_back(level);
}

Network NetworkMaker::finish(HeadFamily family) {
    network_.head.family = family;
    network_.head.has_landmarks = family == HeadFamily::yunet || family == HeadFamily::retinaface;
    if (has_priors(family)) {
        network_.head.center_variance = 0.1F;
        network_.head.size_variance = 0.2F;
    }
    check_network(network_);
    return network_;
}

Network random_yunet(std::uint64_t seed) {
    NetworkMaker make(seed);
    constexpr Activation kRelu = Activation::relu;
    int x = make.pool(make.unit(make.convolution(0, 16, 3, 2, 1, kRelu), 16));
    x = make.unit(make.unit(x, 16), 64);
    x = make.pool(make.unit(make.unit(x, 64), 64));
    const int eighth = make.unit(make.unit(x, 64), 64);
    const int sixteenth = make.unit(make.unit(make.pool(eighth), 64), 64);
    const int last = make.unit(make.unit(make.pool(sixteenth), 64), 64);
    const int c = make.unit(last, 64);
    const int b = make.unit(make.add(sixteenth, make.upsample(c)), 64);
    const int a = make.unit(make.add(eighth, make.upsample(b)), 64);
    const int heads[] = {make.unit(a, 64), make.unit(b, 64), make.unit(c, 64)};
    for (int i = 0; i < 3; ++i) make.yunet_head(heads[i], 8 << i);
    return make.finish(HeadFamily::yunet);
}

Network random_ultraface(std::uint64_t seed) {
    NetworkMaker make(seed);
    constexpr Activation kRelu = Activation::relu;
    const auto unit = [&](int in, int channels, int stride) {
        return make.point(make.depth(in, kRelu, stride), channels, kRelu);
    };
    int x = make.convolution(0, 16, 3, 2, 1, kRelu);
    x = unit(unit(unit(unit(x, 32, 1), 32, 2), 32, 1), 64, 2);
    x = unit(x, 64, 1);
    const int left =
        make.convolution(make.convolution(make.point(x, 8), 16, 3, 1, 1, kRelu), 16, 3, 1, 2, Activation::none, 1, 2);
    const int right =
        make.convolution(make.convolution(make.convolution(make.point(x, 8), 12, 3, 1, 1, kRelu), 16, 3, 1, 1, kRelu),
                         16, 3, 1, 5, Activation::none, 1, 5);
    x = make.add(make.point(make.concat({left, right}), 64), make.point(x, 64), kRelu);
    make.ultraface_head(x, 8, {{10, 10}, {16, 16}, {24, 20}});
    x = unit(unit(x, 128, 2), 128, 1);
    make.ultraface_head(x, 16, {{32, 32}, {48, 40}});
    x = unit(unit(x, 256, 2), 256, 1);
    make.ultraface_head(x, 32, {{64, 64}, {96, 96}});
    return make.finish(HeadFamily::ultraface);
}

Network random_yolox(std::uint64_t seed) {
    NetworkMaker make(seed);
    constexpr Activation kSilu = Activation::silu;
    const auto unit = [&](int in, int channels, int stride) {
        return make.point(make.depth(in, kSilu, stride), channels, kSilu);
    };
    const auto partial = [&](int in,
                             int channels) {  // a cross-stage partial network: a part of the channels is added to
        const int part = make.point(in, channels / 2, kSilu);
        const int sum = make.add(unit(make.point(part, channels / 2, kSilu), channels / 2, 1), part);
        return make.point(make.concat({sum, make.point(in, channels / 2, kSilu)}), channels, kSilu);
    };
    const int stem = make.convolution(0, 16, 6, 2, 2, kSilu);
    const int eighth = partial(unit(partial(unit(stem, 32, 2), 32), 64, 2), 64);
    const int sixteenth = partial(unit(eighth, 64, 2), 64);
    const int last = make.point(unit(sixteenth, 64, 2), 32, kSilu);
    const int pools =
        make.concat({last, make.pool(last, 5, 1, 2), make.pool(last, 9, 1, 4), make.pool(last, 13, 1, 6)});
    const int c = make.point(pools, 64, kSilu);
    const int b = partial(make.concat({make.upsample(c), sixteenth}), 64);
    const int a = partial(make.concat({make.upsample(b), eighth}), 64);
    make.yolox_head(a, 8);
    make.yolox_head(b, 16);
    make.yolox_head(c, 32);
    return make.finish(HeadFamily::yolox);
}

Network random_retinaface(std::uint64_t seed) {
    NetworkMaker make(seed);
    constexpr Activation kRelu = Activation::relu, kLeaky = Activation::leaky;
    const auto unit = [&](int in, int channels, int stride) {
        return make.point(make.depth(in, kLeaky, stride), channels, kLeaky);
    };
    const auto context = [&](int in) {  // SSH: three receptive fields
        const auto layer = [&](int from, int channels, Activation activation = Activation::none) {
            return make.convolution(from, channels, 3, 1, 1, activation);
        };
        const int half = layer(in, 8, kLeaky);
        return make.concat({layer(in, 16), layer(half, 8), layer(layer(half, 8, kLeaky), 8)}, kRelu);
    };
    const int eighth = unit(unit(unit(make.convolution(0, 8, 3, 2, 1, kLeaky), 16, 1), 32, 2), 32, 2);
    const int sixteenth = unit(eighth, 64, 2);
    const int c = make.point(unit(sixteenth, 128, 2), 32, kLeaky);
    const int b = make.convolution(make.add(make.point(sixteenth, 32, kLeaky), make.upsample(c)), 32, 3, 1, 1, kLeaky);
    const int a = make.convolution(make.add(make.point(eighth, 32, kLeaky), make.upsample(b)), 32, 3, 1, 1, kLeaky);
    make.retinaface_head(context(a), 8, {{16, 16}, {32, 32}});
    make.retinaface_head(context(b), 16, {{64, 64}, {128, 128}});
    make.retinaface_head(context(c), 32, {{256, 256}, {512, 512}});
    make.mean({104, 117, 123});
    return make.finish(HeadFamily::retinaface);
}

Network odd_network(std::uint64_t seed) {
    NetworkMaker make(seed);
    constexpr Activation kRelu = Activation::relu;
    const int first = make.convolution(0, 10, 5, 2, 2, kRelu);
    const int pooled = make.pool(first, 3, 2, 1);
    const int grouped = make.convolution(pooled, 20, 3, 1, 1, kRelu, 5);
    const int joined = make.concat({pooled, grouped});  // 10 + 20 channels: not a multiple of the vector size
    const int unit = make.unit(joined, 24);
    const int both = make.concat({make.unit(unit, 32), make.point(unit, 16)});
    const int up = make.upsample(make.pool(both), 2);
    const int sum = make.add(both, up, kRelu);
    const int more = make.add(make.unit(sum, 48, Activation::none),
                              make.upsample(make.upsample(make.pool(make.pool(make.point(both, 48))))));
    const int last = make.convolution(make.pool(more), 40, 3, 1, 2, Activation::none, 1, 2);
    make.yunet_head(last, 8);
    make.yunet_head(make.convolution(last, 64, 3, 2, 1, kRelu), 16);
    return make.finish(HeadFamily::yunet);
}

}  // namespace throng::test
