// The fast engine for the fewest detections: a cluster of blocks takes a frame, and every block has the whole matrix of
// who suppresses whom in its shared memory. Compute capability 9.0 and later.
#pragma once

#include <cstdint>

#include "gpu/nms/nms_task.h"
#include "gpu/runtime/check.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {

// The most detections that the raw buffer may have room for; 0 where the device has no clusters.
[[nodiscard]] std::int32_t tiny_nms_limit(const DeviceInfo& device);

// One frame, whose raw buffer has no larger capacity. Rules one-pass and greedy. Needs no scratch; enqueues one kernel.
void launch_tiny_nms(const NmsTask& task, const NmsRuleSet& rules, StreamView stream);

}  // namespace throng::gpu
