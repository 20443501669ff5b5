// The fast engine for up to a few thousand detections: one launch, all pairs that matter.
#pragma once

#include <cstdint>

#include "gpu/nms/nms_task.h"
#include "gpu/runtime/check.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {

// The most detections that one frame may have for this engine; larger frames are left untouched.
inline constexpr std::int32_t kSmallNmsLimit = 4096;

// The same where a block has less shared memory than the entries of so many need.
[[nodiscard]] std::int32_t small_nms_limit(const DeviceInfo& device);

// Where the blocks of a frame tell each other what they found. All zero before the first call.
struct SmallNmsBoard {
    static constexpr std::uint32_t kAlone = 64;  // up to so many detections one block does alone
    static constexpr std::uint32_t kTile = 32;   // least side of a tile of pairs
    static constexpr std::uint32_t kRows = 16;   // most rows of tiles
    static constexpr std::uint32_t kSlots = kRows * (kSmallNmsLimit / 32 + kRows);

    std::uint32_t tag;  // of the first exchange of the next call, less 1
    std::uint32_t unused[31];
    std::uint64_t slots[2][kSlots];
};

// Scratch in device memory that one frame needs; [capacity] each.
struct SmallNmsScratch {
    SmallNmsBoard* board = nullptr;
    std::uint32_t* order = nullptr;  // of those that are decided in turn
    std::int32_t* hits = nullptr;    // of the kept ones by rank, before those with too few are dropped
    std::int32_t* source = nullptr;  // beside hits
};

// Bytes of device memory for one frame, and the scratch laid out in them (aligned to 256 bytes).
[[nodiscard]] std::size_t small_nms_bytes(std::int32_t capacity);
[[nodiscard]] SmallNmsScratch lay_out_small_nms(std::byte* d_memory, std::int32_t capacity);

struct SmallNmsTask {
    NmsTask task;
    SmallNmsScratch scratch;
};

// Map finds out which detections are suppressed; reduce does the rest. Both are one launch unless they are to be timed
// apart.
enum class SmallNmsPart : std::uint8_t { map = 1, reduce = 2, all = 3 };

// One frame. capacity: what the scratch is made for, at most small_nms_limit. Rules one-pass and greedy. early: blocks
// may start before the kernel in front has ended, and let the next one do so: not where the large engine's kernels
// follow, which then take longer than is won.
void launch_small_nms(SmallNmsPart part, const DeviceInfo& device, const SmallNmsTask& task, std::int32_t capacity,
                      const NmsRuleSet& rules, bool early, StreamView stream);

// Many frames or classes in the same launch; the tasks lie in device memory.
void launch_small_nms_batch(SmallNmsPart part, const DeviceInfo& device, const SmallNmsTask* d_tasks,
                            std::int32_t frames, std::int32_t capacity, const NmsRuleSet& rules, StreamView stream);

}  // namespace throng::gpu
