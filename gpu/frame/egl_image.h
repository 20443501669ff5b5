// EGLImages in the memory of a device: frames of a board's cameras.
#pragma once

#include <string>

#include "core/frame/device_converter.h"

struct cudaEglFrame_st;

namespace throng::gpu {

// DeviceConverter::register_image. The device must be the current one.
[[nodiscard]] DevicePlanes register_egl_image(int device, void* egl_image);

// Sets the planes of a registered image. Returns why kernels cannot read them as NV12; empty if they can.
[[nodiscard]] std::string read_egl_frame(const cudaEglFrame_st& frame, PlaneView (&planes)[2]);

}  // namespace throng::gpu
