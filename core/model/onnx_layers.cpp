#include "core/model/onnx_layers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace throng {
namespace {

std::int32_t small_number(const OnnxNode& node, std::int64_t value, const char* what) {
    if (value < 0 || value > std::numeric_limits<std::int16_t>::max()) {
        node.fail(std::string("has ") + what + " out of bounds");
    }
    return static_cast<std::int32_t>(value);
}

// Reads an attribute of two equal numbers, one per axis; the fallback if the attribute is missing.
std::int32_t square(const OnnxNode& node, const char* attribute, std::int64_t fallback) {
    const std::vector<std::int64_t> values = node.integers(attribute);
    if (values.empty()) return small_number(node, fallback, attribute);
    if (values.size() != 2 || values[0] != values[1]) {
        node.fail(std::string("has ") + attribute + " that differ between the axes, which is not supported");
    }
    return small_number(node, values[0], attribute);
}

// Reads kernel, stride, padding and dilation of Conv and MaxPool.
void read_window(const OnnxNode& node, std::int64_t kernel, NetworkLayer& layer) {
    layer.kernel = square(node, "kernel_shape", kernel);
    layer.stride = square(node, "strides", 1);
    layer.dilation = square(node, "dilations", 1);
    if (layer.kernel < 1 || layer.stride < 1 || layer.dilation < 1) {
        node.fail("has a kernel, stride or dilation of 0");
    }
    const std::string automatic = node.text("auto_pad", "NOTSET");
    std::vector<std::int64_t> pads = node.integers("pads");
    if (automatic != "NOTSET" && automatic != "VALID") {
        node.fail("uses auto_pad=" + automatic + ", which is not supported");
    }
    if (pads.empty()) pads.assign(4, 0);
    if (pads.size() != 4 || std::any_of(pads.begin(), pads.end(), [&](std::int64_t p) { return p != pads[0]; })) {
        node.fail("has unequal padding, which is not supported");
    }
    layer.padding = small_number(node, pads[0], "pads");
}

}  // namespace

NetworkLayer convolution_layer(const OnnxNode& node, const OnnxTensor& weights, const OnnxTensor* bias,
                               std::int32_t channels) {
    NetworkLayer layer;
    layer.kind = LayerKind::convolution;
    layer.name = node.name();
    if (weights.is_integer || weights.shape.size() != 4 || weights.size() == 0) {
        node.fail("has weights that are not a four-dimensional array of floating-point numbers");
    }
    read_window(node, weights.shape[2], layer);
    layer.groups = small_number(node, node.integer("group", 1), "group");
    if (layer.groups < 1 || channels % layer.groups != 0 || weights.shape[1] != channels / layer.groups ||
        weights.shape[2] != layer.kernel || weights.shape[3] != layer.kernel) {
        node.fail("has weights that do not fit its input of " + std::to_string(channels) + " channels");
    }
    layer.weights = weights.floats;
    const auto outputs = static_cast<std::size_t>(weights.shape[0]);
    if (bias != nullptr && (bias->is_integer || bias->size() != outputs)) {
        node.fail("has a bias that does not fit its weights");
    }
    layer.bias = bias != nullptr ? bias->floats : std::vector<float>(outputs, 0.0F);
    return layer;
}

void read_whole(const OnnxNode& node, const PhasesValue& input, std::int32_t channels, NetworkLayer& convolution) {
    const auto whole = [](const Phase& phase) { return phase.row >= 0 && phase.column >= 0; };
    if (!std::all_of(input.phases.begin(), input.phases.end(), whole) || convolution.groups != 1 ||
        convolution.dilation != 1) {
        node.fail("reads every second row or column otherwise than YOLOX does, which is not supported");
    }
    const auto kernel = static_cast<std::size_t>(convolution.kernel);
    const auto inputs = static_cast<std::size_t>(channels);
    std::vector<float> weights(convolution.bias.size() * inputs * 4 * kernel * kernel, 0.0F);
    const float* weight = convolution.weights.data();
    for (std::size_t o = 0; o < convolution.bias.size(); ++o) {
        for (const Phase& phase : input.phases) {
            for (std::size_t c = 0; c < inputs; ++c) {
                for (std::size_t y = 0; y < kernel; ++y) {
                    for (std::size_t x = 0; x < kernel; ++x) {
                        const std::size_t row = 2 * y + static_cast<std::size_t>(phase.row);
                        const std::size_t column = 2 * x + static_cast<std::size_t>(phase.column);
                        weights[((o * inputs + c) * 2 * kernel + row) * 2 * kernel + column] += *weight++;
                    }
                }
            }
        }
    }
    convolution.weights = std::move(weights);
    convolution.kernel *= 2;
    convolution.stride *= 2;
    convolution.padding *= 2;
}

