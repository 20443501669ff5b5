// The SVM's weights in device memory, in the order in which the kernel reads them.
#pragma once

#include <cstddef>

#include "core/model/hog_model.h"
#include "gpu/runtime/device_buffer.h"

namespace throng::gpu {

// Layout: [value][block row][8], the eighth 0, as floats; or [pair of values][block row][8] with two 16-bit floats
// each. Waits for the stream.
[[nodiscard]] DeviceBuffer<std::byte> upload_hog_weights(const HogModel& model, bool half, StreamView stream);

}  // namespace throng::gpu
