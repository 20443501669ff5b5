// Converts one ONNX operator on maps to a layer of a network. Unsupported attributes are rejected by name.
#pragma once

#include "core/model/network.h"
#include "core/model/onnx_graph.h"
#include "core/model/onnx_values.h"

namespace throng {

// Converts Conv. weights and bias (null: none) are its constants, channels those of its input.
[[nodiscard]] NetworkLayer convolution_layer(const OnnxNode& node, const OnnxTensor& weights, const OnnxTensor* bias,
                                             std::int32_t channels);
// Makes a convolution that reads phases of a tensor one that reads the tensor: twice the kernel, stride and padding.
void read_whole(const OnnxNode& node, const PhasesValue& input, std::int32_t channels, NetworkLayer& convolution);
[[nodiscard]] NetworkLayer pool_layer(const OnnxNode& node);

// Converts Resize and Upsample. scales or sizes are its constants (null: not given), size is that of its input.
[[nodiscard]] NetworkLayer upsample_layer(const OnnxNode& node, const OnnxTensor* scales, const OnnxTensor* sizes,
                                          MapSize size);

// y = x * scale + shift, per channel.
struct ChannelScale {
    std::vector<float> scale, shift;
};
[[nodiscard]] ChannelScale batch_norm(const OnnxNode& node, const std::vector<const OnnxTensor*>& constants,
                                      std::int32_t channels);

// Folds a scale that follows a convolution into its weights.
void fold(const ChannelScale& scale, NetworkLayer& convolution);
// Returns a scale as a separate layer.
[[nodiscard]] NetworkLayer scale_layer(const std::string& name, ChannelScale scale);

}  // namespace throng
