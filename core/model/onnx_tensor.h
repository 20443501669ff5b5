// Constants of an ONNX graph, and the arithmetic on them that exporters leave in a file: composed shapes and the
// decoding of boxes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace throng {

namespace onnx {
class TensorProto;
}

class OnnxNode;

// Row-major. Integers and booleans are kept as integers, all floating types as float.
struct OnnxTensor {
    std::vector<std::int64_t> shape;
    bool is_integer = false;
    std::vector<float> floats;
    std::vector<std::int64_t> integers;

    [[nodiscard]] std::size_t size() const { return is_integer ? integers.size() : floats.size(); }
    // True for an integer tensor of rank 0 or 1.
    [[nodiscard]] bool is_list() const { return is_integer && shape.size() <= 1; }
};

inline constexpr std::size_t kMaxConstant = std::size_t{1} << 26;  // elements
inline constexpr int kMaxDimensions = 8;                           // of constants and other values

// Throws Error(input) at `where` for external data, an unknown type, and data that does not fit the shape.
[[nodiscard]] OnnxTensor read_tensor(const onnx::TensorProto& proto, const std::string& where);

// Returns true for the operators that evaluate_node supports: Constant, Identity, Cast, Unsqueeze, Squeeze, Reshape,
// Gather, Slice, Concat, Exp, Add, Sub, Mul, Div.
[[nodiscard]] bool can_evaluate(const std::string& op);

// Returns the result of a node whose inputs are all constants. A missing optional input is null. Throws Error(input)
// naming the node for inputs that the operator does not accept.
[[nodiscard]] OnnxTensor evaluate_node(const OnnxNode& node, const std::vector<const OnnxTensor*>& inputs);

}  // namespace throng