NetworkLayer pool_layer(const OnnxNode& node) {
    NetworkLayer layer;
    layer.kind = LayerKind::max_pool;
    layer.name = node.name();
    if (!node.has("kernel_shape")) node.fail("has no kernel_shape");
    read_window(node, 1, layer);
    if (layer.dilation != 1 || node.integer("ceil_mode", 0) != 0 || node.integer("storage_order", 0) != 0 ||
        node.outputs().size() > 1) {
        node.fail("has dilations, ceil_mode or indices, which are not supported");
    }
    return layer;
}

NetworkLayer upsample_layer(const OnnxNode& node, const OnnxTensor* scales, const OnnxTensor* sizes, MapSize size) {
    NetworkLayer layer;
    layer.kind = LayerKind::upsample;
    layer.name = node.name();
    // Each of these modes repeats every value if the factor is an integer.
    const std::string mode = node.text("mode", "nearest");
    const std::string coordinates =
        node.text("coordinate_transformation_mode", node.op() == "Upsample" ? "asymmetric" : "half_pixel");
    const std::string rounding = node.text("nearest_mode", node.op() == "Upsample" ? "floor" : "round_prefer_floor");
    const bool repeats = mode == "nearest" && ((coordinates == "asymmetric" && rounding == "floor") ||
                                               (coordinates == "half_pixel" && rounding.rfind("round_prefer", 0) == 0));
    if (!repeats) {
        node.fail("resizes by " + mode + ", " + coordinates + ", " + rounding +
                  "; only nearest by integer factors is supported");
    }
    double factors[4] = {1, 1, 0, 0};
    if (scales != nullptr && !scales->is_integer && scales->size() == 4) {
        std::copy(scales->floats.begin(), scales->floats.end(), factors);
    } else if (sizes != nullptr && sizes->is_integer && sizes->size() == 4) {
        factors[2] = static_cast<double>(sizes->integers[2]) / size.height;
        factors[3] = static_cast<double>(sizes->integers[3]) / size.width;
    } else {
        node.fail("has a scale or a size that is not constant, which is not supported");
    }
    if (factors[0] != 1 || factors[1] != 1 || factors[2] != factors[3] || factors[2] != std::floor(factors[2]) ||
        !(factors[2] >= 1 && factors[2] <= 16)) {
        node.fail("resizes by factors that are not equal integers, which is not supported");
    }
    layer.factor = static_cast<std::int32_t>(factors[2]);
    return layer;
}

ChannelScale batch_norm(const OnnxNode& node, const std::vector<const OnnxTensor*>& constants, std::int32_t channels) {
    const auto count = static_cast<std::size_t>(channels);
    if (constants.size() != 4) node.fail("has no scale, bias, mean or variance");
    for (const OnnxTensor* constant : constants) {
        if (constant == nullptr || constant->is_integer || constant->size() != count) {
            node.fail("has scale, bias, mean or variance that do not fit its input");
        }
    }
    if (node.integer("training_mode", 0) != 0) node.fail("is in training mode");
    const double epsilon = static_cast<double>(node.real("epsilon", 1e-5F));
    ChannelScale result;
    for (std::size_t i = 0; i < count; ++i) {
        const double variance = static_cast<double>(constants[3]->floats[i]) + epsilon;
        if (!(variance > 0)) node.fail("has a variance that is not positive");
        const double scale = static_cast<double>(constants[0]->floats[i]) / std::sqrt(variance);
        result.scale.push_back(static_cast<float>(scale));
        result.shift.push_back(static_cast<float>(static_cast<double>(constants[1]->floats[i]) -
                                                  static_cast<double>(constants[2]->floats[i]) * scale));
    }
    return result;
}

void fold(const ChannelScale& scale, NetworkLayer& convolution) {
    const std::size_t per_channel = convolution.weights.size() / convolution.bias.size();
    for (std::size_t channel = 0; channel < convolution.bias.size(); ++channel) {
        for (std::size_t i = 0; i < per_channel; ++i) {
            convolution.weights[channel * per_channel + i] *= scale.scale[channel];
        }
        convolution.bias[channel] = convolution.bias[channel] * scale.scale[channel] + scale.shift[channel];
    }
}

NetworkLayer scale_layer(const std::string& name, ChannelScale scale) {
    NetworkLayer layer;
    layer.kind = LayerKind::convolution;
    layer.name = name;
    layer.groups = static_cast<std::int32_t>(scale.scale.size());
    layer.weights = std::move(scale.scale);
    layer.bias = std::move(scale.shift);
    return layer;
}

}  // namespace throng
