// Copies device frames to OpenGL buffers, if OpenGL renders on the device that decodes. This header depends on neither
// CUDA nor OpenGL: OpenGL buffers are identified by their names.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "core/frame/frame.h"

namespace throng {

struct Redaction;  // core/redact/redact.h

// OpenGL pixel buffers that a backend writes. Call all functions, including the destructor, on the thread on which the
// buffers' OpenGL context is current, and before the buffers are deleted.
class GlPixelBuffers {
public:
    GlPixelBuffers() = default;
    GlPixelBuffers(const GlPixelBuffers&) = delete;
    GlPixelBuffers& operator=(const GlPixelBuffers&) = delete;
    virtual ~GlPixelBuffers() = default;

    // Writes the image as RGBA into buffer `index`: 8 bits per channel, alpha 255, rows of 4 * width bytes without
    // padding, top row first. The frame must be in device memory (nv12, yuv420p or gray8) and completely decoded, as in
    // every FrameResult. The buffer must hold 4 * width * height bytes. Does not wait: OpenGL commands issued
    // afterwards see the image, and the frame is kept alive until the copy is complete. The buffer must not be mapped
    // by OpenGL. Throws Error(internal) for other frames, Error(internal or unavailable) if the device is lost.
    //
    // hidden: what core/redact hides in the image, or null. The buffer may hold the image without that after an
    // exception, so it must not be used then.
    virtual void write(std::size_t index, const Frame& frame, const Redaction* hidden) = 0;
};

// Created by Backend::make_gl_bridge on any thread; may outlive the backend.
class GlBridge {
public:
    GlBridge() = default;
    GlBridge(const GlBridge&) = delete;
    GlBridge& operator=(const GlBridge&) = delete;
    virtual ~GlBridge() = default;

    // Returns one line for the log about why the current OpenGL context of this thread cannot share memory with the
    // device; empty if it can. Never throws for that.
    [[nodiscard]] virtual std::string unavailable_reason() = 0;

    // Registers buffer objects of the current context, each with storage of `bytes`. Throws Error(internal or
    // unavailable) if the registration fails.
    [[nodiscard]] virtual std::unique_ptr<GlPixelBuffers> attach(std::span<const unsigned int> buffers,
                                                                 std::size_t bytes) = 0;
};

}  // namespace throng
