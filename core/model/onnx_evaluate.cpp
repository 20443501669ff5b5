// Arithmetic on constants: computations of shapes left by exporters, and the decoding of boxes at the end of a graph.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "core/model/onnx_graph.h"
#include "core/model/onnx_tensor.h"

namespace throng {
namespace {

using Inputs = std::vector<const OnnxTensor*>;
using Shape = std::vector<std::int64_t>;

std::size_t element_count(const Shape& shape) {
    std::size_t count = 1;
    for (const std::int64_t dim : shape) count *= static_cast<std::size_t>(dim);
    return count;
}

const OnnxTensor& input(const OnnxNode& node, const Inputs& inputs, std::size_t i) {
    if (i >= inputs.size() || inputs[i] == nullptr) node.fail("has no input " + std::to_string(i + 1));
    return *inputs[i];
}

std::size_t axis_of(const OnnxNode& node, std::int64_t axis, std::size_t rank) {
    const auto r = static_cast<std::int64_t>(rank);
    if (axis < -r || axis >= r) node.fail("has an axis that its input does not have");
    return static_cast<std::size_t>(axis < 0 ? axis + r : axis);
}

// Integers that are an attribute in older operator sets and an input in newer ones.
std::vector<std::int64_t> list_of(const OnnxNode& node, const Inputs& inputs, std::size_t i,
                                  std::string_view attribute) {
    if (node.has(attribute)) return node.integers(attribute);
    if (i >= inputs.size() || inputs[i] == nullptr) return {};
    if (!inputs[i]->is_list()) node.fail("requires a list of integers as input " + std::to_string(i + 1));
    return inputs[i]->integers;
}

// Returns the elements `from` of a tensor, in that order, with a new shape.
OnnxTensor pick(const OnnxTensor& tensor, const std::vector<std::size_t>& from, Shape shape) {
    OnnxTensor out;
    out.shape = std::move(shape);
    out.is_integer = tensor.is_integer;
    for (const std::size_t i : from) {
        if (tensor.is_integer) {
            out.integers.push_back(tensor.integers[i]);
        } else {
            out.floats.push_back(tensor.floats[i]);
        }
    }
    return out;
}

OnnxTensor reshaped(OnnxTensor tensor, Shape shape) {
    tensor.shape = std::move(shape);
    return tensor;
}

OnnxTensor unsqueeze(const OnnxNode& node, const Inputs& inputs) {
    const OnnxTensor& x = input(node, inputs, 0);
    std::vector<std::int64_t> axes = list_of(node, inputs, 1, "axes");
    const std::size_t rank = x.shape.size() + axes.size();
    if (rank > 8) node.fail("produces more dimensions than any tensor of a detector has");
    std::vector<bool> added(rank, false);
    for (const std::int64_t axis : axes) added[axis_of(node, axis, rank)] = true;
    Shape shape;
    std::size_t next = 0;
    for (std::size_t i = 0; i < rank; ++i) {
        if (!added[i] && next >= x.shape.size()) node.fail("names an axis twice");
        shape.push_back(added[i] ? 1 : x.shape[next++]);
    }
    return reshaped(x, std::move(shape));
}

OnnxTensor squeeze(const OnnxNode& node, const Inputs& inputs) {
    const OnnxTensor& x = input(node, inputs, 0);
    const std::vector<std::int64_t> axes = list_of(node, inputs, 1, "axes");
    std::vector<bool> removed(x.shape.size(), axes.empty());
    for (const std::int64_t axis : axes) removed[axis_of(node, axis, x.shape.size())] = true;
    Shape shape;
    for (std::size_t i = 0; i < x.shape.size(); ++i) {
        if (removed[i] && x.shape[i] == 1) continue;
        if (removed[i] && !axes.empty()) node.fail("squeezes an axis that is longer than 1");
        shape.push_back(x.shape[i]);
    }
    return reshaped(x, std::move(shape));
}

OnnxTensor reshape(const OnnxNode& node, const Inputs& inputs) {
    const OnnxTensor& x = input(node, inputs, 0);
    Shape shape = list_of(node, inputs, 1, "shape");
    if (shape.size() > 8) node.fail("produces more dimensions than any tensor of a detector has");
    std::size_t known = 1;
    std::int64_t* open = nullptr;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == 0 && i < x.shape.size()) shape[i] = x.shape[i];
        if (shape[i] == -1 && open == nullptr) {
            open = &shape[i];
            continue;
        }
        if (shape[i] < 0 || static_cast<std::uint64_t>(shape[i]) > kMaxConstant) node.fail("has an invalid shape");
        known *= static_cast<std::size_t>(shape[i]);
        if (known > kMaxConstant) node.fail("has an invalid shape");
    }
    if (open != nullptr && known > 0) *open = static_cast<std::int64_t>(x.size() / known);
    if (open != nullptr && known == 0) node.fail("has an invalid shape");
    if (element_count(shape) != x.size()) node.fail("changes the number of elements");
    return reshaped(x, std::move(shape));
}

