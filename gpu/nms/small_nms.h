// The fast engine for up to a few thousand detections: the suppression relation of all relevant pairs as a bit matrix.
#pragma once

#include <cstdint>

#include "gpu/nms/box_grid.h"
#include "gpu/nms/nms_task.h"
#include "gpu/runtime/check.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {

// The maximum number of detections per frame for this engine; larger frames are left untouched.
inline constexpr std::int32_t kSmallNmsLimit = 4096;

// Returns the limit for the device; lower if its shared memory per block is too small.
[[nodiscard]] std::int32_t small_nms_limit(const DeviceInfo& device);

// Data that the kernels exchange about a frame. Device memory, all 0 before the first call. A word stands for 32
// detections, by index. Some data is loaded speculatively.
struct SmallNmsScratch {
    static constexpr std::uint32_t kTiles = 32;                // max tiles of detections
    static constexpr std::uint32_t kSegment = 2048;            // words of the list of 32 detections:
    static constexpr std::uint32_t kHead = 4;                  // its head
    static constexpr std::uint32_t kEdges = kSegment - kHead;  // and its edges
    static constexpr std::uint32_t kLine = 32;                 // words of a cache line, not shared with other data

    std::uint32_t* matrix = nullptr;  // [words][2048, 3072 or 4096] bit k of [w][i]: detection 32 w + k suppresses i
    std::uint32_t* gone = nullptr;  // [words][kTiles] bits: absent, invalid, or suppressed by a detection of that tile
    std::uint32_t* invalid = nullptr;  // [words] number of invalid detections
    std::uint32_t* edges = nullptr;    // [words][kSegment] greedy: a ListHead, and an Edge for each edge
    std::uint32_t* open = nullptr;     // [words][kLine] greedy: see SmallNumbers; 0 between calls
    std::uint32_t* rows = nullptr;   // [max undecided / 128][max undecided][4] greedy: bits by number, see SmallNumbers
    std::uint32_t* who = nullptr;    // [max undecided] greedy: index, by number
    std::int32_t* hits = nullptr;    // [capacity] by rank of the kept, before those with too few are dropped
    std::int32_t* source = nullptr;  // [capacity] source indices, in the order of hits
};

// Return the bytes of device memory for one frame, and the scratch arrays laid out in them (aligned to 256 bytes).
[[nodiscard]] std::size_t small_nms_bytes(std::int32_t capacity);
[[nodiscard]] SmallNmsScratch lay_out_small_nms(std::byte* d_memory, std::int32_t capacity);

struct SmallNmsTask {
    NmsTask task;
    SmallNmsScratch scratch;
};

// map computes the suppression matrix; reduce does the rest.
enum class SmallNmsPart : std::uint8_t { map = 1, reduce = 2, all = 3 };

// Processes one frame. capacity: the size of the scratch, at most small_nms_limit. Rules one-pass and greedy.
void launch_small_nms(SmallNmsPart part, const DeviceInfo& device, const SmallNmsTask& task, std::int32_t capacity,
                      const NmsRuleSet& rules, StreamView stream);

// Processes one frame in a buffer with more than `capacity` entries. A frame with more detections is binned for the
// large engine instead, as by launch_grid_build, in the same launches.
void launch_small_nms_or_binning(const DeviceInfo& device, const SmallNmsTask& task, std::int32_t capacity,
                                 const NmsRuleSet& rules, const GridBuild& build, StreamView stream);

// Processes many frames or classes in the same launches; the tasks are in device memory.
void launch_small_nms_batch(SmallNmsPart part, const DeviceInfo& device, const SmallNmsTask* d_tasks,
                            std::int32_t frames, std::int32_t capacity, const NmsRuleSet& rules, StreamView stream);

}  // namespace throng::gpu
