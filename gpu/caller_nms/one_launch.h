// torchvision's mode in a single launch, for as many boxes as the blocks that are resident at the same time can hold.
#pragma once

#include "gpu/caller_nms/caller_nms.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {

inline constexpr std::int32_t kOneLaunchLimit = 4224;

// Bytes of workspace: a sector of L2 per 32 boxes.
inline constexpr std::size_t kOneLaunchWorkspace = kOneLaunchLimit;

// Returns true if launch_at_once applies: no image ids, no hits, and few enough boxes for the device.
[[nodiscard]] bool fits_one_launch(const DeviceInfo& device, const CallerNmsTask& task);

// Writes all results of the task. Returns false, and writes nothing, if the stream has too few multiprocessors.
[[nodiscard]] bool launch_at_once(const CallerNmsTask& task, void* workspace, const LaunchChain& chain);

}  // namespace throng::gpu
