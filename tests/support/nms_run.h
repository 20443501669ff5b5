// Runs a host NMS engine on vectors.
#pragma once

#include "core/detect/nms.h"
#include "core/detect/null_recorder.h"
#include "tests/support/nms_reference.h"

namespace throng::test {

// Returns a host buffer with the detections of `input`; capacity -1: the number of detections.
[[nodiscard]] DetectionBuffer host_buffer(const NmsInput& input, std::int32_t capacity = -1);

// Returns the stored detections of a host buffer.
[[nodiscard]] DetectionSet detections_of(const DetectionBuffer& buffer);

[[nodiscard]] NmsOutput run_host_nms(Nms& nms, const NmsInput& input, const NmsParams& params);

}  // namespace throng::test
