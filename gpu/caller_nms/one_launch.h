// torchvision's mode in a single launch, for as many boxes as the blocks that are resident at the same time can hold.
#pragma once

#include "gpu/caller_nms/caller_nms.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {

inline constexpr std::int32_t kOneLaunchLimit = 4224;

// Bytes of workspace: a sector of L2 per 32 boxes.
inline constexpr std::size_t kOneLaunchWorkspace = kOneLaunchLimit;

// Writes all results of the task. Returns false, and writes nothing, for a task with image ids, hits or limits, or if the
// stream has too few multiprocessors for the boxes.
[[nodiscard]] bool launch_at_once(const DeviceInfo& device, const CallerNmsTask& task, void* workspace,
                                  const LaunchChain& chain);

}  // namespace throng::gpu
