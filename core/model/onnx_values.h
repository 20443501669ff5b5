// What a name in an ONNX graph stands for while a network is built from it.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "core/model/network.h"
#include "core/model/onnx_graph.h"

namespace throng {

// What follows a map on its way to an output; at most one.
enum class MapFunction : std::uint8_t { none, sigmoid, softmax };

// A tensor of the network, perhaps with its channels last: [1, C, H, W] or [1, H, W, C].
struct MapValue {
    std::int32_t tensor = 0;
    bool channels_last = false;
    MapFunction function = MapFunction::none;
};

// Maps laid out as a table, cell after cell and map after map: [1, rows, columns]. A cell of a map with n * columns
// channels gives n rows.
struct RowsValue {
    std::vector<std::int32_t> maps;
    std::int64_t columns = 0;
    std::int64_t rows = 0;  // for the input that shapes are resolved with
    MapFunction function = MapFunction::none;
};

// Arithmetic on one table and constants: the decoding of boxes. Kept as it stands, to be evaluated with numbers of
// ours.
struct FormulaValue;
using Formula = std::shared_ptr<const FormulaValue>;

using OnnxValue = std::variant<OnnxTensor, MapValue, RowsValue, Formula>;

struct FormulaValue {
    const OnnxNode* node;
    std::vector<OnnxValue> inputs;  // constants, formulas, and the one table
    RowsValue table;                // that it is about
    std::size_t steps = 1;          // operators in it, counted where they are used
};

// The value of a formula when its table holds `numbers` ([rows][columns]). Throws Error(input) at the operator that
// does not fit.
[[nodiscard]] OnnxTensor evaluate_formula(const Formula& formula, const OnnxTensor& numbers);

// The operators of a graph as a network without a head, and what the graph's outputs stand for.
struct OnnxNetwork {
    Network network;
    std::vector<OnnxValue> outputs;  // of graph.outputs
    // Input that shapes were resolved with: the file's own, or one of ours where it is open.
    std::int32_t width = 0;
    std::int32_t height = 0;
    std::vector<MapSize> sizes;  // of network.tensors, at that input
};

// Input that an open height or width is resolved with.
inline constexpr std::int32_t kOpenInputSide = 320;

// Throws Error(input) naming the operator that is not supported, or not with these attributes or inputs, and for an
// input that is no image or has a shape that stays open. The nodes of graph must outlive the result.
[[nodiscard]] OnnxNetwork build_network(const OnnxGraph& graph);

}  // namespace throng
