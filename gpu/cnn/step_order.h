// Orders a network's steps: independent steps that can share a launch become adjacent, whatever their order in the
// model file.
#pragma once

#include <vector>

#include "gpu/cnn/steps.h"

namespace throng::gpu {

// Returns true if b, which comes after a, can share its launch: convolutions, or units of the same channels, where b
// reads no output of a.
[[nodiscard]] bool can_merge(const Step& a, const Step& b, const std::vector<TensorAlias>& aliases);

// Returns how many steps of this kind a launch takes.
[[nodiscard]] int max_merge(const Step& step);

// Returns the same steps, each after the steps whose output it reads.
[[nodiscard]] std::vector<Step> ordered_for_merging(const std::vector<Step>& steps,
                                                    const std::vector<TensorAlias>& aliases);

}  // namespace throng::gpu
