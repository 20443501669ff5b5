// The fast engine for up to a few thousand detections: all pairs that matter, as a matrix of bits.
#pragma once

#include <cstdint>

#include "gpu/nms/box_grid.h"
#include "gpu/nms/nms_task.h"
#include "gpu/runtime/check.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {

// The most detections that one frame may have for this engine; larger frames are left untouched.
inline constexpr std::int32_t kSmallNmsLimit = 4096;

// The same where a block has less shared memory than so many need.
[[nodiscard]] std::int32_t small_nms_limit(const DeviceInfo& device);

// What the kernels tell each other about a frame. Device memory, all 0 before the first call; words: of 32 detections,
// by index. Some is loaded before it is known to be meant.
struct SmallNmsScratch {
    static constexpr std::uint32_t kTiles = 32;                // most tiles of detections
    static constexpr std::uint32_t kSegment = 2048;            // words of a list: of 32 detections,
    static constexpr std::uint32_t kHead = 4;                  // its head,
    static constexpr std::uint32_t kEdges = kSegment - kHead;  // and edges that have room
    static constexpr std::uint32_t kLine = 32;                 // words, that no others are loaded with

    std::uint32_t* matrix = nullptr;   // [words][2048, 3072 or 4096] bit k of [w][i]: detection 32 w + k suppresses i
    std::uint32_t* gone = nullptr;     // [words][kTiles] bits: none, invalid, or suppressed by one of that tile
    std::uint32_t* invalid = nullptr;  // [words] how many
    std::uint32_t* edges = nullptr;    // [words][kSegment] greedy: a ListHead, and an Edge for each edge
    std::uint32_t* open = nullptr;     // [words][kLine] greedy: see SmallNumbers; 0 between calls
    std::uint32_t* rows = nullptr;     // [most open / 128][most open][4] greedy: bits by number, see SmallNumbers
    std::uint32_t* who = nullptr;      // [most open] greedy: by number, index
    std::int32_t* hits = nullptr;      // [capacity] of the kept ones by rank, before those with too few are dropped
    std::int32_t* source = nullptr;    // [capacity] beside hits
};

// Bytes of device memory for one frame, and the scratch laid out in them (aligned to 256 bytes).
[[nodiscard]] std::size_t small_nms_bytes(std::int32_t capacity);
[[nodiscard]] SmallNmsScratch lay_out_small_nms(std::byte* d_memory, std::int32_t capacity);

struct SmallNmsTask {
    NmsTask task;
    SmallNmsScratch scratch;
};

// Map finds out who suppresses whom; reduce does the rest.
enum class SmallNmsPart : std::uint8_t { map = 1, reduce = 2, all = 3 };

// One frame. capacity: what the scratch is made for, at most small_nms_limit. Rules one-pass and greedy.
void launch_small_nms(SmallNmsPart part, const DeviceInfo& device, const SmallNmsTask& task, std::int32_t capacity,
                      const NmsRuleSet& rules, StreamView stream);

// One frame in a buffer for more than `capacity`. If it has more, it is binned for the large engine instead, as
// launch_grid_build does, in the same launches.
void launch_small_nms_or_binning(const DeviceInfo& device, const SmallNmsTask& task, std::int32_t capacity,
                                 const NmsRuleSet& rules, const GridBuild& build, StreamView stream);

// Many frames or classes in the same launches; the tasks lie in device memory.
void launch_small_nms_batch(SmallNmsPart part, const DeviceInfo& device, const SmallNmsTask* d_tasks,
                            std::int32_t frames, std::int32_t capacity, const NmsRuleSet& rules, StreamView stream);

}  // namespace throng::gpu
