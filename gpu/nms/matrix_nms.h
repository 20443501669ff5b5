// The matrix engine: one-pass and greedy for a moderate number of detections, by the suppression relation of all pairs
// as a bit matrix (matrix_layout.h). Correct for any number up to kMatrixLimit; the grid engine is faster above a few
// thousand.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/nms/nms_task.h"
#include "gpu/runtime/check.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {

inline constexpr std::int32_t kMatrixLimit = 16384;
// The grid engine is faster above; in crowds under IoU from about 3500 on, but with dense clusters only much later.
inline constexpr std::int32_t kMatrixBest = 4608;

struct alignas(16) BoxEdges {
    float left, top, right, bottom;  // as in PairBox
};

// Scratch memory of one frame, on the device. Nothing needs to be cleared before a call. The rank of a detection is its
// position in the order of `precedes`; invalid detections have ranks, too.
struct MatrixScratch {
    Box* boxes = nullptr;              // [capacity] by rank; width -1: invalid
    float* scores = nullptr;           // [capacity] by rank
    std::uint32_t* source = nullptr;   // [capacity] by rank: raw index
    BoxEdges* edges = nullptr;         // [capacity] by rank
    float* shares = nullptr;           // [capacity] by rank: as in PairBox
    std::uint32_t* hits = nullptr;     // [capacity] by rank; only with min_hits above 1
    std::uint32_t* matrix = nullptr;   // as in matrix_layout.h
    std::uint32_t* dropped = nullptr;  // [tiles] bit: has a suppressor, is invalid or absent; greedy clears those kept
    std::uint32_t* sure = nullptr;     // [tiles] greedy, bit: has a kept suppressor, is invalid or absent
    std::uint32_t* invalid = nullptr;  // number of invalid detections
};

struct MatrixTask {
    NmsTask task;
    MatrixScratch scratch;
};

class MatrixNms {
public:
    // capacity: at most kMatrixLimit.
    MatrixNms(const DeviceInfo& device, std::int32_t capacity);

    // Sets the number of detections that launches are sized for; any number up to the capacity gives the same result.
    void expect(std::int32_t detections) { expected_ = static_cast<std::uint32_t>(detections); }

    // Call in this order. All calls enqueue only and allocate nothing.
    void launch_order(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) const;
    void launch_map(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) const;
    void launch_reduce(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) const;

private:
    DeviceInfo device_;
    std::uint32_t expected_ = 0;
    DeviceBuffer<std::byte> memory_;
    MatrixScratch scratch_;  // in it
};

}  // namespace throng::gpu
