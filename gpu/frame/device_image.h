// A frame as kernels access it: plain addresses in device memory.
#pragma once

#include <cstdint>

#include "core/frame/frame.h"

namespace throng::gpu {

// Owns nothing. Rows are pitched; pitches in bytes.
struct DeviceImage {
    int width = 0, height = 0;  // pixels
    const std::uint8_t* luma = nullptr;
    int luma_pitch = 0;
    // Chroma of 4:2:0 frames, (width + 1) / 2 x (height + 1) / 2; null if the frame has none or none was requested.
    const std::uint8_t* cb = nullptr;
    const std::uint8_t* cr = nullptr;
    int chroma_pitch = 0;
    int chroma_step = 1;  // bytes between samples: 2 in NV12
    // Set instead of the planes above if colors were requested and the frame is bgr24: 3 bytes per pixel.
    const std::uint8_t* bgr = nullptr;
    int bgr_pitch = 0;

    friend bool operator==(const DeviceImage&, const DeviceImage&) = default;
};

// Returns the image of a frame's planes in device memory; count: those to use, all of the format or only the first.
[[nodiscard]] DeviceImage device_image(const FrameInfo& info, const PlaneView (&planes)[Frame::kMaxPlanes], int count);

}  // namespace throng::gpu
