// Recognizes the purpose of a graph by its outputs and converts them to the head of a network.
#pragma once

#include "core/model/network.h"
#include "core/model/onnx_graph.h"
#include "core/model/onnx_values.h"

namespace throng {

// Uses the names and declared shapes of the outputs. Throws Error(input) for a model of another task, saying what it
// looks like and what is expected.
[[nodiscard]] HeadFamily recognize_family(const OnnxGraph& graph);

// Sets the head and the input conventions. object_class: the class that is detected, of a family with several; the
// scores of the others are removed. Throws Error(input) if the output layout or the decoding of boxes differs from the
// family's, and for a class that the model does not have.
void attach_head(const OnnxGraph& graph, HeadFamily family, std::int32_t object_class, OnnxNetwork& built);

}  // namespace throng
