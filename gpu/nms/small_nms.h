// The fast engine for up to a few thousand detections: three launches over the whole device, all pairs that matter.
#pragma once

#include <cstdint>

#include "gpu/nms/nms_task.h"
#include "gpu/runtime/check.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {

struct SmallNmsHeader {
    std::uint32_t valid;
    std::uint32_t invalid;
    std::uint32_t unused[2];
};

// Scratch in device memory that one frame needs: its valid detections in the order of precedes. [capacity] each.
struct SmallNmsScratch {
    SmallNmsHeader* header = nullptr;
    Box* boxes = nullptr;
    float* scores = nullptr;
    std::uint32_t* index = nullptr;  // in the raw buffer
    std::uint32_t* hits = nullptr;
    std::uint32_t* state = nullptr;
};

// Bytes of device memory for one frame, and the scratch laid out in them (aligned to 256 bytes).
[[nodiscard]] std::size_t small_nms_bytes(std::int32_t capacity);
[[nodiscard]] SmallNmsScratch lay_out_small_nms(std::byte* d_memory, std::int32_t capacity);

struct SmallNmsTask {
    NmsTask task;
    SmallNmsScratch scratch;
};

// The most detections that one frame may have for this engine; larger frames are left untouched.
inline constexpr std::int32_t kSmallNmsLimit = 4096;

// The same where a block has less shared memory than the boxes of so many need (compute capability 7.5).
[[nodiscard]] inline std::int32_t small_nms_limit(const DeviceInfo& device) {
    return device.shared_memory > kSmallNmsLimit * sizeof(Box) + 1024 ? kSmallNmsLimit : kSmallNmsLimit * 3 / 4;
}

// Parts of the work, which may be timed apart: the order; the decisions; hits counted, the kept ones written.
enum class SmallNmsPart { order, map, reduce };

// One frame. capacity: what the scratch is made for, at most kSmallNmsLimit. Rules one-pass and greedy.
void launch_small_nms(SmallNmsPart part, const DeviceInfo& device, const SmallNmsTask& task, std::int32_t capacity,
                      const NmsRuleSet& rules, StreamView stream);

// Many frames or classes in the same launches; the tasks lie in device memory.
void launch_small_nms_batch(SmallNmsPart part, const DeviceInfo& device, const SmallNmsTask* d_tasks,
                            std::int32_t frames, std::int32_t capacity, const NmsRuleSet& rules, StreamView stream);

}  // namespace throng::gpu
