// The fast engine for any number of detections: time grows with the pairs that are near each other, memory linearly.
// Rules one-pass and greedy.
#pragma once

#include <cstdint>

#include "gpu/nms/box_grid.h"
#include "gpu/nms/kept_order.h"
#include "gpu/nms/nms_task.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {

class LargeNms {
public:
    LargeNms() = default;
    LargeNms(const DeviceInfo& device, std::int32_t capacity);

    // Frames with fewer than least detections are left untouched. Enqueues only; allocates nothing.
    void launch_map(const NmsTask& task, const NmsRuleSet& rules, std::uint32_t least, StreamView stream) const;
    void launch_reduce(const NmsTask& task, const NmsRuleSet& rules, std::uint32_t least, StreamView stream) const;

    [[nodiscard]] std::size_t bytes() const;

private:
    int resolve_blocks_ = 0;  // that run at once
    BoxGridStorage grid_;
    KeptOrderStorage order_;
    DeviceBuffer<std::uint32_t> state_;       // by record
    DeviceBuffer<std::uint32_t> hits_;        // by record
    DeviceBuffer<std::uint32_t> kept_items_;  // records, by cell
    DeviceBuffer<std::uint32_t> undecided_;   // records
};

}  // namespace throng::gpu
