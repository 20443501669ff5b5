#include "core/model/onnx_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/model/onnx_layers.h"

namespace throng {
namespace {

constexpr std::size_t kMaxFormulaSteps = 4096;
constexpr std::int64_t kMaxInput = 1 << 14;  // pixels per side
constexpr std::int32_t kMaxMap = 1 << 15;

class NetworkBuilder {
public:
    explicit NetworkBuilder(const OnnxGraph& graph) : graph_(graph) {}

    OnnxNetwork run() {
        result_.network.name = graph_.file;
        read_input();
        count_uses();
        for (const OnnxNode& node : graph_.nodes) add(node);
        for (const OnnxValueInfo& output : graph_.outputs) {
            std::optional<OnnxValue> value = find(output.name);
            if (!value) fail("has an output of unknown value: " + output.name);
            result_.outputs.push_back(std::move(*value));
        }
        return std::move(result_);
    }

private:
    [[noreturn]] void fail(const std::string& problem, const std::string& advice = {}) const {
        throw Error(ErrorKind::input, problem, graph_.file, advice);
    }

    void read_input() {
        if (graph_.inputs.size() != 1) {
            fail("has " + std::to_string(graph_.inputs.size()) + " inputs; a detector has one: the image");
        }
        const OnnxValueInfo& input = graph_.inputs.front();
        if (!input.has_shape || !input.is_float || input.shape.size() != 4 || input.shape[0] > 1 ||
            input.shape[1] != 3) {
            fail("its input " + input.name +
                 " is not a floating-point image [1, 3, height, width] or has an unresolved "
                 "shape");
        }
        if (input.shape[2] > kMaxInput || input.shape[3] > kMaxInput) {
            fail("has an input image that is too large for memory");
        }
        Network& network = result_.network;
        network.input.height = input.shape[2] > 0 ? static_cast<std::int32_t>(input.shape[2]) : 0;
        network.input.width = input.shape[3] > 0 ? static_cast<std::int32_t>(input.shape[3]) : 0;
        result_.height = network.input.height > 0 ? network.input.height : kOpenInputSide;
        result_.width = network.input.width > 0 ? network.input.width : kOpenInputSide;
        network.tensors.push_back({input.name, 3});
        result_.sizes.push_back({result_.width, result_.height});
        writers_.push_back(-1);
        values_.emplace(input.name, MapValue{});
    }

    void count_uses() {
        for (const OnnxNode& node : graph_.nodes) {
            for (const std::string& input : node.inputs()) ++uses_[input];
        }
        for (const OnnxValueInfo& output : graph_.outputs) ++uses_[output.name];
    }

    // Values ----------------------------------------------------------------------------------------------------------

    [[nodiscard]] const OnnxTensor* constant(const std::string& name) const {
        const auto own = values_.find(name);
        if (own != values_.end()) return std::get_if<OnnxTensor>(&own->second);
        const auto given = graph_.constants.find(name);
        return given == graph_.constants.end() ? nullptr : &given->second;
    }

    // Returns a value; constants of the file count as values, too. Null for a name that only unused operators write.
    [[nodiscard]] std::optional<OnnxValue> find(const std::string& name) const {
        const auto own = values_.find(name);
        if (own != values_.end()) return own->second;
        const auto given = graph_.constants.find(name);
        if (given != graph_.constants.end()) return given->second;
        return std::nullopt;
    }

    template <class Kind>
    [[nodiscard]] const Kind* input_as(const OnnxNode& node, std::size_t i) const {
        if (i >= node.inputs().size()) return nullptr;
        const auto found = values_.find(node.inputs()[i]);
        return found == values_.end() ? nullptr : std::get_if<Kind>(&found->second);
    }

    [[nodiscard]] const OnnxTensor* constant_input(const OnnxNode& node, std::size_t i) const {
        return i < node.inputs().size() && !node.inputs()[i].empty() ? constant(node.inputs()[i]) : nullptr;
    }

