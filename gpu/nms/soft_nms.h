// Soft-NMS, linear and gaussian (N. Bodla et al., ICCV 2017), for any number of detections. The connected components of
// the overlap graph do not affect each other's scores, so they are processed concurrently, each in the rule's own
// order.
#pragma once

#include <cstdint>

#include "gpu/nms/box_grid.h"
#include "gpu/nms/kept_order.h"
#include "gpu/nms/nms_task.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {

struct SoftSummary {
    std::uint32_t first;    // 1 + the record that precedes all others, 0 while unknown
    std::uint32_t members;  // number of members stored so far
    std::uint32_t small;
    std::uint32_t large;
};

// Addresses in device memory, [capacity] each.
struct SoftScratch {
    SoftSummary* summary;    // 0 before each frame, as the next two
    std::uint32_t* links;    // by record: 1 + another of its component, 0 for a root
    std::uint32_t* sizes;    // by root
    std::uint32_t* slots;    // by record: index in its component
    std::uint32_t* starts;   // by root
    std::uint32_t* members;  // records, by component
    float* scores;           // current score, by member; NaN: picked or dropped
    std::uint32_t* small;    // roots of components processed by one warp
    std::uint32_t* large;    // roots of components processed by one block
};

class SoftNms {
public:
    SoftNms(const DeviceInfo& device, std::int32_t capacity);

    // Call in this order. All calls enqueue only and allocate nothing. The gate of the rules: groups only, and score_min
    // must not be negative then. map finds the components and makes the first pick; reduce processes them and writes
    // the picked detections in the order of picking.
    void launch_order(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) const;
    void launch_map(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) const;
    void launch_reduce(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) const;

    // Must be 0 before the first frame.
    [[nodiscard]] ClearedWords cleared() const { return grid_.cleared(); }

private:
    [[nodiscard]] KeptOrder order(const BoxGrid& grid) const { return order_.view(grid.plan, nullptr, 1); }

    DeviceInfo device_;
    std::int32_t capacity_ = 0;
    BoxGridStorage grid_;
    KeptOrderStorage order_;  // and behind it summary, links and sizes
    SoftScratch scratch_{};
    DeviceBuffer<std::byte> memory_;
};

}  // namespace throng::gpu
