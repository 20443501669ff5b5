#include "core/model/onnx_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>

#include "core/base/error.h"
#include "core/model/onnx.pb.h"
#include "core/model/onnx_tensor.h"

namespace throng {
namespace {

constexpr int kMaxOperators = 1 << 16;

bool begins_with(std::string_view text, std::string_view beginning) {
    return text.substr(0, beginning.size()) == beginning;
}

// Recognizes other formats that are often passed as models; empty if the format is unknown.
Message other_format(std::string_view bytes) {
    if (bytes.empty()) return "is empty";
    if (begins_with(bytes, "version https://git-lfs")) {
        return "is a Git LFS pointer, not the model itself";
    }
    if (begins_with(bytes, "<?xml") || begins_with(bytes, "<opencv")) return "is an XML file, perhaps a cascade";
    if (begins_with(bytes, "<!") || begins_with(bytes, "<html")) return "is a web page, not a model";
    if (begins_with(bytes, "PK")) return "is a ZIP archive, perhaps a PyTorch model";
    if (bytes.size() > 8 && bytes.substr(4, 4) == "TFL3") return "is a TensorFlow Lite model";
    if (begins_with(bytes, "\x89HDF")) return "is an HDF5 file, perhaps a Keras model";
    return {};
}

[[noreturn]] void not_onnx(std::string_view bytes, const std::string& name) {
    Message guess = other_format(bytes);
    // A model starts with the version of its format: field 1, a small number.
    const bool plausible = bytes.size() > 2 && bytes[0] == '\x08' && bytes[1] > 0 && bytes[1] < 32;
    if (guess.empty()) {
        guess = plausible ? Message("is a truncated or damaged ONNX model of %1 bytes", bytes.size())
                          : Message("is not an ONNX model");
    }
    throw Error(ErrorKind::input, guess, name,
                plausible ? "download the file again; `throng models` lists sizes and checksums"
                          : "use a YuNet, UltraFace, RetinaFace or YOLOX model, see `throng models`");
}

OnnxValueInfo value_info(const onnx::ValueInfoProto& proto) {
    OnnxValueInfo info;
    info.name = proto.name();
    if (!proto.has_type() || !proto.type().has_tensor_type()) return info;
    const auto& tensor = proto.type().tensor_type();
    info.is_float = tensor.elem_type() == onnx::TensorProto::FLOAT;
    info.has_shape = tensor.has_shape() && tensor.shape().dim_size() <= kMaxDimensions;
    if (!info.has_shape) return info;
    for (const auto& dim : tensor.shape().dim()) {
        info.shape.push_back(dim.has_dim_value() && dim.dim_value() > 0 ? dim.dim_value() : -1);
    }
    return info;
}

class GraphReader {
public:
    GraphReader(std::shared_ptr<const onnx::ModelProto> model, const std::string& name) : model_(std::move(model)) {
        graph_.file = name;
    }

    OnnxGraph run() {
        read_opset();
        const onnx::GraphProto& proto = model_->graph();
        if (proto.node_size() > kMaxOperators) fail("has more operators than any detector");
        for (const onnx::TensorProto& tensor : proto.initializer()) {
            const std::string where = graph_.file + ", constant " + tensor.name();
            if (!graph_.constants.emplace(tensor.name(), read_tensor(tensor, where)).second) {
                throw Error(ErrorKind::input, "is defined twice in the file", where);
            }
            writers_.emplace(tensor.name(), kConstant);
        }
        for (const onnx::ValueInfoProto& value : proto.input()) {
            // Older files list constants among the inputs.
            if (graph_.constants.count(value.name()) != 0) continue;
            graph_.inputs.push_back(value_info(value));
            if (!writers_.emplace(value.name(), kConstant).second) fail("has two inputs called " + value.name());
        }
        for (const onnx::ValueInfoProto& value : proto.output()) graph_.outputs.push_back(value_info(value));
        for (const onnx::NodeProto& node : proto.node()) graph_.nodes.emplace_back(node, graph_.file);
        order_nodes();
        for (const OnnxValueInfo& output : graph_.outputs) {
            if (writers_.count(output.name) == 0) fail("has an output that no operator writes: " + output.name);
        }
        graph_.message = model_;
        return std::move(graph_);
    }

private:
    static constexpr std::size_t kConstant = std::numeric_limits<std::size_t>::max();

    [[noreturn]] void fail(const std::string& problem, const std::string& advice = {}) const {
        throw Error(ErrorKind::input, problem, graph_.file, advice);
    }

    void read_opset() {
        for (const onnx::OperatorSetIdProto& set : model_->opset_import()) {
            if (set.domain().empty() || set.domain() == "ai.onnx") graph_.opset = set.version();
        }
        if (graph_.opset == 0) {
            fail("specifies no operator set and may be truncated",
                 "download the file again; `throng models` lists sizes and checksums");
        }
        if (graph_.opset < kFirstOpset || graph_.opset > kLastOpset) {
            fail(fmt::format("requires ONNX operator set {}; supported are {} to {}", graph_.opset, kFirstOpset,
                             kLastOpset),
                 "export the model again with another opset_version");
        }
    }