    // Returns input i as a plain map: channels first, no function applied.
    [[nodiscard]] std::int32_t map_input(const OnnxNode& node, std::size_t i) const {
        const auto* map = input_as<MapValue>(node, i);
        if (map == nullptr || map->channels_last || map->function != MapFunction::none) {
            node.fail("is supported on maps of the network only, but input " + std::to_string(i + 1) + " is not a map");
        }
        return map->tensor;
    }

    void set(const OnnxNode& node, OnnxValue value) { values_.emplace(node.outputs().front(), std::move(value)); }

    // Layers ----------------------------------------------------------------------------------------------------------

    [[nodiscard]] std::int32_t channels(std::int32_t tensor) const {
        return result_.network.tensors[static_cast<std::size_t>(tensor)].channels;
    }
    [[nodiscard]] MapSize size(std::int32_t tensor) const { return result_.sizes[static_cast<std::size_t>(tensor)]; }

    void add_layer(const OnnxNode& node, NetworkLayer layer, std::vector<std::int32_t> inputs, std::int64_t outputs) {
        Network& network = result_.network;
        if (outputs < 1 || outputs > 4096) node.fail("produces more channels than any layer of a detector");
        layer.inputs = std::move(inputs);
        layer.output = static_cast<std::int32_t>(network.tensors.size());
        const std::vector<std::int32_t>& in = layer.inputs;
        for (const std::int32_t other : in) {
            if (size(other) != size(in.front())) node.fail("has inputs of different heights and widths");
        }
        const MapSize out = size_after(layer, size(in.front()));
        if (out.width < 1 || out.height < 1) node.fail("has an empty output");
        if (out.width > kMaxMap || out.height > kMaxMap) node.fail("produces maps that are too large for memory");
        weights_ += layer.weights.size();
        if (weights_ > kMaxConstant) node.fail("makes the network larger than any detector");
        writers_.push_back(static_cast<std::int32_t>(network.layers.size()));
        network.tensors.push_back({node.outputs().front(), static_cast<std::int32_t>(outputs)});
        result_.sizes.push_back(out);
        set(node, MapValue{layer.output});
        network.layers.push_back(std::move(layer));
    }

    // Returns the layer that wrote the tensor of this name, if it is read so many times and no function was applied.
    [[nodiscard]] NetworkLayer* layer_before(const std::string& name, std::int32_t tensor, std::size_t readers = 1) {
        const std::int32_t writer = writers_[static_cast<std::size_t>(tensor)];
        const auto uses = uses_.find(name);
        if (writer < 0 || uses == uses_.end() || uses->second != readers) return nullptr;
        NetworkLayer& layer = result_.network.layers[static_cast<std::size_t>(writer)];
        return layer.activation == Activation::none ? &layer : nullptr;
    }

    void convolution(const OnnxNode& node) {
        const auto* phases = input_as<PhasesValue>(node, 0);
        const std::int32_t x = phases != nullptr ? phases->tensor : map_input(node, 0);
        const auto parts = phases != nullptr ? static_cast<std::int32_t>(phases->phases.size()) : 1;
        const OnnxTensor* weights = constant_input(node, 1);
        const OnnxTensor* bias = constant_input(node, 2);
        const bool has_bias = node.inputs().size() > 2 && !node.inputs()[2].empty();
        if (weights == nullptr || (has_bias && bias == nullptr)) node.fail("has weights that are not constants");
        NetworkLayer layer = convolution_layer(node, *weights, bias, channels(x) * parts);
        if (phases != nullptr) read_whole(node, *phases, channels(x), layer);
        const auto outputs = static_cast<std::int64_t>(layer.bias.size());
        if (outputs % layer.groups != 0) node.fail("has groups that do not divide its channels");
        add_layer(node, std::move(layer), {x}, outputs);
    }

