// Color conversion on the device.
#pragma once

#include <cstdint>

#include "core/frame/frame.h"
#include "gpu/frame/device_image.h"
#include "gpu/runtime/check.h"

namespace throng::gpu {

// Converts 24-bit BGR to gray as in core/algo/gray.h. Device addresses; pitches in bytes.
void enqueue_gray(const std::uint8_t* bgr, int bgr_pitch, int width, int height, std::uint8_t* gray, int gray_pitch,
                  StreamView stream);

// Converts a plane of samples of 16 bits, of which the lower six are 0, to 8 bits as in core/algo/narrow.h. plane: 0 luma,
// 1 interleaved chroma. to: as `shape` says.
void enqueue_narrow(const PlaneView& from, int plane, const PlaneView& shape, std::uint8_t* to, StreamView stream);

// Converts a gray or 4:2:0 frame in device memory to RGBA for display: 4 bytes per pixel, alpha 255, chroma from the
// nearest sample. A frame without chroma becomes gray. info: of the frame, its colors. rgba may be the memory of a mapped
// OpenGL pixel buffer.
void enqueue_rgba(const DeviceImage& frame, const FrameInfo& info, std::uint8_t* rgba, int rgba_pitch,
                  StreamView stream);

}  // namespace throng::gpu
