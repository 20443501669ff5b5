// Copies the weights of convolutions to the device in the order in which kernels read them.
#pragma once

#include <cstddef>
#include <vector>

#include "core/model/network.h"
#include "gpu/cnn/step.h"
#include "gpu/runtime/device_buffer.h"

namespace throng::gpu {

class WeightPacking {
public:
    // Layers of one kernel size that read the same tensor. Their channels out are concatenated.
    using Layers = std::vector<const NetworkLayer*>;

    WeightPacking(Precision precision, StreamView stream) : precision_(precision), stream_(stream) {}

    // A grouped convolution becomes a matrix with zeros. scale: see PointWeights.
    [[nodiscard]] PointWeights point(const Layers& layers, float scale = 1.0F);
    // Grouped convolutions become a matrix with zeros. in: elements per input pixel; 1: depthwise.
    [[nodiscard]] PlainWeights plain(const Layers& layers, int in);
    // The first convolution. Its channels in are those of all taps (stem_depth).
    [[nodiscard]] PointWeights stem(const NetworkLayer& conv, float scale);

    // Returns the memory of everything packed so far; keep it as long as the weights are used.
    [[nodiscard]] std::vector<DeviceBuffer<std::byte>> take_memory() { return std::move(memory_); }

private:
    [[nodiscard]] const float* upload(const std::vector<float>& values);
    // For tensor cores, see PointWeights.
    [[nodiscard]] const void* upload_narrow(const std::vector<float>& values);
    [[nodiscard]] const void* upload_bytes(const void* data, std::size_t bytes);

    Precision precision_;
    StreamView stream_;
    std::vector<DeviceBuffer<std::byte>> memory_;
};

// Returns the power of two that brings the largest weight near 1024: 16-bit numbers below 2^-14, such as the remainders of
// small weights, have fewer digits.
[[nodiscard]] float weight_scale(const NetworkLayer& layer);

// Returns the output channels of a convolution.
[[nodiscard]] inline int channels_out(const NetworkLayer& layer) {
    return static_cast<int>(layer.bias.size());
}

}  // namespace throng::gpu