    void normalize(const OnnxNode& node) {
        const std::int32_t x = map_input(node, 0);
        std::vector<const OnnxTensor*> constants;
        for (std::size_t i = 1; i <= 4; ++i) constants.push_back(constant_input(node, i));
        ChannelScale scale = batch_norm(node, constants, channels(x));
        NetworkLayer* before = layer_before(node.inputs().front(), x);
        if (before != nullptr && before->kind == LayerKind::convolution) {
            fold(scale, *before);
            set(node, MapValue{x});
        } else {
            add_layer(node, scale_layer(node.name(), std::move(scale)), {x}, channels(x));
        }
    }

    // before: the layer that gets the activation; null if another operator also reads its output without activation.
    void activate(const OnnxNode& node, std::int32_t x, Activation activation, NetworkLayer* before) {
        if (before != nullptr) {
            before->activation = activation;
            set(node, MapValue{x});
            return;
        }
        const auto count = static_cast<std::size_t>(channels(x));
        NetworkLayer layer =
            scale_layer(node.name(), {std::vector<float>(count, 1.0F), std::vector<float>(count, 0.0F)});
        layer.activation = activation;
        add_layer(node, std::move(layer), {x}, channels(x));
    }

    void rectify(const OnnxNode& node) {
        const std::int32_t x = map_input(node, 0);
        const float slope = node.op() == "LeakyRelu" ? node.real("alpha", 0.01F) : 0.0F;
        if (slope != 0.0F && slope != kLeakySlope) {
            node.fail(fmt::format("has the slope {:.6g}, but RetinaFace has {:.6g} or 0", slope, kLeakySlope));
        }
        activate(node, x, slope == 0.0F ? Activation::relu : Activation::leaky, layer_before(node.inputs().front(), x));
    }

    // SiLU: x * sigmoid(x).
    void multiply_maps(const OnnxNode& node) {
        const MapValue* maps[2] = {input_as<MapValue>(node, 0), input_as<MapValue>(node, 1)};
        const std::size_t plain = maps[0] != nullptr && maps[0]->function == MapFunction::none ? 0 : 1;
        const MapValue* other = maps[1 - plain];
        if (maps[plain] == nullptr || other == nullptr || other->function != MapFunction::sigmoid ||
            other->tensor != maps[plain]->tensor || other->channels_last) {
            node.fail("multiplies maps otherwise than SiLU, x * sigmoid(x), which is not supported");
        }
        const std::int32_t x = map_input(node, plain);
        const std::string& name = node.inputs()[plain];
        const std::string& sigmoid = node.inputs()[1 - plain];
        const bool only = sigmoid_of_[sigmoid] == name && uses_[sigmoid] == 1;
        activate(node, x, Activation::silu, only ? layer_before(name, x, 2) : nullptr);
    }

    void pool(const OnnxNode& node) {
        const std::int32_t x = map_input(node, 0);
        add_layer(node, pool_layer(node), {x}, channels(x));
    }

    void resize(const OnnxNode& node) {
        const std::int32_t x = map_input(node, 0);
        // Upsample and the first version of Resize: data, scales. Later versions: data, region, scales, sizes.
        const bool two = node.inputs().size() == 2;
        const OnnxTensor* scales = constant_input(node, two ? 1 : 2);
        if (scales != nullptr && scales->size() == 0) scales = nullptr;
        add_layer(node, upsample_layer(node, scales, constant_input(node, 3), size(x)), {x}, channels(x));
    }

    void add_maps(const OnnxNode& node) {
        if (node.inputs().size() != 2) node.fail("does not have two inputs");
        const std::int32_t a = map_input(node, 0);
        const std::int32_t b = map_input(node, 1);
        if (channels(a) != channels(b)) node.fail("adds maps with different numbers of channels");
        NetworkLayer layer;
        layer.kind = LayerKind::add;
        layer.name = node.name();
        add_layer(node, std::move(layer), {a, b}, channels(a));
    }

