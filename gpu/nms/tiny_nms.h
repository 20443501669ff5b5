// The fast engine for the smallest frames: a cluster of blocks processes a frame, and every block holds the whole
// suppression matrix in its shared memory. Compute capability 9.0 and later.
#pragma once

#include <cstdint>

#include "gpu/nms/nms_task.h"
#include "gpu/runtime/check.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {

// Returns the maximum capacity of the raw buffer for this engine; 0 if the device has no clusters.
[[nodiscard]] std::int32_t tiny_nms_limit(const DeviceInfo& device);

// Processes one frame whose raw buffer does not exceed that capacity. Rules one-pass and greedy. Needs no scratch
// memory; enqueues one kernel.
void launch_tiny_nms(const NmsTask& task, const NmsRuleSet& rules, StreamView stream);

}  // namespace throng::gpu
