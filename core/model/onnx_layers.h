// One ONNX operator on maps as a layer of a network; attributes that differ from what layers can do are rejected by
// name.
#pragma once

#include "core/model/network.h"
#include "core/model/onnx_graph.h"

namespace throng {

// Of Conv. weights and bias (null: none) are its constants, channels those of its input.
[[nodiscard]] NetworkLayer convolution_layer(const OnnxNode& node, const OnnxTensor& weights, const OnnxTensor* bias,
                                             std::int32_t channels);
[[nodiscard]] NetworkLayer pool_layer(const OnnxNode& node);

// Of Resize and Upsample: scales or sizes are its constants (null: not given), size that of its input.
[[nodiscard]] NetworkLayer upsample_layer(const OnnxNode& node, const OnnxTensor* scales, const OnnxTensor* sizes,
                                          MapSize size);

// y = x * scale + shift, channel by channel.
struct ChannelScale {
    std::vector<float> scale, shift;
};
[[nodiscard]] ChannelScale batch_norm(const OnnxNode& node, const std::vector<const OnnxTensor*>& constants,
                                      std::int32_t channels);

// The same after a convolution, in its weights.
void fold(const ChannelScale& scale, NetworkLayer& convolution);
// The same as a layer of its own.
[[nodiscard]] NetworkLayer scale_layer(const std::string& name, ChannelScale scale);

}  // namespace throng