    void join_maps(const OnnxNode& node) {
        if (node.integer("axis", 0) != 1) node.fail("concatenates maps along an axis other than their channels");
        std::vector<MapValue> maps;
        for (std::size_t i = 0; i < node.inputs().size(); ++i) {
            if (const auto* map = input_as<MapValue>(node, i)) maps.push_back(*map);
        }
        const auto is_plain = [](const MapValue& map) { return map.function == MapFunction::none; };
        if (maps.size() == node.inputs().size() && !std::all_of(maps.begin(), maps.end(), is_plain)) {
            const auto fits = [&](const MapValue& map) {
                return !map.channels_last && size(map.tensor) == size(maps.front().tensor);
            };
            if (maps.size() > 16 || !std::all_of(maps.begin(), maps.end(), fits)) {
                node.fail("concatenates incompatible outputs");
            }
            set(node, StackValue{StackValue::Layout::maps, {std::move(maps)}});
            return;
        }
        NetworkLayer layer;
        layer.kind = LayerKind::concat;
        layer.name = node.name();
        std::vector<std::int32_t> inputs;
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < node.inputs().size(); ++i) {
            inputs.push_back(map_input(node, i));
            sum += channels(inputs.back());
        }
        add_layer(node, std::move(layer), std::move(inputs), sum);
    }

    // Space to depth --------------------------------------------------------------------------------------------------

    void sample(const OnnxNode& node) {
        const auto* before = input_as<PhasesValue>(node, 0);
        PhasesValue value = before != nullptr ? *before : PhasesValue{map_input(node, 0), {Phase{}}};
        const OnnxTensor* lists[4];  // starts, ends, axes, steps
        bool fits = value.phases.size() == 1;
        for (std::size_t i = 0; i < 4; ++i) {
            lists[i] = constant_input(node, i + 1);
            fits = fits && lists[i] != nullptr && lists[i]->is_list() && lists[i]->size() == lists[0]->size();
        }
        for (std::size_t i = 0; fits && i < lists[0]->size(); ++i) {
            const std::int64_t axis = lists[2]->integers[i];
            const bool rows = axis == 2 || axis == -2;
            const std::int64_t extent = rows ? size(value.tensor).height : size(value.tensor).width;
            const std::int64_t first = lists[0]->integers[i];
            std::int32_t& phase = rows ? value.phases[0].row : value.phases[0].column;
            fits = (rows || axis == 3 || axis == -1) && phase < 0 && (first == 0 || first == 1) && extent % 2 == 0 &&
                   lists[1]->integers[i] >= extent && lists[3]->integers[i] == 2;
            phase = static_cast<std::int32_t>(first);
        }
        if (!fits) node.fail("takes a part of a map other than every second row or column, which is not supported");
        set(node, std::move(value));
    }

    void join_phases(const OnnxNode& node) {
        PhasesValue all{input_as<PhasesValue>(node, 0)->tensor, {}};
        for (std::size_t i = 0; i < node.inputs().size(); ++i) {
            const auto* part = input_as<PhasesValue>(node, i);
            if (part == nullptr || part->tensor != all.tensor || node.integer("axis", 0) != 1) {
                node.fail("concatenates parts of different maps, which is not supported");
            }
            all.phases.insert(all.phases.end(), part->phases.begin(), part->phases.end());
            if (all.phases.size() > 16) node.fail("concatenates more parts of a map than are supported: 16");
        }
        set(node, std::move(all));
    }

    // Output operators ------------------------------------------------------------------------------------------------

    // YOLOX: [1, C, H, W] to [1, C, cells], then the levels one after the other, then [1, cells, C].
    void flatten(const OnnxNode& node, StackValue stack) {
        const OnnxTensor* target = constant_input(node, 1);
        std::int64_t rows = 0;
        for (const MapValue& map : stack.levels.front()) rows += channels(map.tensor);
        const MapSize extent = size(stack.levels.front().front().tensor);
        const std::int64_t cells = std::int64_t{extent.width} * extent.height;
        const bool fits = stack.layout == StackValue::Layout::maps && target != nullptr && target->is_list() &&
                          target->size() == 3 && (target->integers[0] == 1 || target->integers[0] == 0) &&
                          (target->integers[1] == rows || target->integers[1] == 0) &&
                          (target->integers[2] == -1 || target->integers[2] == cells);
        if (!fits) node.fail("reshapes outputs to a layout other than one column per cell, which is not supported");
        stack.layout = StackValue::Layout::columns;
        set(node, std::move(stack));
    }

