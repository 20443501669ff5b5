// Frames of device memory as a texture of OpenGL, for the scene graph. They are converted on the device, into pixel
// buffers, and do not visit the host.
#pragma once

#include <QOpenGLFunctions>
#include <QPointer>
#include <QSize>
#include <array>
#include <memory>
#include <string>

#include "core/detect/gl_bridge.h"

class QQuickWindow;
class QSGTexture;

namespace throng::ui {

// Why the window cannot take frames through this bridge: one line for the log; empty when it can. On the render thread,
// with the window's OpenGL context current.
[[nodiscard]] std::string device_texture_unavailable_reason(const QQuickWindow& window, GlBridge& bridge);

// Lives on the render thread, like every node: made, used and destroyed with the window's OpenGL context current, the
// one that device_texture_unavailable_reason found nothing against. Leaves the context's state as it found it, because
// Qt remembers that.
class DeviceTexture : protected QOpenGLFunctions {
public:
    explicit DeviceTexture(std::shared_ptr<GlBridge> bridge);
    ~DeviceTexture();
    DeviceTexture(const DeviceTexture&) = delete;
    DeviceTexture& operator=(const DeviceTexture&) = delete;

    // The frame to be drawn from now on; with_mipmaps: on less than half its width, for which it gets mipmaps. Does not
    // wait for the device. Throws Error(internal or unavailable) when the frame cannot be taken, after which the
    // texture's content is undefined.
    void show(const Frame& frame, bool with_mipmaps);

    [[nodiscard]] QSize size() const { return size_; }  // of the frame; empty before the first
    // The scene graph's view of the texture, for the caller to own; stale once size() changes. mipmaps: for a frame
    // that has them.
    [[nodiscard]] QSGTexture* wrapped(QQuickWindow& window, bool mipmaps) const;

private:
    void fit(QSize size);
    void allocate(QSize size);
    void release();

    std::shared_ptr<GlBridge> bridge_;
    QPointer<QOpenGLContext> context_;
    QSize size_;
    GLuint texture_ = 0;
    // Two, so that a frame is written while OpenGL still reads the one before.
    std::array<GLuint, 2> buffers_{};
    std::size_t next_ = 0;
    std::unique_ptr<GlPixelBuffers> pixels_;  // of the buffers
};

}  // namespace throng::ui
