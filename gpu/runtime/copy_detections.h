// Copies detections between device memory and page-locked memory with one kernel.
#pragma once

#include "core/detect/detection_buffer.h"
#include "gpu/runtime/check.h"

namespace throng::gpu {

// Enqueues a copy of the count and of the first detections, at most to.capacity, with the arrays that both spans have.
// The device accesses page-locked memory directly. Copies what is counted, not more: one launch instead of a transfer
// per array.
void launch_copy(const DetectionSpan& from, const DetectionSpan& to, StreamView stream);

}  // namespace throng::gpu