    // Kahn's algorithm. The format requires sorted operators, but some files are not sorted.
    void order_nodes() {
        std::vector<OnnxNode>& nodes = graph_.nodes;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            for (const std::string& output : nodes[i].outputs()) {
                if (!output.empty() && !writers_.emplace(output, i).second) {
                    nodes[i].fail("writes " + output + ", which is also written elsewhere");
                }
            }
        }
        std::vector<std::vector<std::size_t>> readers(nodes.size());
        std::vector<std::size_t> waits_for(nodes.size(), 0);
        std::deque<std::size_t> ready;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            for (const std::string& input : nodes[i].inputs()) {
                if (input.empty()) continue;
                const auto writer = writers_.find(input);
                if (writer == writers_.end()) nodes[i].fail("reads " + input + ", which no operator writes");
                if (writer->second == kConstant) continue;
                readers[writer->second].push_back(i);
                ++waits_for[i];
            }
            if (waits_for[i] == 0) ready.push_back(i);
        }
        std::vector<OnnxNode> ordered;
        while (!ready.empty()) {
            const std::size_t i = ready.front();
            ready.pop_front();
            ordered.push_back(nodes[i]);
            for (const std::size_t reader : readers[i]) {
                if (--waits_for[reader] == 0) ready.push_back(reader);
            }
        }
        if (ordered.size() != nodes.size()) {
            const auto stuck = std::find_if(waits_for.begin(), waits_for.end(), [](std::size_t n) { return n > 0; });
            nodes[static_cast<std::size_t>(stuck - waits_for.begin())].fail("is part of a cycle or depends on one");
        }
        nodes = std::move(ordered);
    }

    std::shared_ptr<const onnx::ModelProto> model_;
    OnnxGraph graph_;
    std::map<std::string, std::size_t> writers_;
};

}  // namespace

OnnxNode::OnnxNode(const onnx::NodeProto& proto, const std::string& file)
    : proto_(&proto),
      file_(file),
      op_(proto.op_type()),
      name_(proto.name()),
      inputs_(proto.input().begin(), proto.input().end()),
      outputs_(proto.output().begin(), proto.output().end()) {
    if (!proto.domain().empty() && proto.domain() != "ai.onnx") op_ = proto.domain() + "." + op_;
    if (name_.empty() && !outputs_.empty()) name_ = outputs_.front();
    if (outputs_.empty() || outputs_.front().empty()) fail("has no output");
}

std::string OnnxNode::where() const {
    return file_ + ", " + op_ + " " + name_;
}

void OnnxNode::fail(const std::string& problem, const std::string& advice) const {
    throw Error(ErrorKind::input, problem, where(), advice);
}

const onnx::AttributeProto* OnnxNode::find(std::string_view attribute) const {
    for (const onnx::AttributeProto& found : proto_->attribute()) {
        if (found.name() == attribute) return &found;
    }
    return nullptr;
}

const onnx::AttributeProto* OnnxNode::find(std::string_view attribute, int type) const {
    const onnx::AttributeProto* found = find(attribute);
    // Files of the first format versions omit the type.
    const bool fits = found == nullptr || !found->has_type() || found->type() == type ||
                      found->type() == onnx::AttributeProto::UNDEFINED;
    if (!fits) fail("has an attribute of the wrong type: " + std::string(attribute));
    return found;
}

std::int64_t OnnxNode::integer(std::string_view attribute, std::int64_t fallback) const {
    const onnx::AttributeProto* found = find(attribute, onnx::AttributeProto::INT);
    return found != nullptr ? found->i() : fallback;
}

float OnnxNode::real(std::string_view attribute, float fallback) const {
    const onnx::AttributeProto* found = find(attribute, onnx::AttributeProto::FLOAT);
    return found != nullptr ? found->f() : fallback;
}

std::string OnnxNode::text(std::string_view attribute, std::string_view fallback) const {
    const onnx::AttributeProto* found = find(attribute, onnx::AttributeProto::STRING);
    return found != nullptr ? found->s() : std::string(fallback);
}

std::vector<std::int64_t> OnnxNode::integers(std::string_view attribute) const {
    const onnx::AttributeProto* found = find(attribute, onnx::AttributeProto::INTS);
    if (found == nullptr) return {};
    return {found->ints().begin(), found->ints().end()};
}

std::vector<float> OnnxNode::reals(std::string_view attribute) const {
    const onnx::AttributeProto* found = find(attribute, onnx::AttributeProto::FLOATS);
    if (found == nullptr) return {};
    return {found->floats().begin(), found->floats().end()};
}

OnnxTensor OnnxNode::tensor(std::string_view attribute) const {
    const onnx::AttributeProto* found = find(attribute, onnx::AttributeProto::TENSOR);
    if (found == nullptr || !found->has_t()) fail("has no " + std::string(attribute));
    return read_tensor(found->t(), where());
}

OnnxGraph parse_onnx_graph(std::string_view bytes, const std::string& name) {
    auto model = std::make_shared<onnx::ModelProto>();
    const bool small = bytes.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max());
    if (!small || bytes.empty() || !model->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
        !model->has_ir_version() || !model->has_graph() || model->graph().node_size() == 0) {
        not_onnx(bytes, name);
    }
    return GraphReader(std::move(model), name).run();
}

}  // namespace throng
