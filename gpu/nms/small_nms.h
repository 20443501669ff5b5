// The fast engine for thousands of detections: everything in one launch, one cluster of thread blocks a frame.
#pragma once

#include <cstdint>

#include "gpu/nms/nms_task.h"
#include "gpu/runtime/check.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {

// Scratch in device memory that one frame needs, in the order of precedes.
struct SmallNmsScratch {
    float* scores = nullptr;          // [capacity]
    std::uint32_t* index = nullptr;   // [capacity] in the raw buffer
    std::uint32_t* hits = nullptr;    // [capacity]
};

struct SmallNmsTask {
    NmsTask task;
    SmallNmsScratch scratch;
};

// How a launch is laid out on a device; found once, outside of the frame loop.
struct SmallNmsPlan {
    std::int32_t capacity = 0;        // detections a frame may hold for this engine; more are left to the other one
    std::int32_t cluster = 1;         // blocks a frame
    std::size_t shared_bytes = 0;
};

// The most detections that one frame may have on this device.
[[nodiscard]] std::int32_t small_nms_limit(const DeviceInfo& device);

// frames: how many are handled by one launch. capacity at most small_nms_limit().
[[nodiscard]] SmallNmsPlan plan_small_nms(const DeviceInfo& device, std::int32_t capacity, std::int32_t frames);

// One frame; a frame with more than plan.capacity detections is left untouched. Rules one-pass and greedy.
void launch_small_nms(const SmallNmsPlan& plan, const SmallNmsTask& task, const NmsRuleSet& rules, StreamView stream);

// frames tasks that lie in device memory.
void launch_small_nms_batch(const SmallNmsPlan& plan, const SmallNmsTask* d_tasks, std::int32_t frames,
                            const NmsRuleSet& rules, StreamView stream);

}  // namespace throng::gpu
