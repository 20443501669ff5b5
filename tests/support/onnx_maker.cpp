#include "tests/support/onnx_maker.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "core/model/onnx.pb.h"

namespace throng::test {
namespace {

using Shape = std::vector<std::int64_t>;

class Maker {
public:
    Maker(std::uint64_t seed, std::int64_t width, std::int64_t height) : random_(seed) {
        model_.set_ir_version(6);
        model_.add_opset_import()->set_version(11);
        graph().set_name("tiny");
        info(*graph().add_input(), "input", {1, 3, height, width});
    }

    onnx::ModelProto take() { return std::move(model_); }
    onnx::GraphProto& graph() { return *model_.mutable_graph(); }

    std::string node(const std::string& op, const std::vector<std::string>& inputs, const std::string& output) {
        onnx::NodeProto& node = *graph().add_node();
        node.set_op_type(op);
        for (const std::string& input : inputs) node.add_input(input);
        node.add_output(output);
        return output;
    }
    onnx::NodeProto& last() { return *graph().mutable_node(graph().node_size() - 1); }

    void ints(const char* name, const Shape& values) {
        onnx::AttributeProto& attribute = *last().add_attribute();
        attribute.set_name(name);
        attribute.set_type(onnx::AttributeProto::INTS);
        for (const std::int64_t value : values) attribute.add_ints(value);
    }
    void integer(const char* name, std::int64_t value) {
        onnx::AttributeProto& attribute = *last().add_attribute();
        attribute.set_name(name);
        attribute.set_type(onnx::AttributeProto::INT);
        attribute.set_i(value);
    }
    void real(const char* name, float value) {
        onnx::AttributeProto& attribute = *last().add_attribute();
        attribute.set_name(name);
        attribute.set_type(onnx::AttributeProto::FLOAT);
        attribute.set_f(value);
    }
    void text(const char* name, const char* value) {
        onnx::AttributeProto& attribute = *last().add_attribute();
        attribute.set_name(name);
        attribute.set_type(onnx::AttributeProto::STRING);
        attribute.set_s(value);
    }

    std::string floats(const std::string& name, const Shape& shape, const std::vector<float>& values) {
        onnx::TensorProto& tensor = *graph().add_initializer();
        tensor.set_name(name);
        tensor.set_data_type(onnx::TensorProto::FLOAT);
        for (const std::int64_t dim : shape) tensor.add_dims(dim);
        for (const float value : values) tensor.add_float_data(value);
        return name;
    }
    std::string integers(const std::string& name, const Shape& values) {
        onnx::TensorProto& tensor = *graph().add_initializer();
        tensor.set_name(name);
        tensor.set_data_type(onnx::TensorProto::INT64);
        tensor.add_dims(static_cast<std::int64_t>(values.size()));
        tensor.set_raw_data(values.data(), values.size() * sizeof(std::int64_t));
        return name;
    }
    std::vector<float> some(std::size_t count, float low, float high) {
        std::vector<float> values(count);
        for (float& v : values) v = low + (high - low) * static_cast<float>(random_() >> 40U) / (1U << 24U);
        return values;
    }

    std::string conv(const std::string& in, const std::string& out, std::int64_t from, std::int64_t to, int kernel,
                     int stride, bool depthwise, bool relu, bool norm = false) {
        const std::int64_t group_inputs = depthwise ? 1 : from;
        const auto count = static_cast<std::size_t>(to * group_inputs * kernel * kernel);
        const float reach = 1.5F / std::sqrt(static_cast<float>(group_inputs * kernel * kernel));
        const std::string w = floats(out + ".w", {to, group_inputs, kernel, kernel}, some(count, -reach, reach));
        const std::string b = floats(out + ".b", {to}, some(static_cast<std::size_t>(to), -0.3F, 0.3F));
        std::string name = node("Conv", {in, w, b}, relu || norm ? out + ".c" : out);
        ints("kernel_shape", {kernel, kernel});
        ints("strides", {stride, stride});
        ints("pads", {kernel / 2, kernel / 2, kernel / 2, kernel / 2});
        integer("group", depthwise ? from : 1);
        if (norm) {
            const auto n = static_cast<std::size_t>(to);
            name = node(
                "BatchNormalization",
                {name, floats(out + ".s", {to}, some(n, 0.5F, 1.5F)), floats(out + ".o", {to}, some(n, -0.2F, 0.2F)),
                 floats(out + ".m", {to}, some(n, -0.2F, 0.2F)), floats(out + ".v", {to}, some(n, 0.5F, 2.0F))},
                relu ? out + ".n" : out);
        }
        return relu ? node("Relu", {name}, out) : name;
    }