OnnxTensor gather(const OnnxNode& node, const Inputs& inputs) {
    const OnnxTensor& x = input(node, inputs, 0);
    const OnnxTensor& indices = input(node, inputs, 1);
    if (x.shape.size() != 1 || !indices.is_list() || node.integer("axis", 0) != 0) {
        node.fail("is supported on lists of numbers only");
    }
    std::vector<std::size_t> from;
    for (const std::int64_t index : indices.integers) from.push_back(axis_of(node, index, x.size()));
    return pick(x, from, indices.shape);
}

OnnxTensor slice(const OnnxNode& node, const Inputs& inputs) {
    const OnnxTensor& x = input(node, inputs, 0);
    const std::vector<std::int64_t> starts = list_of(node, inputs, 1, "starts");
    const std::vector<std::int64_t> ends = list_of(node, inputs, 2, "ends");
    std::vector<std::int64_t> axes = list_of(node, inputs, 3, "axes");
    const std::vector<std::int64_t> steps = list_of(node, inputs, 4, "steps");
    if (axes.empty()) {
        for (std::size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
    }
    const bool forward = std::all_of(steps.begin(), steps.end(), [](std::int64_t step) { return step == 1; });
    if (starts.size() != ends.size() || starts.size() != axes.size() || !forward) {
        node.fail("has starts, ends, axes and steps that are inconsistent or not supported");
    }
    Shape begin(x.shape.size(), 0);
    Shape end = x.shape;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t axis = axis_of(node, axes[i], x.shape.size());
        const std::int64_t size = x.shape[axis];
        const auto clamped = [size](std::int64_t at) {
            return std::clamp<std::int64_t>(at < 0 ? (at < -size ? 0 : at + size) : at, 0, size);
        };
        begin[axis] = clamped(starts[i]);
        end[axis] = std::max(clamped(ends[i]), begin[axis]);
    }
    Shape shape;
    for (std::size_t i = 0; i < begin.size(); ++i) shape.push_back(end[i] - begin[i]);
    // Visits every element of the result; indices count up like an odometer.
    std::vector<std::size_t> from(element_count(shape));
    Shape at = begin;
    for (std::size_t& index : from) {
        index = 0;
        for (std::size_t i = 0; i < at.size(); ++i) {
            index = index * static_cast<std::size_t>(x.shape[i]) + static_cast<std::size_t>(at[i]);
        }
        for (std::size_t i = at.size(); i-- > 0;) {
            if (++at[i] < end[i]) break;
            at[i] = begin[i];
        }
    }
    return pick(x, from, std::move(shape));
}