    void join_stacks(const OnnxNode& node) {
        StackValue all{StackValue::Layout::columns, {}};
        for (std::size_t i = 0; i < node.inputs().size(); ++i) {
            const auto* part = input_as<StackValue>(node, i);
            const std::int64_t axis = node.integer("axis", 0);
            if (part == nullptr || part->layout != all.layout || (axis != 2 && axis != -1) || all.levels.size() > 16) {
                node.fail("concatenates incompatible outputs");
            }
            all.levels.insert(all.levels.end(), part->levels.begin(), part->levels.end());
        }
        set(node, std::move(all));
    }

    void transpose(const OnnxNode& node, StackValue stack) {
        if (node.integers("perm") != std::vector<std::int64_t>{0, 2, 1} ||
            stack.layout != StackValue::Layout::columns) {
            node.fail("permutes outputs to a layout other than [1, cells, numbers], which is not supported");
        }
        stack.layout = StackValue::Layout::rows;
        set(node, std::move(stack));
    }

    void transpose(const OnnxNode& node, MapValue map) {
        if (node.integers("perm") != std::vector<std::int64_t>{0, 2, 3, 1} || map.channels_last) {
            node.fail("permutes maps to a layout other than [1, height, width, channels], which is not supported");
        }
        map.channels_last = true;
        set(node, map);
    }

    void flatten(const OnnxNode& node, const MapValue& map) {
        const OnnxTensor* target = constant_input(node, 1);
        if (target == nullptr || !target->is_list()) {
            node.fail("has a shape that is not constant, which is not supported");
        }
        const std::vector<std::int64_t>& shape = target->integers;
        const MapSize extent = size(map.tensor);
        const std::int64_t elements = std::int64_t{extent.width} * extent.height * channels(map.tensor);
        const std::int64_t columns = shape.size() == 3 ? shape[2] : 0;
        const bool fits = columns >= 1 && channels(map.tensor) % columns == 0 && map.channels_last &&
                          (shape[0] == 1 || shape[0] == 0 || shape[0] == -1) &&
                          (shape[1] == -1 || shape[1] == elements / columns);
        if (!fits) node.fail("reshapes maps to a layout other than one row per box, which is not supported");
        set(node, RowsValue{{map.tensor}, columns, elements / columns, map.function});
    }

    void apply(const OnnxNode& node, MapFunction function) {
        const auto applied = [&](MapFunction before) {
            if (before != MapFunction::none) node.fail("follows another function on the outputs");
            return function;
        };
        if (const auto* rows = input_as<RowsValue>(node, 0)) {
            // Applied over the columns of a row. Older operator sets have another default axis.
            const std::int64_t axis = node.integer("axis", graph_.opset < 13 ? 1 : -1);
            if (function == MapFunction::softmax && axis != 2 && axis != -1) {
                node.fail("is applied along an axis other than a row, which is not supported");
            }
            RowsValue value = *rows;
            value.function = applied(value.function);
            set(node, std::move(value));
            return;
        }
        const auto* map = input_as<MapValue>(node, 0);
        if (map == nullptr || function == MapFunction::softmax) node.fail("is supported on outputs only");
        MapValue value = *map;
        value.function = applied(value.function);
        sigmoid_of_[node.outputs().front()] = node.inputs().front();
        set(node, value);
    }

