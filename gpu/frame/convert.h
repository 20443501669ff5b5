// Color conversion on the device.
#pragma once

#include <cstdint>

#include "core/frame/frame.h"
#include "gpu/frame/device_image.h"
#include "gpu/runtime/check.h"

namespace throng::gpu {

// Gray from 24-bit BGR, as core/algo/gray.h. Device addresses; pitches in bytes.
void enqueue_gray(const std::uint8_t* bgr, int bgr_pitch, int width, int height, std::uint8_t* gray, int gray_pitch,
                  StreamView stream);

// RGBA for display from a gray or 4:2:0 frame in device memory: 4 bytes a pixel, alpha 255, chroma taken from the
// nearest sample. Without chroma the frame is gray. rgba may be memory of a mapped pixel buffer of OpenGL.
void enqueue_rgba(const DeviceImage& frame, ColorRange range, ColorMatrix matrix, std::uint8_t* rgba, int rgba_pitch,
                  StreamView stream);

}  // namespace throng::gpu
