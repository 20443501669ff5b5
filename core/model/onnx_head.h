// Tells what a graph is for by its outputs, and makes of them the head of a network.
#pragma once

#include "core/model/network.h"
#include "core/model/onnx_graph.h"
#include "core/model/onnx_values.h"

namespace throng {

// From the names and declared shapes of the outputs. Throws Error(input) for a model of another task, saying what it
// looks like and what is expected.
[[nodiscard]] HeadFamily recognize_family(const OnnxGraph& graph);

// Sets head and the conventions of the input. Throws Error(input) where outputs are not laid out, or boxes not decoded,
// as the family does it.
void attach_head(const OnnxGraph& graph, HeadFamily family, OnnxNetwork& built);

}  // namespace throng
