// A convolutional detector of faces or people as read from a file: owned, checked, ready for the CPU and GPU engines.
//
// A reader reduces a model to convolutions with folded batch norms and activations, pooling, upsampling, additions and
// concatenations. They are stored in an executable order. The operators after the last convolutions (transposes,
// reshapes, sigmoid, softmax, the decoding of boxes) are recognized, checked and folded into `head`:
// core/algo/cnn_boxes.h computes them. The rest is fully convolutional, so every network takes inputs of any size, even
// if its file fixes one.
//
// Sources: W. Wu, H. Peng, S. Yu, YuNet: A Tiny Millisecond-level Face Detector (Machine Intelligence Research, 2023);
// Linzaer, Ultra-Light-Fast-Generic-Face-Detector-1MB (2019); the SSD decoding of W. Liu et al. (ECCV 2016); Z. Ge, S.
// Liu, F. Wang, Z. Li, J. Sun, YOLOX: Exceeding YOLO Series in 2021 (2021); J. Deng et al., RetinaFace (CVPR 2020).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/detect/detector.h"

namespace throng {

enum class LayerKind : std::uint8_t {
    convolution,  // inputs {x}
    max_pool,     // inputs {x}; padding is never the maximum
    upsample,     // inputs {x}; each value is repeated factor x factor times
    add,          // inputs {a, b} of the same shape
    concat,       // inputs {a, b, ...} of the same height and width; concatenates their channels
};

enum class Activation : std::uint8_t {
    none,
    relu,
    silu,   // x * sigmoid(x)
    leaky,  // x, or kLeakySlope * x if x is negative
};

inline constexpr float kLeakySlope = 0.1F;

// All kernels, strides and paddings are square. Tensors are NCHW: [batch][channels][height][width].
struct NetworkLayer {
    LayerKind kind = LayerKind::convolution;
    std::string name;                          // of the file's node, for messages
    std::vector<std::int32_t> inputs;          // indices into Network::tensors
    std::int32_t output = -1;                  // index into Network::tensors; every tensor is written once
    Activation activation = Activation::none;  // after the bias, the sum or the concatenation

    // convolution, max_pool
    std::int32_t kernel = 1;
    std::int32_t stride = 1;
    std::int32_t padding = 0;  // zeros (convolution) on each of the four sides
    // convolution
    std::int32_t dilation = 1;
    std::int32_t groups = 1;     // equal to the channels: depthwise
    std::vector<float> weights;  // [output channels][input channels / groups][kernel][kernel]
    std::vector<float> bias;     // [output channels]
    // upsample
    std::int32_t factor = 1;

    friend bool operator==(const NetworkLayer&, const NetworkLayer&) = default;
};

struct NetworkTensor {
    std::string name;  // in the file
    std::int32_t channels = 0;

    friend bool operator==(const NetworkTensor&, const NetworkTensor&) = default;
};

struct NetworkInput {
    std::int32_t tensor = 0;
    // The size fixed by the file; 0: any size. A convention of the file, not a limit of the network.
    std::int32_t width = 0;
    std::int32_t height = 0;
    bool rgb = false;  // order of the three channels: red first, or blue first
    // value = (sample - mean of its channel) * scale for samples in [0, 255]. Channels are in the order above.
    std::array<float, 3> mean{};
    float scale = 1.0F;
    float padding = 0.0F;  // the sample outside the frame

    friend bool operator==(const NetworkInput&, const NetworkInput&) = default;
};

enum class HeadFamily : std::uint8_t { yunet, ultraface, yolox, retinaface };

// Size of a prior box in input pixels, as in training: square, unless clipped by the file's input size.
struct Prior {
    float width = 0;
    float height = 0;

    friend bool operator==(const Prior&, const Prior&) = default;
};

// Output maps of one stride. Cell (column, row) of the maps corresponds to the input pixel (column * stride, row *
// stride). -1: the family has no such map.
struct HeadLevel {
    std::int32_t stride = 0;  // input pixels per cell
    // yunet, yolox [1]: logit of the class; ultraface, retinaface [2 per prior]: logits of background and face
    std::int32_t score = -1;
    std::int32_t objectness = -1;  // yunet, yolox [1]: logit
    // yunet, yolox [4]: dx, dy, log w, log h; ultraface, retinaface [4 per prior]: the same times 1 / variance
    std::int32_t box = -1;
    std::int32_t landmarks = -1;  // yunet [10]: five points dx, dy; retinaface [10 per prior]: times 1 / variance
    std::vector<Prior> priors;    // ultraface, retinaface; otherwise empty (one cell, one box)

    [[nodiscard]] std::int32_t boxes_per_cell() const {
        return priors.empty() ? 1 : static_cast<std::int32_t>(priors.size());
    }

    friend bool operator==(const HeadLevel&, const HeadLevel&) = default;
};

struct NetworkHead {
    HeadFamily family = HeadFamily::yunet;
    std::vector<HeadLevel> levels;  // strides ascending
    float center_variance = 1.0F;   // ultraface, retinaface
    float size_variance = 1.0F;     // ultraface, retinaface
    bool has_landmarks = false;     // every level has a landmark map

    friend bool operator==(const NetworkHead&, const NetworkHead&) = default;
};

struct Network {
    std::string name;  // the file
    NetworkInput input;
    std::vector<NetworkTensor> tensors;
    std::vector<NetworkLayer> layers;  // each reads tensors that the input or an earlier layer wrote
    NetworkHead head;

    friend bool operator==(const Network&, const Network&) = default;
};

struct MapSize {
    std::int32_t width = 0;
    std::int32_t height = 0;

    friend bool operator==(const MapSize&, const MapSize&) = default;
};

// Its boxes come from priors: of UltraFace and RetinaFace.
[[nodiscard]] inline bool has_priors(HeadFamily family) {
    return family == HeadFamily::ultraface || family == HeadFamily::retinaface;
}

// Returns the size of a layer's output for inputs of size `in`; 0 if nothing is left.
[[nodiscard]] MapSize size_after(const NetworkLayer& layer, MapSize in);

// Returns the size of every tensor for an input of width x height pixels, by index into network.tensors. Throws
// Error(input) naming the layer if a size becomes 0 or two sizes that must be equal differ. Inputs that are multiples
// of input_multiple always fit.
[[nodiscard]] std::vector<MapSize> resolve_sizes(const Network& network, std::int32_t width, std::int32_t height);

// Widths and heights should be multiples of this number of pixels: the largest stride of the head.
[[nodiscard]] std::int32_t input_multiple(const Network& network);

// Returns the number of multiply-adds for one input of width x height.
[[nodiscard]] std::uint64_t multiply_adds(const Network& network, std::int32_t width, std::int32_t height);

// Throws Error(input) naming the faulty layer: an index out of range, a tensor read before it is written, a tensor
// written twice. Also for weights that do not fit the channels, a number that is not finite, a count or memory size out
// of bounds, and a head that does not fit its maps. The error's location is network.name.
void check_network(const Network& network);

[[nodiscard]] std::string_view family_name(HeadFamily family);   // "YuNet", "UltraFace", "YOLOX", "RetinaFace"
[[nodiscard]] DetectorId detector_of_family(HeadFamily family);  // that runs it

}  // namespace throng
