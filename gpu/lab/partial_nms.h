// Measures suppression on a partition of the device's multiprocessors.
#pragma once

#include <cstdint>

#include "core/detect/nms.h"
#include "gpu/runtime/partial_device.h"

namespace throng::gpu {

struct PartialNmsTime {
    double median_ms = 0;  // per call, with many calls enqueued in sequence
    std::size_t kept = 0;
};

// Measures with buffers of `capacity` detections. Does not replay a graph, because its nodes might not stay in the
// partition. Waits.
[[nodiscard]] PartialNmsTime time_partial_nms(const PartialDevice& part, const DetectionSet& boxes,
                                              const NmsParams& params, std::int32_t capacity);

}  // namespace throng::gpu
