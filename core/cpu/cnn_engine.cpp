#include "core/cpu/cnn_engine.h"

#include <algorithm>
#include <new>
#include <string>

#include "core/base/error.h"

namespace throng {
namespace {

using cv::dnn::LayerParams;

// Larger inputs indicate an error or an attack: tiles of the plan need a tenth of this.
constexpr std::uint64_t kMaxMemory = std::uint64_t{16} << 30;

// Returns a header on the network's own floats. OpenCV only reads them.
cv::Mat view(const std::vector<float>& values, const std::vector<int>& shape) {
    return cv::Mat(shape, CV_32F, const_cast<float*>(values.data()));
}

LayerParams convolution(const NetworkLayer& layer) {
    LayerParams params;
    params.type = "Convolution";
    params.set("kernel_size", layer.kernel);
    params.set("stride", layer.stride);
    params.set("pad", layer.padding);
    params.set("dilation", layer.dilation);
    params.set("group", layer.groups);
    const int outputs = static_cast<int>(layer.bias.size());
    params.set("num_output", outputs);
    params.set("bias_term", true);
    const int inputs = static_cast<int>(layer.weights.size()) / (outputs * layer.kernel * layer.kernel);  // of a group
    // Cloned into memory of OpenCV: 4.5.4 reads weights with aligned loads.
    params.blobs = {view(layer.weights, {outputs, inputs, layer.kernel, layer.kernel}).clone(),
                    view(layer.bias, {outputs}).clone()};
    return params;
}

LayerParams params_of(const NetworkLayer& layer) {
    LayerParams params;
    switch (layer.kind) {
        case LayerKind::convolution: return convolution(layer);
        case LayerKind::max_pool:
            params.type = "Pooling";
            params.set("pool", "max");
            params.set("kernel_size", layer.kernel);
            params.set("stride", layer.stride);
            params.set("pad", layer.padding);
            params.set("ceil_mode", false);
            break;
        case LayerKind::upsample:
            params.type = "Resize";
            params.set("interpolation", "nearest");
            params.set("zoom_factor", layer.factor);
            break;
        case LayerKind::add:
            params.type = "Eltwise";
            params.set("operation", "sum");
            break;
        case LayerKind::concat:
            params.type = "Concat";
            params.set("axis", 1);
            break;
    }
    return params;
}

std::uint64_t memory_need(const Network& network, const std::vector<MapSize>& sizes) {
    std::uint64_t floats = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        floats += static_cast<std::uint64_t>(sizes[i].width) * static_cast<std::uint64_t>(sizes[i].height) *
                  static_cast<std::uint64_t>(network.tensors[i].channels);
    }
    return floats * sizeof(float);
}

}  // namespace

CnnEngine::CnnEngine(const Network& network, std::int32_t width, std::int32_t height)
    : network_(network),
      width_(width),
      height_(height),
      sizes_(resolve_sizes(network, width, height)),
      output_of_(network.tensors.size(), -1) {
    if (memory_need(network, sizes_) > kMaxMemory) {
        throw Error(ErrorKind::unavailable, "the network needs too much memory for this input size",
                    std::to_string(width) + "x" + std::to_string(height), "raise --min-size");
    }
    net_.setInputsNames({"input"});
    struct Pin {
        int layer = 0;
        cv::String name;
    };
    std::vector<Pin> writers(network.tensors.size());
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
        const NetworkLayer& layer = network.layers[i];
        LayerParams params = params_of(layer);
        params.name = std::to_string(i);
        Pin pin{net_.addLayer(params.name, params.type, params), params.name};
        for (std::size_t k = 0; k < layer.inputs.size(); ++k) {
            net_.connect(writers[static_cast<std::size_t>(layer.inputs[k])].layer, 0, pin.layer, static_cast<int>(k));
        }
        if (layer.activation == Activation::relu) {
            LayerParams relu;  // OpenCV fuses it into the previous layer
            relu.name = params.name + "r";
            relu.type = "ReLU";
            const int id = net_.addLayer(relu.name, relu.type, relu);
            net_.connect(pin.layer, 0, id, 0);
            pin = {id, relu.name};
        }
        writers[static_cast<std::size_t>(layer.output)] = pin;
    }
    for (const HeadLevel& level : network.head.levels) {
        for (const std::int32_t tensor : {level.score, level.objectness, level.box, level.landmarks}) {
            if (tensor < 0 || output_of_[static_cast<std::size_t>(tensor)] >= 0) continue;
            output_of_[static_cast<std::size_t>(tensor)] = static_cast<std::int32_t>(outputs_.size());
            outputs_.push_back(writers[static_cast<std::size_t>(tensor)].name);
        }
    }
    net_.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
    net_.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
    try {
        input_.create(std::vector<int>{1, 3, height, width}, CV_32F);
        // OpenCV keeps this header, so run() processes what is written into it later.
        net_.setInput(input_, "input");
    } catch (const cv::Exception& error) {
        throw Error(ErrorKind::unavailable, "out of memory for the network: " + error.err, network.name,
                    "raise --min-size");
    }
}

void CnnEngine::run() {
    try {
        net_.setInput(input_, "input");
        net_.forward(maps_, outputs_);
    } catch (const cv::Exception& error) {
        throw Error(ErrorKind::internal, "OpenCV's DNN failed: " + error.err, network_.name);
    }
}

const float* CnnEngine::map(std::int32_t tensor) const {
    return maps_[static_cast<std::size_t>(output_of_[static_cast<std::size_t>(tensor)])].ptr<float>();
}

}  // namespace throng
