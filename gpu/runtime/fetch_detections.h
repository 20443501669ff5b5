// Copies detections to page-locked memory with one kernel.
#pragma once

#include "core/detect/detection_buffer.h"
#include "gpu/runtime/check.h"

namespace throng::gpu {

// Enqueues a copy of the count and of the first detections, at most to.capacity, with the arrays that both spans have.
// to: page-locked memory, which the device writes directly. Copies what the device counts, not more: one launch instead
// of a transfer per array.
void launch_fetch(const DetectionSpan& from, const DetectionSpan& to, StreamView stream);

}  // namespace throng::gpu
