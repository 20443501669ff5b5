// Orders a network's steps: independent steps that can share a launch are grouped, whatever their order in the model
// file.
#pragma once

#include "gpu/cnn/steps.h"

namespace throng::gpu {

// Returns the same steps, each after the steps whose output it reads. Those of a group read no output of each other.
[[nodiscard]] std::vector<StepGroup> grouped(const std::vector<Step>& steps, const std::vector<TensorAlias>& aliases);

}  // namespace throng::gpu
