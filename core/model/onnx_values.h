// The values that names in an ONNX graph stand for while a network is built from it.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "core/model/network.h"
#include "core/model/onnx_graph.h"

namespace throng {

// The function applied to a map before an output; at most one.
enum class MapFunction : std::uint8_t { none, sigmoid, softmax };

// A tensor of the network, optionally with its channels last: [1, C, H, W] or [1, H, W, C].
struct MapValue {
    std::int32_t tensor = 0;
    bool channels_last = false;
    MapFunction function = MapFunction::none;
};

// Maps laid out as a table, cell by cell and map by map: [1, rows, columns]. A cell of a map with n * columns channels
// gives n rows.
struct RowsValue {
    std::vector<std::int32_t> maps;
    std::int64_t columns = 0;
    std::int64_t rows = 0;  // for the input size that shapes are resolved with
    MapFunction function = MapFunction::none;
};

// Every second row and column of a tensor, as slices take them; -1: all of them.
struct Phase {
    std::int32_t row = -1;     // the first row
    std::int32_t column = -1;  // the first column
};

// Phases of one tensor, their channels concatenated: YOLOX's space to depth.
struct PhasesValue {
    std::int32_t tensor = 0;
    std::vector<Phase> phases;
};

// Maps with their functions applied, concatenated along the channels, then, level by level, along the cells: YOLOX's
// output. Its layout is [1, C, H, W] (one level), [1, C, cells] or [1, cells, C].
struct StackValue {
    enum class Layout : std::uint8_t { maps, columns, rows };
    Layout layout = Layout::maps;
    std::vector<std::vector<MapValue>> levels;
};

// Arithmetic on one table and constants: the decoding of boxes. Stored unevaluated, to be evaluated with test numbers.
struct FormulaValue;
using Formula = std::shared_ptr<const FormulaValue>;

using OnnxValue = std::variant<OnnxTensor, MapValue, RowsValue, PhasesValue, StackValue, Formula>;

struct FormulaValue {
    const OnnxNode* node;
    std::vector<OnnxValue> inputs;  // constants, formulas, and the one table
    RowsValue table;                // the table that the formula reads
    std::size_t steps = 1;          // number of operators, counted once per use
};

// Returns the value of a formula if its table holds `numbers` ([rows][columns]). Throws Error(input) naming the
// operator that does not fit.
[[nodiscard]] OnnxTensor evaluate_formula(const Formula& formula, const OnnxTensor& numbers);

// The operators of a graph as a network without a head, and the values of the graph's outputs.
struct OnnxNetwork {
    Network network;
    std::vector<OnnxValue> outputs;  // of graph.outputs
    // Input size that shapes were resolved with: the file's own, or kOpenInputSide for a dynamic height or width.
    std::int32_t width = 0;
    std::int32_t height = 0;
    std::vector<MapSize> sizes;  // of network.tensors, for that input size
};

// Input side for resolving shapes if the file leaves the height or width dynamic.
inline constexpr std::int32_t kOpenInputSide = 320;

// Throws Error(input) naming an operator that is unsupported, or unsupported with its attributes or inputs. Also throws
// for an input that is not an image or has an unresolved shape. The nodes of graph must outlive the result.
[[nodiscard]] OnnxNetwork build_network(const OnnxGraph& graph);

}  // namespace throng
