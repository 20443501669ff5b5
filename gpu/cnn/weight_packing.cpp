#include "gpu/cnn/weight_packing.h"

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>

#include "gpu/cnn/stem.h"

namespace throng::gpu {
namespace {

std::size_t at(int row, int columns, int column) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
}

int all_channels(const WeightPacking::Layers& layers) {
    int sum = 0;
    for (const NetworkLayer* layer : layers) sum += channels_out(*layer);
    return padded_channels(sum);
}

std::vector<float> joined_bias(const WeightPacking::Layers& layers) {
    std::vector<float> bias;
    for (const NetworkLayer* layer : layers) bias.insert(bias.end(), layer->bias.begin(), layer->bias.end());
    bias.resize(static_cast<std::size_t>(all_channels(layers)));
    return bias;
}

// Returns the channels in of all groups.
int channels_in(const NetworkLayer& layer) {
    return static_cast<int>(layer.weights.size()) / (channels_out(layer) * layer.kernel * layer.kernel) * layer.groups;
}

// Calls visit(channel out, channel in, tap, weight) for every weight.
template <typename Visit>
void for_each_weight(const WeightPacking::Layers& layers, Visit visit) {
    int first = 0;
    for (const NetworkLayer* layer : layers) {
        const int group_in = channels_in(*layer) / layer->groups;
        const int group_out = channels_out(*layer) / layer->groups;
        const float* weight = layer->weights.data();
        for (int o = 0; o < channels_out(*layer); ++o) {
            for (int i = 0; i < group_in; ++i) {
                for (int t = 0; t < layer->kernel * layer->kernel; ++t) {
                    visit(first + o, o / group_out * group_in + i, t, *weight++);
                }
            }
        }
        first += channels_out(*layer);
    }
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

PointWeights WeightPacking::point(const Layers& layers, float scale) {
    const NetworkLayer& first = *layers.front();
    const int in = padded_channels(channels_in(first));
    const int out = all_channels(layers);
    std::vector<float> values(at(in * out, first.kernel * first.kernel, 0));
    for_each_weight(layers,
                    [&](int o, int i, int t, float weight) { values[at(t * out + o, in, i)] = scale * weight; });
    return {upload_narrow(values), upload(joined_bias(layers)), in, out, scale};
}

PlainWeights WeightPacking::plain(const Layers& layers, int in) {
    const NetworkLayer& first = *layers.front();
    const int out = all_channels(layers);
    std::vector<float> values(at(first.kernel * first.kernel * in, out, 0));
    for_each_weight(layers,
                    [&](int o, int i, int t, float weight) { values[at(in == 1 ? t : t * in + i, out, o)] = weight; });
    const bool narrow = in == 1 && precision_ == Precision::fp16;
    return {upload(values), narrow ? upload_narrow(values) : nullptr, upload(joined_bias(layers)), out};
}

PointWeights WeightPacking::stem(const NetworkLayer& conv, float scale) {
    const int in = stem_depth(conv.kernel);
    std::vector<float> values(at(kStemChannels, in, 0));
    for_each_weight({&conv}, [&](int o, int i, int t, float weight) {
        values[at(o, in, t * kInputChannels + i)] = scale * weight;
    });
    return {upload_narrow(values), upload(joined_bias({&conv})), in, kStemChannels, scale};
}

float weight_scale(const NetworkLayer& layer) {
    float largest = 0;
    for (const float weight : layer.weights) largest = std::max(largest, std::abs(weight));
    if (largest == 0) return 1.0F;
    return std::ldexp(1.0F, std::clamp(10 - std::ilogb(largest), -24, 24));
}

}  // namespace throng::gpu
