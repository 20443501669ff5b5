#include "gpu/cnn/weight_packing.h"

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>

namespace throng::gpu {
namespace {

std::size_t at(int row, int columns, int column) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
}

int all_channels(const std::vector<const NetworkLayer*>& layers) {
    int sum = 0;
    for (const NetworkLayer* layer : layers) sum += channels_out(*layer);
    return padded_channels(sum);
}

std::vector<float> joined_bias(const std::vector<const NetworkLayer*>& layers) {
    std::vector<float> bias;
    for (const NetworkLayer* layer : layers) bias.insert(bias.end(), layer->bias.begin(), layer->bias.end());
    bias.resize(static_cast<std::size_t>(all_channels(layers)));
    return bias;
}

}  // namespace

const void* WeightPacking::upload_bytes(const void* data, std::size_t bytes) {
    DeviceBuffer<std::byte>& buffer = memory_.emplace_back(bytes);
    check_cuda(cudaMemcpyAsync(buffer.data(), data, bytes, cudaMemcpyHostToDevice, stream_), "uploading weights");
    check_cuda(cudaStreamSynchronize(stream_), "uploading weights");
    return buffer.data();
}

const float* WeightPacking::upload(const std::vector<float>& values) {
    return static_cast<const float*>(upload_bytes(values.data(), values.size() * sizeof(float)));
}

const void* WeightPacking::upload_narrow(const std::vector<float>& values) {
    const auto narrowed = [](float v) { return __float2half(std::clamp(v, -65504.0F, 65504.0F)); };
    std::vector<__half> parts(values.size());
    std::transform(values.begin(), values.end(), parts.begin(), narrowed);
    if (precision_ == Precision::fp32) {
        for (std::size_t i = 0; i < values.size(); ++i) parts.push_back(narrowed(values[i] - __half2float(parts[i])));
    }
    return upload_bytes(parts.data(), parts.size() * sizeof(__half));
}

PointWeights WeightPacking::point(const std::vector<const NetworkLayer*>& layers, int channels_in, float scale) {
    PointWeights packed;
    packed.scale = scale;
    packed.in = padded_channels(channels_in);
    packed.out = all_channels(layers);
    const int taps = layers.front()->kernel * layers.front()->kernel;
    std::vector<float> values(at(packed.in * packed.out, taps, 0));
    int first = 0;
    for (const NetworkLayer* layer : layers) {
        const int group_in = channels_in / layer->groups;
        const int group_out = channels_out(*layer) / layer->groups;
        for (int o = 0; o < channels_out(*layer); ++o) {
            for (int i = 0; i < group_in; ++i) {
                for (int t = 0; t < taps; ++t) {
                    values[at(t * packed.out + first + o, packed.in, o / group_out * group_in + i)] =
                        scale * layer->weights[at(o * group_in + i, taps, t)];
                }
            }
        }
        first += channels_out(*layer);
    }
    packed.weights = upload_narrow(values);
    packed.bias = upload(joined_bias(layers));
    return packed;
}

DepthWeights WeightPacking::depth(const std::vector<const NetworkLayer*>& layers) {
    DepthWeights packed;
    packed.channels = all_channels(layers);
    std::vector<float> values(at(9, packed.channels, 0));
    int first = 0;
    for (const NetworkLayer* layer : layers) {
        for (int c = 0; c < channels_out(*layer); ++c) {
            for (int t = 0; t < 9; ++t) values[at(t, packed.channels, first + c)] = layer->weights[at(c, 9, t)];
        }
        first += channels_out(*layer);
    }
    packed.weights = upload(values);
    if (precision_ == Precision::fp16) packed.narrow = upload_narrow(values);
    packed.bias = upload(joined_bias(layers));
    return packed;
}

PlainWeights WeightPacking::plain(const NetworkLayer& layer, int in, bool depthwise) {
    const int out = channels_out(layer);
    const int padded = padded_channels(out);
    const int taps = layer.kernel * layer.kernel;
    const int group_in = static_cast<int>(layer.weights.size()) / (out * taps);
    const int group_out = out / layer.groups;
    const int rows = depthwise ? 1 : in;
    std::vector<float> values(at(taps * rows, padded, 0));
    for (int o = 0; o < out; ++o) {
        for (int i = 0; i < group_in; ++i) {
            const int row = depthwise ? 0 : o / group_out * group_in + i;
            for (int t = 0; t < taps; ++t) {
                values[at(t * rows + row, padded, o)] = layer.weights[at(o * group_in + i, taps, t)];
            }
        }
    }
    return {upload(values), upload(joined_bias({&layer}))};
}

StemWeights WeightPacking::stem(const NetworkLayer& conv, const NetworkLayer* point, const NetworkLayer* depth) {
    StemWeights packed;
    packed.kernel = conv.kernel;
    const int taps = conv.kernel * conv.kernel;
    const int depth_in = stem_depth(conv.kernel);
    const float scale = point == nullptr ? weight_scale(conv) : 1.0F;
    std::vector<float> values(at(kStemChannels, depth_in, 0));
    for (int o = 0; o < channels_out(conv); ++o) {
        for (int c = 0; c < 3; ++c) {
            for (int t = 0; t < taps; ++t) {
                values[at(o, depth_in, t * kInputChannels + c)] = scale * conv.weights[at(o * 3 + c, taps, t)];
            }
        }
    }
    packed.conv = {upload_narrow(values), upload(joined_bias({&conv})), depth_in, kStemChannels, scale};
    packed.conv_activation = conv.activation;
    if (point == nullptr) return packed;
    packed.point = this->point({point}, kStemChannels);
    packed.depth = this->depth({depth});
    packed.relu = depth->activation == Activation::relu;
    return packed;
}

float weight_scale(const NetworkLayer& layer) {
    float largest = 0;
    for (const float weight : layer.weights) largest = std::max(largest, std::abs(weight));
    if (largest == 0) return 1.0F;
    return std::ldexp(1.0F, std::clamp(10 - std::ilogb(largest), -24, 24));
}

std::vector<DeviceBuffer<std::byte>> WeightPacking::take_memory() {
    return std::move(memory_);
}

}  // namespace throng::gpu