OnnxTensor concat(const OnnxNode& node, const Inputs& inputs) {
    const OnnxTensor& first = input(node, inputs, 0);
    const std::size_t axis = axis_of(node, node.integer("axis", 0), first.shape.size());
    Shape shape = first.shape;
    shape[axis] = 0;
    std::size_t total = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const OnnxTensor& part = input(node, inputs, i);
        Shape rest = part.shape;
        if (rest.size() != shape.size() || part.is_integer != first.is_integer)
            node.fail("concatenates incompatible tensors");
        rest[axis] = shape[axis];
        if (rest != shape) node.fail("concatenates incompatible tensors");
        shape[axis] += part.shape[axis];
        total += part.size();
        if (total > kMaxConstant) node.fail("is larger than any weight of a detector");
    }
    OnnxTensor out;
    out.shape = shape;
    out.is_integer = first.is_integer;
    std::size_t outer = 1;
    for (std::size_t i = 0; i < axis; ++i) outer *= static_cast<std::size_t>(shape[i]);
    for (std::size_t row = 0; row < outer; ++row) {
        for (const OnnxTensor* part : inputs) {
            const std::size_t run = outer == 0 ? 0 : part->size() / outer;
            const auto begin = static_cast<std::ptrdiff_t>(row * run);
            const auto end = static_cast<std::ptrdiff_t>((row + 1) * run);
            out.integers.insert(out.integers.end(),
                                part->is_integer ? part->integers.begin() + begin : part->integers.end(),
                                part->is_integer ? part->integers.begin() + end : part->integers.end());
            out.floats.insert(out.floats.end(), part->is_integer ? part->floats.end() : part->floats.begin() + begin,
                              part->is_integer ? part->floats.end() : part->floats.begin() + end);
        }
    }
    return out;
}

OnnxTensor cast(const OnnxNode& node, const Inputs& inputs) {
    const OnnxTensor& x = input(node, inputs, 0);
    const std::int64_t to = node.integer("to", 1);
    const bool to_integer = to != 1 && to != 10 && to != 11;  // float, float16, double
    if (to_integer == x.is_integer) return x;
    OnnxTensor out;
    out.shape = x.shape;
    out.is_integer = to_integer;
    if (!to_integer) {
        out.floats.assign(x.integers.begin(), x.integers.end());
        return out;
    }
    for (const float value : x.floats) {
        if (!(std::abs(value) < 9.0e18F)) node.fail("casts a number that is out of range for an integer");
        out.integers.push_back(static_cast<std::int64_t>(value));
    }
    return out;
}

float real(const OnnxTensor& tensor, std::size_t i) {
    return tensor.is_integer ? static_cast<float>(tensor.integers[i]) : tensor.floats[i];
}

template <class Operation>
OnnxTensor elementwise(const OnnxNode& node, const Inputs& inputs, Operation operation) {
    const OnnxTensor& a = input(node, inputs, 0);
    const OnnxTensor& b = input(node, inputs, 1);
    const std::size_t rank = std::max(a.shape.size(), b.shape.size());
    // Shapes are aligned at the right; a dimension of length 1 is broadcast.
    Shape shape(rank), a_shape(rank, 1), b_shape(rank, 1);
    std::copy(a.shape.begin(), a.shape.end(), a_shape.end() - static_cast<std::ptrdiff_t>(a.shape.size()));
    std::copy(b.shape.begin(), b.shape.end(), b_shape.end() - static_cast<std::ptrdiff_t>(b.shape.size()));
    for (std::size_t i = 0; i < rank; ++i) {
        if (a_shape[i] != b_shape[i] && a_shape[i] != 1 && b_shape[i] != 1) node.fail("has incompatible input shapes");
        shape[i] = a_shape[i] == 1 ? b_shape[i] : a_shape[i];
    }
    std::uint64_t total = 1;
    for (const std::int64_t dim : shape) {
        total *= static_cast<std::uint64_t>(dim);
        if (total > kMaxConstant) node.fail("is larger than any weight of a detector");
    }
    OnnxTensor out;
    out.shape = shape;
    out.is_integer = a.is_integer && b.is_integer;
    Shape at(rank, 0);
    for (std::uint64_t n = 0; n < total; ++n) {
        std::size_t in_a = 0;
        std::size_t in_b = 0;
        for (std::size_t i = 0; i < rank; ++i) {
            in_a =
                in_a * static_cast<std::size_t>(a_shape[i]) + (a_shape[i] == 1 ? 0 : static_cast<std::size_t>(at[i]));
            in_b =
                in_b * static_cast<std::size_t>(b_shape[i]) + (b_shape[i] == 1 ? 0 : static_cast<std::size_t>(at[i]));
        }
        const float value = operation(real(a, in_a), real(b, in_b));
        if (!out.is_integer) {
            out.floats.push_back(value);
        } else if (std::abs(value) < 9.0e18F) {
            out.integers.push_back(static_cast<std::int64_t>(value));
        } else {
            node.fail("produces a number that is out of range for an integer");
        }
        for (std::size_t i = rank; i-- > 0;) {
            if (++at[i] < shape[i]) break;
            at[i] = 0;
        }
    }
    return out;
}

