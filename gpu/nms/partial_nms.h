// Suppression on a part of the device's multiprocessors, measured.
#pragma once

#include <cstdint>

#include "core/detect/nms.h"
#include "gpu/runtime/partial_device.h"

namespace throng::gpu {

struct PartialNmsTime {
    double median_ms = 0;  // of one call, many of them enqueued one after another
    std::size_t kept = 0;
};

// Buffers of `capacity` detections. Not a replayed graph: its nodes need not stay in the partition. Waits.
[[nodiscard]] PartialNmsTime time_partial_nms(const PartialDevice& part, const DetectionSet& boxes,
                                              const NmsParams& params, std::int32_t capacity);

}  // namespace throng::gpu
