// The grid engine: one-pass and greedy for any number of detections. Time grows with the number of nearby pairs, memory
// linearly.
#pragma once

#include <cstdint>

#include "gpu/nms/box_grid.h"
#include "gpu/nms/kept_order.h"
#include "gpu/nms/nms_task.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {

// The suppressors of a record, found by one search.
struct alignas(8) SuppressorHead {
    std::uint32_t first;  // of those that may still be kept; 0xFFFFFFFF: none
    std::uint32_t count;  // the list is truncated if it is above kListRoom, which few are: they need more searches
};
inline constexpr std::uint32_t kListRoom = 64;

// Addresses in device memory, [capacity] each, by record.
struct GridNmsArrays {
    std::uint32_t* state = nullptr;
    std::uint32_t* hits = nullptr;  // of a kept record
    std::uint32_t* open = nullptr;  // records, by block
    SuppressorHead* heads = nullptr;
    std::uint32_t* entries = nullptr;  // [capacity * kListRoom] suppressors in any order, some perhaps twice
};

struct GridNmsWork;

class GridNms {
public:
    GridNms(const DeviceInfo& device, std::int32_t capacity);

    // Call in this order. All calls enqueue only and allocate nothing.
    void launch_order(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) const;
    void launch_map(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) const;
    void launch_reduce(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) const;

    // Must be 0 before the first frame.
    [[nodiscard]] ClearedWords cleared() const { return grid_.cleared(); }

private:
    [[nodiscard]] GridNmsWork make_work(const NmsRuleSet& rules) const;

    DeviceInfo device_;
    BoxGridStorage grid_;
    KeptOrderStorage order_;
    GridNmsArrays arrays_;
    DeviceBuffer<std::byte> memory_;
};

}  // namespace throng::gpu
