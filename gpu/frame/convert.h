// Colour conversion on the device.
#pragma once

#include <cstdint>

#include "core/frame/frame.h"
#include "gpu/frame/device_picture.h"
#include "gpu/runtime/check.h"

namespace throng::gpu {

// Grey from 24-bit BGR, as core/algo/grey.h. Device addresses; pitches in bytes.
void enqueue_grey(const std::uint8_t* bgr, int bgr_pitch, int width, int height, std::uint8_t* grey, int grey_pitch,
                  StreamView stream);

// RGBA for display from a grey or 4:2:0 picture in device memory: 4 bytes a pixel, alpha 255, chroma taken from the
// nearest sample. Without chroma the picture is grey. rgba may be memory of a mapped pixel buffer of OpenGL.
void enqueue_rgba(const DevicePicture& picture, ColorRange range, ColorMatrix matrix, std::uint8_t* rgba,
                  int rgba_pitch, StreamView stream);

}  // namespace throng::gpu
