// Generates small ONNX models for tests with the protobuf schema and seeded random weights.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace throng::onnx {
class GraphProto;
class ModelProto;
class NodeProto;
class TensorProto;
}  // namespace throng::onnx

namespace throng::test {

// A YuNet of three strides with 8 channels: stem, depthwise and pointwise convolutions, pooling, upsampling, heads, in
// the layout of the author's export.
onnx::ModelProto tiny_yunet(std::uint64_t seed);

// An UltraFace of two strides (8 and 16), 4 priors, with batch norms and decoding in the graph.
onnx::ModelProto tiny_ultraface(std::uint64_t seed);

// A YOLOX of three strides and three classes, in the layout of the author's export: space to depth by slices, SiLU,
// pooling without stride, decoupled heads.
onnx::ModelProto tiny_yolox(std::uint64_t seed);

// A RetinaFace of three strides, 2 priors per cell, as the author exports it: not decoded, with LeakyReLU.
onnx::ModelProto tiny_retinaface(std::uint64_t seed);

// A YuNet that finds a face in every cell: a square of three strides around its center, with a score of almost 1.
onnx::ModelProto yunet_of_faces_everywhere();

std::string bytes_of(const onnx::ModelProto& model);

// Returns the node whose first output has this name. Terminates the test program if there is none.
onnx::NodeProto& node_of(onnx::ModelProto& model, const std::string& output);

}  // namespace throng::test
