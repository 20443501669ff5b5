// The order of a network's steps: what does not depend on one another and fits one launch stands together, wherever the
// model's file had it.
#pragma once

#include <vector>

#include "gpu/cnn/steps.h"

namespace throng::gpu {

// Whether b, which comes after a, may share its launch: units of the same channels, of which b reads nothing of a's.
[[nodiscard]] bool can_merge(const Step& a, const Step& b);

// The same steps, each still after those that write what it reads.
[[nodiscard]] std::vector<Step> ordered_for_merging(const std::vector<Step>& steps,
                                                    const std::vector<TensorAlias>& aliases);

}  // namespace throng::gpu
