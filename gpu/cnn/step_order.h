// Orders a network's steps: independent steps that can share a launch become adjacent, whatever their order in the
// model file.
#pragma once

#include <vector>

#include "gpu/cnn/steps.h"

namespace throng::gpu {

// Returns true if b, which comes after a, can share its launch: units of the same channels, where b reads no output of
// a.
[[nodiscard]] bool can_merge(const Step& a, const Step& b);

// Returns the same steps, each after the steps whose output it reads.
[[nodiscard]] std::vector<Step> ordered_for_merging(const std::vector<Step>& steps,
                                                    const std::vector<TensorAlias>& aliases);

}  // namespace throng::gpu