    void join_rows(const OnnxNode& node) {
        const std::int64_t axis = node.integer("axis", 0);
        RowsValue all = *input_as<RowsValue>(node, 0);
        all.maps.clear();
        all.rows = 0;
        for (std::size_t i = 0; i < node.inputs().size(); ++i) {
            const auto* part = input_as<RowsValue>(node, i);
            if (part == nullptr || part->columns != all.columns || part->function != all.function ||
                (axis != 1 && axis != -2)) {
                node.fail("concatenates incompatible outputs");
            }
            all.maps.insert(all.maps.end(), part->maps.begin(), part->maps.end());
            all.rows += part->rows;
            if (all.maps.size() > kMaxFormulaSteps) node.fail("concatenates more outputs than a detector has");
        }
        set(node, std::move(all));
    }

    // Arithmetic on a table is stored for later evaluation.
    void formula(const OnnxNode& node) {
        auto value = std::make_shared<FormulaValue>();
        value->node = &node;
        bool has_table = false;
        for (const std::string& name : node.inputs()) {
            std::optional<OnnxValue> input = name.empty() ? std::nullopt : find(name);
            const bool is_map = input && !std::holds_alternative<OnnxTensor>(*input) &&
                                !std::holds_alternative<RowsValue>(*input) && !std::holds_alternative<Formula>(*input);
            if (!input || is_map) node.fail("mixes maps and outputs");
            const RowsValue* table = std::get_if<RowsValue>(&*input);
            if (const auto* inner = std::get_if<Formula>(&*input)) {
                table = &(*inner)->table;
                value->steps += (*inner)->steps;
            }
            if (value->steps > kMaxFormulaSteps) node.fail("is part of too long a formula");
            if (table != nullptr) {
                if (has_table && (table->maps != value->table.maps || table->function != value->table.function)) {
                    node.fail("mixes incompatible outputs");
                }
                value->table = *table;
                has_table = true;
            }
            value->inputs.push_back(std::move(*input));
        }
        set(node, Formula(std::move(value)));
    }

    void rename(const OnnxNode& node) {
        const std::string& before = node.inputs().front();
        std::optional<OnnxValue> value = find(before);
        if (!value) not_supported(node);
        // Readers of one name count as readers of the other.
        std::size_t& uses = uses_[node.outputs().front()];
        uses += uses_[before] - 1;
        set(node, std::move(*value));
    }

    void shape_of(const OnnxNode& node) {
        OnnxTensor shape;
        shape.is_integer = true;
        if (const auto* map = input_as<MapValue>(node, 0)) {
            const MapSize extent = size(map->tensor);
            const std::int64_t c = channels(map->tensor);
            shape.integers = map->channels_last ? std::vector<std::int64_t>{1, extent.height, extent.width, c}
                                                : std::vector<std::int64_t>{1, c, extent.height, extent.width};
        } else if (const auto* rows = input_as<RowsValue>(node, 0)) {
            shape.integers = {1, rows->rows, rows->columns};
        } else if (const OnnxTensor* tensor = constant_input(node, 0)) {
            shape.integers = tensor->shape;
        } else {
            node.fail("requires a shape that is not constant");
        }
        shape.shape = {static_cast<std::int64_t>(shape.integers.size())};
        set(node, std::move(shape));
    }

    void evaluate(const OnnxNode& node) {
        std::vector<const OnnxTensor*> inputs;
        for (const std::string& name : node.inputs()) inputs.push_back(name.empty() ? nullptr : constant(name));
        OnnxTensor result = evaluate_node(node, inputs);
        folded_ += result.size();
        if (folded_ > kMaxConstant) node.fail("makes the file's constants too large for memory");
        set(node, std::move(result));
    }

    // Dispatch --------------------------------------------------------------------------------------------------------

    [[noreturn]] static void not_supported(const OnnxNode& node) {
        node.fail("the operator " + node.op() + " is not supported",
                  "use a YuNet, UltraFace, RetinaFace or YOLOX model as published by its authors, see `throng models`");
    }

