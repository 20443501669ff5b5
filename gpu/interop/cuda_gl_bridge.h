// Converts frames in device memory into OpenGL pixel buffers; no pixel data passes through the host.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "core/detect/gl_bridge.h"

namespace throng::gpu {

// Makes no CUDA call before unavailable_reason() or attach(), which are called on the rendering thread.
class CudaGlBridge final : public GlBridge {
public:
    // index: the CUDA device that holds the frames.
    explicit CudaGlBridge(int index) : device_(index) {}

    [[nodiscard]] std::string unavailable_reason() override;
    [[nodiscard]] std::unique_ptr<GlPixelBuffers> attach(std::span<const unsigned int> buffers,
                                                         std::size_t bytes) override;

private:
    int device_;
};

}  // namespace throng::gpu
