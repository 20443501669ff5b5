// Frames of device memory into pixel buffers of OpenGL, converted on the way: nothing visits the host.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "core/detect/gl_bridge.h"

namespace throng::gpu {

// Makes no call of CUDA before unavailable_reason or attach, which are made on the thread that draws.
class CudaGlBridge final : public GlBridge {
public:
    // index: of the CUDA device that the frames lie on.
    explicit CudaGlBridge(int index) : device_(index) {}

    [[nodiscard]] std::string unavailable_reason() override;
    [[nodiscard]] std::unique_ptr<GlPixelBuffers> attach(std::span<const unsigned int> buffers,
                                                         std::size_t bytes) override;

private:
    int device_;
};

}  // namespace throng::gpu