    void add(const OnnxNode& node) {
        const std::string& op = node.op();
        bool all_constant = true;
        for (const std::string& name : node.inputs()) all_constant = all_constant && (name.empty() || constant(name));
        if (op == "Shape") return shape_of(node);
        if (all_constant && can_evaluate(op)) return evaluate(node);
        if (node.inputs().empty() || node.inputs().front().empty()) not_supported(node);

        const auto* map = input_as<MapValue>(node, 0);
        if (op == "Identity" || op == "Dropout") return rename(node);
        if (op == "Sigmoid") return apply(node, MapFunction::sigmoid);
        if (op == "Softmax") return apply(node, MapFunction::softmax);
        if (map != nullptr) {
            if (op == "Conv") return convolution(node);
            if (op == "BatchNormalization") return normalize(node);
            if (op == "Relu" || op == "LeakyRelu") return rectify(node);
            if (op == "MaxPool") return pool(node);
            if (op == "Resize" || op == "Upsample") return resize(node);
            if (op == "Add") return add_maps(node);
            if (op == "Mul") return multiply_maps(node);
            if (op == "Slice") return sample(node);
            if (op == "Concat") return join_maps(node);
            if (op == "Transpose") return transpose(node, *map);
            if (op == "Reshape") return flatten(node, *map);
        }
        if (input_as<PhasesValue>(node, 0) != nullptr) {
            if (op == "Conv") return convolution(node);
            if (op == "Slice") return sample(node);
            if (op == "Concat") return join_phases(node);
        }
        if (const auto* stack = input_as<StackValue>(node, 0)) {
            if (op == "Reshape") return flatten(node, *stack);
            if (op == "Concat") return join_stacks(node);
            if (op == "Transpose") return transpose(node, *stack);
        }
        if (op == "Concat" && input_as<RowsValue>(node, 0) != nullptr) return join_rows(node);
        const bool arithmetic = can_evaluate(op) && op != "Reshape" && op != "Gather";
        if (map == nullptr && arithmetic) return formula(node);
        not_supported(node);
    }

    const OnnxGraph& graph_;
    OnnxNetwork result_;
    std::map<std::string, OnnxValue> values_;
    std::map<std::string, std::size_t> uses_;
    std::map<std::string, std::string> sigmoid_of_;  // the input of each Sigmoid on a map, by its output
    std::vector<std::int32_t> writers_;              // index of the layer that wrote each tensor; -1: the input
    std::size_t weights_ = 0;
    std::size_t folded_ = 0;
};

OnnxTensor value_of(const OnnxValue& value, const OnnxTensor& numbers, std::map<const FormulaValue*, OnnxTensor>& done);

const OnnxTensor& value_of(const Formula& formula, const OnnxTensor& numbers,
                           std::map<const FormulaValue*, OnnxTensor>& done) {
    if (const auto found = done.find(formula.get()); found != done.end()) return found->second;
    std::vector<OnnxTensor> inputs;
    inputs.reserve(formula->inputs.size());
    for (const OnnxValue& input : formula->inputs) inputs.push_back(value_of(input, numbers, done));
    std::vector<const OnnxTensor*> pointers;
    pointers.reserve(inputs.size());
    for (const OnnxTensor& input : inputs) pointers.push_back(&input);
    return done.emplace(formula.get(), evaluate_node(*formula->node, pointers)).first->second;
}

OnnxTensor value_of(const OnnxValue& value, const OnnxTensor& numbers,
                    std::map<const FormulaValue*, OnnxTensor>& done) {
    if (const auto* constant = std::get_if<OnnxTensor>(&value)) return *constant;
    if (const auto* formula = std::get_if<Formula>(&value)) return value_of(*formula, numbers, done);
    return numbers;  // the table
}

}  // namespace

OnnxNetwork build_network(const OnnxGraph& graph) {
    return NetworkBuilder(graph).run();
}

OnnxTensor evaluate_formula(const Formula& formula, const OnnxTensor& numbers) {
    std::map<const FormulaValue*, OnnxTensor> done;
    return value_of(formula, numbers, done);
}

}  // namespace throng
