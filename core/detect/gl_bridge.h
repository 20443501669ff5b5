// Frames of device memory as images in OpenGL's memory, where OpenGL draws on the device that decodes. Knows neither
// CUDA nor OpenGL: buffers of OpenGL are told by their names.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "core/frame/frame.h"

namespace throng {

// Pixel buffers of OpenGL that a backend writes into. Every call, the destructor too, is made on the thread on which
// the buffers' OpenGL context is current, and before the buffers are deleted.
class GlPixelBuffers {
public:
    GlPixelBuffers() = default;
    GlPixelBuffers(const GlPixelBuffers&) = delete;
    GlPixelBuffers& operator=(const GlPixelBuffers&) = delete;
    virtual ~GlPixelBuffers() = default;

    // Writes the image as RGBA into buffer `index`: 8 bits a channel, alpha 255, rows of 4 * width bytes without
    // gaps, the upper one first. The frame is of device memory (nv12, yuv420p or gray8), its decoder is done with it,
    // as with the frame of every FrameResult, and 4 * width * height bytes fit the buffer. Does not wait: commands of
    // OpenGL that are issued afterwards see the image, and the frame is kept alive until it was read. The buffer must
    // not be mapped by OpenGL. Throws Error(internal) for other frames, Error(internal or unavailable) when the device
    // is lost.
    virtual void write(std::size_t index, const Frame& frame) = 0;
};

// Made by Backend::make_gl_bridge on any thread; may outlive the backend.
class GlBridge {
public:
    GlBridge() = default;
    GlBridge(const GlBridge&) = delete;
    GlBridge& operator=(const GlBridge&) = delete;
    virtual ~GlBridge() = default;

    // Why the OpenGL context that is current on this thread does not share memory with the device: one line for the
    // log; empty when it does. Never throws for that.
    [[nodiscard]] virtual std::string unavailable_reason() = 0;

    // Takes buffer objects of the current context, each with storage of `bytes`. Throws Error(internal or unavailable)
    // when the device does not take them.
    [[nodiscard]] virtual std::unique_ptr<GlPixelBuffers> attach(std::span<const unsigned int> buffers,
                                                                 std::size_t bytes) = 0;
};

}  // namespace throng
