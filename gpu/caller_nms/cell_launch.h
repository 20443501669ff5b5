// torchvision's mode in a single launch for many boxes, which are found by cells of a hash table.
#pragma once

#include "gpu/caller_nms/caller_nms.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {

// Returns the bytes of workspace for `size` boxes of any type; 0 for more than launch_by_cells can have.
[[nodiscard]] std::size_t cell_launch_workspace(const DeviceInfo& device, std::int32_t size);

// Returns true if launch_by_cells applies: no image ids, no hits, a theta that limits the search, and not too many boxes
// for the device.
[[nodiscard]] bool fits_cell_launch(const DeviceInfo& device, const CallerNmsTask& task);

// Writes all results of the task. workspace: aligned to 256 bytes. Returns false, and writes nothing, if the stream has
// too few multiprocessors.
[[nodiscard]] bool launch_by_cells(const DeviceInfo& device, const CallerNmsTask& task, void* workspace,
                                   const LaunchChain& chain);

}  // namespace throng::gpu
