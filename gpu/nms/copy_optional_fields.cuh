// What a kept detection carries beside box and score.
#pragma once

#include <cstdint>

#include "gpu/nms/nms_task.h"

namespace throng::gpu {

// Copies the optional arrays of a kept detection to its place, which is within the capacity. By `lanes` lanes.
__device__ __forceinline__ void copy_columns(const NmsTask& task, std::size_t place, std::size_t source,
                                             std::uint32_t lane, std::uint32_t lanes) {
    const DetectionSpan& kept = task.kept;
    const DetectionSpan& raw = task.raw;
    if (lane == 0 && kept.density != nullptr && raw.density != nullptr) kept.density[place] = raw.density[source];
    if (kept.features != nullptr && raw.features != nullptr && kept.feature_size == raw.feature_size) {
        const auto size = static_cast<std::size_t>(kept.feature_size);
        for (std::size_t k = lane; k < size; k += lanes)
            kept.features[place * size + k] = raw.features[source * size + k];
    }
    if (kept.landmarks != nullptr && raw.landmarks != nullptr) {
        for (std::size_t k = lane; k < 10; k += lanes) kept.landmarks[place * 10 + k] = raw.landmarks[source * 10 + k];
    }
}

}  // namespace throng::gpu
