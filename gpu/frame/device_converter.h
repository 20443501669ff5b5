// The conversion of decoders' frames on the device.
#pragma once

#include <memory>

#include "core/frame/device_converter.h"

namespace throng::gpu {

// MakeDeviceConverter of core/frame/device_converter.h. Throws Error(unavailable) if the device is unusable.
[[nodiscard]] std::unique_ptr<DeviceConverter> make_device_converter(int device);

}  // namespace throng::gpu