OnnxTensor exponential(const OnnxNode& node, const Inputs& inputs) {
    OnnxTensor out = input(node, inputs, 0);
    if (out.is_integer) node.fail("is supported on floating-point numbers only");
    for (float& value : out.floats) value = std::exp(value);
    return out;
}

OnnxTensor constant(const OnnxNode& node, const Inputs&) {
    OnnxTensor out;
    if (node.has("value_int")) {
        out.is_integer = true;
        out.integers = {node.integer("value_int", 0)};
    } else if (node.has("value_ints")) {
        out.is_integer = true;
        out.integers = node.integers("value_ints");
        out.shape = {static_cast<std::int64_t>(out.integers.size())};
    } else if (node.has("value_float")) {
        out.floats = {node.real("value_float", 0)};
    } else if (node.has("value_floats")) {
        out.floats = node.reals("value_floats");
        out.shape = {static_cast<std::int64_t>(out.floats.size())};
    } else {
        out = node.tensor("value");
    }
    return out;
}

OnnxTensor identity(const OnnxNode& node, const Inputs& inputs) {
    return input(node, inputs, 0);
}

struct Operator {
    std::string_view name;
    OnnxTensor (*evaluate)(const OnnxNode& node, const Inputs& inputs);
};

constexpr Operator kOperators[] = {
    {"Constant", constant},
    {"Identity", identity},
    {"Cast", cast},
    {"Unsqueeze", unsqueeze},
    {"Squeeze", squeeze},
    {"Reshape", reshape},
    {"Gather", gather},
    {"Slice", slice},
    {"Concat", concat},
    {"Exp", exponential},
    {"Add", [](const OnnxNode& n, const Inputs& i) { return elementwise(n, i, std::plus<float>()); }},
    {"Sub", [](const OnnxNode& n, const Inputs& i) { return elementwise(n, i, std::minus<float>()); }},
    {"Mul", [](const OnnxNode& n, const Inputs& i) { return elementwise(n, i, std::multiplies<float>()); }},
    {"Div", [](const OnnxNode& n, const Inputs& i) { return elementwise(n, i, std::divides<float>()); }},
};

const Operator* find_operator(std::string_view name) {
    const auto* found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                     [&](const Operator& known) { return known.name == name; });
    return found == std::end(kOperators) ? nullptr : found;
}

}  // namespace

bool can_evaluate(const std::string& op) {
    return find_operator(op) != nullptr;
}

OnnxTensor evaluate_node(const OnnxNode& node, const std::vector<const OnnxTensor*>& inputs) {
    const Operator* known = find_operator(node.op());
    if (known == nullptr) node.fail("is not supported on constants");
    return known->evaluate(node, inputs);
}

}  // namespace throng