    // x * sigmoid(x) after a convolution.
    std::string silu_conv(const std::string& in, const std::string& out, std::int64_t from, std::int64_t to, int kernel,
                          int stride, bool depthwise) {
        const std::string x = conv(in, out + ".x", from, to, kernel, stride, depthwise, false);
        return node("Mul", {x, node("Sigmoid", {x}, out + ".g")}, out);
    }

    std::string leaky_conv(const std::string& in, const std::string& out, std::int64_t from, std::int64_t to,
                           int kernel, int stride, bool depthwise) {
        node("LeakyRelu", {conv(in, out + ".x", from, to, kernel, stride, depthwise, false)}, out);
        real("alpha", 0.1F);
        return out;
    }

    std::string resize(const std::string& in, const std::string& out) {
        node("Resize", {in, floats(out + ".roi", {0}, {}), floats(out + ".scales", {4}, {1, 1, 2, 2})}, out);
        text("coordinate_transformation_mode", "asymmetric");
        text("mode", "nearest");
        text("nearest_mode", "floor");
        return out;
    }

    std::string join(const std::vector<std::string>& inputs, const std::string& out, std::int64_t axis) {
        node("Concat", inputs, out);
        integer("axis", axis);
        return out;
    }

    std::string rows(const std::string& map, const std::string& out, std::int64_t columns) {
        node("Transpose", {map}, out + ".t");
        ints("perm", {0, 2, 3, 1});
        return node("Reshape", {out + ".t", integers(out + ".shape", {1, -1, columns})}, out);
    }

    void output(const std::string& name, const Shape& shape) { info(*graph().add_output(), name, shape); }

private:
    static void info(onnx::ValueInfoProto& value, const std::string& name, const Shape& shape) {
        value.set_name(name);
        auto& tensor = *value.mutable_type()->mutable_tensor_type();
        tensor.set_elem_type(onnx::TensorProto::FLOAT);
        for (const std::int64_t dim : shape) {
            auto& d = *tensor.mutable_shape()->add_dim();
            dim > 0 ? d.set_dim_value(dim) : d.set_dim_param("n");
        }
    }

