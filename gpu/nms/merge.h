// Replaces each kept box by the mean of its members, summed in double precision in the order of precedes.
#pragma once

#include <cstdint>

#include "gpu/nms/nms_task.h"
#include "gpu/runtime/device_buffer.h"

namespace throng::gpu {

class MergeBoxes {
public:
    MergeBoxes() = default;
    MergeBoxes(std::int32_t raw_capacity, std::int32_t kept_capacity);

    // Call after a rule wrote task.kept and task.owner. kind must not be none. Enqueues only.
    void launch(const NmsTask& task, Merge kind, StreamView stream) const;

private:
    std::size_t raw_capacity_ = 0;
    std::size_t kept_capacity_ = 0;
    DeviceBuffer<std::uint32_t> cleared_;  // cursor and positions: 0 before each frame
    DeviceBuffer<std::uint32_t> lists_;
};

}  // namespace throng::gpu
