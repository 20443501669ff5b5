// Weights of convolutions, brought to the device in the order in which kernels read them.
#pragma once

#include <cstddef>
#include <vector>

#include "core/model/network.h"
#include "gpu/cnn/stem.h"
#include "gpu/cnn/weights.h"
#include "gpu/runtime/device_buffer.h"

namespace throng::gpu {

class WeightPacking {
public:
    WeightPacking(Precision precision, StreamView stream) : precision_(precision), stream_(stream) {}

    // Of several layers that read the same tensor: their channels follow one another.
    [[nodiscard]] PointWeights point(const std::vector<const NetworkLayer*>& layers, int channels_in);
    [[nodiscard]] DepthWeights depth(const std::vector<const NetworkLayer*>& layers);
    // Groups between 1 and the channels become a matrix with zeros. in: elements a pixel of the input has.
    [[nodiscard]] PlainWeights plain(const NetworkLayer& layer, int in, bool depthwise);
    // point, depth: of the unit that follows, or null.
    [[nodiscard]] StemWeights stem(const NetworkLayer& conv, const NetworkLayer* point, const NetworkLayer* depth);

    // The memory of all that was packed, to be kept as long as it is used. Waits for the stream.
    [[nodiscard]] std::vector<DeviceBuffer<std::byte>> take_memory();

private:
    [[nodiscard]] const float* upload(const std::vector<float>& values);
    // For the tensor cores, see PointWeights.
    [[nodiscard]] const void* upload_narrow(const std::vector<float>& values);
    [[nodiscard]] const void* upload_bytes(const void* data, std::size_t bytes);

    Precision precision_;
    StreamView stream_;
    std::vector<DeviceBuffer<std::byte>> memory_;
};

// Output channels of a convolution.
[[nodiscard]] inline int channels_out(const NetworkLayer& layer) {
    return static_cast<int>(layer.bias.size());
}

}  // namespace throng::gpu