    onnx::ModelProto model_;
    std::mt19937_64 random_;
};

}  // namespace

onnx::ModelProto tiny_yunet(std::uint64_t seed) {
    Maker m(seed, 64, 64);
    std::string x = m.conv("input", "stem", 3, 8, 3, 2, false, true);
    const auto pool = [&](const std::string& in, const std::string& out) {
        m.node("MaxPool", {in}, out);
        m.ints("kernel_shape", {2, 2});
        m.ints("strides", {2, 2});
        return out;
    };
    x = pool(m.conv(x, "a", 8, 8, 1, 1, false, false), "pa");
    const std::string at8 = pool(m.conv(m.conv(x, "b1", 8, 8, 1, 1, false, false), "b", 8, 8, 3, 1, true, true), "pb");
    const std::string at16 = pool(m.conv(at8, "c", 8, 8, 3, 1, true, true), "pc");
    const std::string at32 = pool(m.conv(at16, "d", 8, 8, 3, 1, true, true), "pd");
    m.resize(at32, "up");
    const std::string sum = m.node("Add", {at16, "up"}, "sum");
    const std::string levels[3] = {at8, sum, at32};
    for (int i = 0; i < 3; ++i) {
        const std::string end = "_" + std::to_string(8 << i);
        const std::int64_t cells = (64 / (8 << i)) * (64 / (8 << i));
        struct Head {
            const char* name;
            std::int64_t columns;
        };
        for (const Head head : {Head{"cls", 1}, Head{"obj", 1}, Head{"bbox", 4}, Head{"kps", 10}}) {
            const std::string name = head.name + end;
            const bool score = head.columns == 1;
            const std::string map = m.conv(m.conv(levels[i], name + ".1", 8, head.columns, 1, 1, false, false),
                                           name + ".2", head.columns, head.columns, 3, 1, true, false);
            m.rows(map, score ? name + ".r" : name, head.columns);
            if (score) m.node("Sigmoid", {name + ".r"}, name);
            m.output(name, {1, cells, head.columns});
        }
    }
    return m.take();
}

onnx::ModelProto yunet_of_faces_everywhere() {
    onnx::ModelProto model = tiny_yunet(1);
    // The last layer of each head returns its bias.
    for (onnx::TensorProto& tensor : *model.mutable_graph()->mutable_initializer()) {
        const std::string& name = tensor.name();
        const bool is_bias = name.ends_with(".2.b");
        if (!is_bias && !name.ends_with(".2.w")) continue;
        for (int i = 0; i < tensor.float_data_size(); ++i) {
            float value = 0;
            if (is_bias && name.starts_with("bbox")) value = i < 2 ? 0.5F : std::log(3.0F);
            if (is_bias && (name.starts_with("cls") || name.starts_with("obj"))) value = 10;
            tensor.set_float_data(i, value);
        }
    }
    return model;
}

onnx::ModelProto tiny_ultraface(std::uint64_t seed) {
    constexpr std::int64_t kWidth = 64;
    constexpr std::int64_t kHeight = 48;
    Maker m(seed, kWidth, kHeight);
    std::string x = m.conv("input", "stem", 3, 8, 3, 2, false, true, true);
    x = m.conv(x, "a", 8, 8, 3, 2, true, true, true);
    const std::string at8 = m.conv(x, "b", 8, 8, 3, 2, true, true, true);
    const std::string at16 = m.conv(at8, "c", 8, 8, 3, 2, true, true, true);
    const std::vector<std::vector<float>> priors{{10, 16}, {32, 48}};
    const std::string maps[2] = {at8, at16};
    std::vector<std::string> scores, boxes;
    std::vector<float> centers, sizes;
    std::int64_t count = 0;
    for (int i = 0; i < 2; ++i) {
        const std::string end = std::to_string(i);
        scores.push_back(m.rows(m.conv(maps[i], "score" + end, 8, 4, 3, 1, false, false), "rows_s" + end, 2));
        boxes.push_back(m.rows(m.conv(maps[i], "box" + end, 8, 8, 3, 1, false, false), "rows_b" + end, 4));
        const std::int64_t columns = kWidth / (8 << i);
        const std::int64_t rows = kHeight / (8 << i);
        for (std::int64_t y = 0; y < rows; ++y) {
            for (std::int64_t x_cell = 0; x_cell < columns; ++x_cell) {
                for (const float prior : priors[static_cast<std::size_t>(i)]) {
                    centers.push_back((static_cast<float>(x_cell) + 0.5F) / static_cast<float>(columns));
                    centers.push_back((static_cast<float>(y) + 0.5F) / static_cast<float>(rows));
                    sizes.push_back(std::min(prior / static_cast<float>(kWidth), 1.0F));
                    sizes.push_back(std::min(prior / static_cast<float>(kHeight), 1.0F));
                    ++count;
                }
            }
        }
    }
    m.join(scores, "all_scores", 1);
    m.node("Softmax", {"all_scores"}, "scores");
    m.integer("axis", 2);
    m.join(boxes, "all_boxes", 1);
    const auto part = [&](const std::string& in, const std::string& out, std::int64_t from, std::int64_t to) {
        return m.node("Slice",
                      {in, m.integers(out + ".f", {from}), m.integers(out + ".t", {to}), m.integers(out + ".a", {2})},
                      out);
    };
    m.floats("center_variance", {}, {0.1F});
    m.floats("size_variance", {}, {0.2F});
    m.floats("centers", {1, count, 2}, centers);
    m.floats("sizes", {1, count, 2}, sizes);
    m.floats("two", {}, {2.0F});
    m.node("Mul", {part("all_boxes", "offset", 0, 2), "center_variance"}, "o1");
    m.node("Mul", {"o1", "sizes"}, "o2");
    m.node("Add", {"o2", "centers"}, "center");
    m.node("Mul", {part("all_boxes", "extent", 2, INT64_MAX), "size_variance"}, "e1");
    m.node("Exp", {"e1"}, "e2");
    m.node("Mul", {"e2", "sizes"}, "size");
    m.node("Div", {"size", "two"}, "half");
    m.node("Sub", {"center", "half"}, "low");
    m.node("Add", {"center", "half"}, "high");
    m.join({"low", "high"}, "boxes", 2);
    m.output("scores", {1, count, 2});
    m.output("boxes", {1, count, 4});
    return m.take();
}

onnx::ModelProto tiny_yolox(std::uint64_t seed) {
    constexpr std::int64_t kClasses = 3;
    Maker m(seed, 64, 64);
    const std::string end = m.integers("end", {INT64_MAX});
    const std::string two = m.integers("two", {2});
    const std::string axes[2] = {m.integers("rows", {2}), m.integers("columns", {3})};
    const std::string first[2] = {m.integers("even", {0}), m.integers("odd", {1})};
    std::vector<std::string> phases;
    for (const int phase : {0, 1, 2, 3}) {  // columns before rows, as in the author's export
        const std::string name = "phase" + std::to_string(phase);
        const std::string half = m.node("Slice", {"input", first[phase % 2], end, axes[0], two}, name + ".rows");
        phases.push_back(m.node("Slice", {half, first[phase / 2], end, axes[1], two}, name));
    }
    std::string x = m.silu_conv(m.join(phases, "phases", 1), "stem", 12, 8, 3, 1, false);
    x = m.silu_conv(m.silu_conv(x, "a1", 8, 8, 3, 2, true), "a", 8, 16, 1, 1, false);
    x = m.silu_conv(m.silu_conv(x, "b1", 16, 16, 3, 2, true), "b", 16, 16, 1, 1, false);
    const std::string at8 = m.node("Add", {m.silu_conv(x, "b2", 16, 16, 3, 1, true), x}, "at8");
    const std::string at16 = m.silu_conv(at8, "at16", 16, 16, 3, 2, true);
    x = m.silu_conv(at16, "d", 16, 16, 3, 2, true);
    std::vector<std::string> pools{x};
    for (const int side : {5, 13}) {
        pools.push_back(m.node("MaxPool", {x}, "pool" + std::to_string(side)));
        m.ints("kernel_shape", {side, side});
        m.ints("strides", {1, 1});
        m.ints("pads", {side / 2, side / 2, side / 2, side / 2});
    }
    const std::string at32 = m.silu_conv(m.join(pools, "pools", 1), "at32", 48, 16, 1, 1, false);
    const std::string up16 =
        m.silu_conv(m.join({m.resize(at32, "f.up"), at16}, "f.all", 1), "up16", 32, 16, 1, 1, false);
    const std::string up8 = m.silu_conv(m.join({m.resize(up16, "g.up"), at8}, "g.all", 1), "up8", 32, 16, 1, 1, false);
    std::vector<std::string> levels;
    std::int64_t cells = 0;
    for (const std::string& in : {up8, up16, at32}) {
        const std::string name = in + ".head";
        const std::string cls = m.silu_conv(in, name + ".c", 16, 16, 1, 1, false);
        const std::string reg = m.silu_conv(in, name + ".r", 16, 16, 1, 1, false);
        const std::string box = m.conv(reg, name + ".box", 16, 4, 1, 1, false, false);
        const std::string object =
            m.node("Sigmoid", {m.conv(reg, name + ".object.x", 16, 1, 1, 1, false, false)}, name + ".object");
        const std::string score =
            m.node("Sigmoid", {m.conv(cls, name + ".score.x", 16, kClasses, 1, 1, false, false)}, name + ".score");
        const std::string maps = m.join({box, object, score}, name, 1);
        levels.push_back(
            m.node("Reshape", {maps, m.integers(name + ".shape", {1, 5 + kClasses, -1})}, name + ".columns"));
        const std::int64_t side = 8 >> (levels.size() - 1);
        cells += side * side;
    }
    m.node("Transpose", {m.join(levels, "columns_of_all", 2)}, "output");
    m.ints("perm", {0, 2, 1});
    m.output("output", {1, cells, 5 + kClasses});
    return m.take();
}

onnx::ModelProto tiny_retinaface(std::uint64_t seed) {
    Maker m(seed, 64, 64);
    std::string x = m.leaky_conv("input", "stem", 3, 8, 3, 2, false);
    x = m.leaky_conv(m.leaky_conv(x, "a1", 8, 8, 3, 2, true), "a", 8, 16, 1, 1, false);
    const std::string at8 = m.leaky_conv(x, "at8", 16, 16, 3, 2, true);
    const std::string at16 = m.leaky_conv(at8, "at16", 16, 16, 3, 2, true);
    const std::string at32 = m.leaky_conv(at16, "at32", 16, 16, 3, 2, true);
    const std::string up16 = m.leaky_conv(m.node("Add", {at16, m.resize(at32, "u")}, "s"), "up16", 16, 16, 3, 1, false);
    std::vector<std::string> tables[3];
    constexpr std::int64_t kColumns[3] = {4, 2, 10};
    for (const std::string& in : {at8, up16, at32}) {
        const std::string name = in + ".head";
        const std::string left = m.conv(in, name + ".3", 16, 8, 3, 1, false, false);
        const std::string right = m.conv(in, name + ".5", 16, 8, 5, 1, false, false);
        const std::string both = m.node("Relu", {m.join({left, right}, name + ".c", 1)}, name);
        for (std::size_t t = 0; t < 3; ++t) {
            const std::string map = name + std::to_string(t);
            tables[t].push_back(
                m.rows(m.conv(both, map, 16, 2 * kColumns[t], 1, 1, false, false), map + ".rows", kColumns[t]));
        }
    }
    constexpr std::int64_t kRows = 2 * (64 + 16 + 4);
    for (std::size_t t = 0; t < 3; ++t) {
        const std::string name = "output" + std::to_string(t);
        m.join(tables[t], t == 1 ? "logits" : name, 1);
        if (t == 1) {
            m.node("Softmax", {"logits"}, name);
            m.integer("axis", 2);
        }
        m.output(name, {1, kRows, kColumns[t]});
    }
    return m.take();
}

std::string bytes_of(const onnx::ModelProto& model) {
    return model.SerializeAsString();
}

onnx::NodeProto& node_of(onnx::ModelProto& model, const std::string& output) {
    for (onnx::NodeProto& node : *model.mutable_graph()->mutable_node()) {
        if (node.output(0) == output) return node;
    }
    std::abort();
}

}  // namespace throng::test
