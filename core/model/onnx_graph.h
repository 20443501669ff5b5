// The graph of an ONNX file after its checks: operators in an executable order, constants, inputs and outputs. The
// operators are not interpreted here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/onnx_tensor.h"

namespace throng {

namespace onnx {
class AttributeProto;
class NodeProto;
}  // namespace onnx

// One operator. Attributes are read by name; an attribute with an unexpected type is an Error(input).
class OnnxNode {
public:
    // The file's protobuf message must outlive the node.
    OnnxNode(const onnx::NodeProto& proto, const std::string& file);

    [[nodiscard]] const std::string& op() const { return op_; }  // with its domain if that is not ONNX's own
    [[nodiscard]] const std::vector<std::string>& inputs() const { return inputs_; }  // "" for an omitted input
    [[nodiscard]] const std::vector<std::string>& outputs() const { return outputs_; }
    // Returns the node's own name if it has one, else that of its first output.
    [[nodiscard]] const std::string& name() const { return name_; }

    [[nodiscard]] bool has(std::string_view attribute) const { return find(attribute) != nullptr; }
    [[nodiscard]] std::int64_t integer(std::string_view attribute, std::int64_t fallback) const;
    [[nodiscard]] float real(std::string_view attribute, float fallback) const;
    [[nodiscard]] std::string text(std::string_view attribute, std::string_view fallback) const;
    // Empty if the attribute is absent.
    [[nodiscard]] std::vector<std::int64_t> integers(std::string_view attribute) const;
    [[nodiscard]] std::vector<float> reals(std::string_view attribute) const;
    [[nodiscard]] OnnxTensor tensor(std::string_view attribute) const;

    // "model.onnx, Conv conv1"
    [[nodiscard]] std::string where() const;
    [[noreturn]] void fail(const std::string& problem, const std::string& advice = {}) const;

private:
    [[nodiscard]] const onnx::AttributeProto* find(std::string_view attribute) const;
    const onnx::AttributeProto* find(std::string_view attribute, int type) const;

    const onnx::NodeProto* proto_;
    std::string file_;
    std::string op_;
    std::string name_;
    std::vector<std::string> inputs_;
    std::vector<std::string> outputs_;
};

struct OnnxValueInfo {
    std::string name;
    bool has_shape = false;
    std::vector<std::int64_t> shape;  // -1: not fixed
    bool is_float = false;
};

struct OnnxGraph {
    std::string file;
    std::int64_t opset = 0;
    std::vector<OnnxNode> nodes;  // each after the nodes whose outputs it reads
    std::map<std::string, OnnxTensor> constants;
    std::vector<OnnxValueInfo> inputs;  // without those that constants initialize
    std::vector<OnnxValueInfo> outputs;
    std::shared_ptr<const void> message;  // keeps the message of the nodes alive
};

inline constexpr std::int64_t kFirstOpset = 7;
inline constexpr std::int64_t kLastOpset = 21;

// bytes is a whole file, called `name` in messages. Throws Error(input) with problem and location if it is not a valid
// ONNX model: another format, damage, external data, a cycle. Also for an opset outside [kFirstOpset, kLastOpset] and
// for a value written by no operator or by two.
[[nodiscard]] OnnxGraph parse_onnx_graph(std::string_view bytes, const std::string& name);

}  // namespace throng
