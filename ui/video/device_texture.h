// Shows frames in device memory as an OpenGL texture in the scene graph. The frames are converted into pixel buffers on
// the device, without a copy on the host.
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

// Returns why the window cannot use this bridge, as one line for the log; empty if it can. Call on the render thread
// with the window's OpenGL context current.
[[nodiscard]] std::string device_texture_unavailable_reason(const QQuickWindow& window, GlBridge& bridge);

// Lives on the render thread, as all nodes do. Must be created, used and destroyed with the same OpenGL context
// current, one for which device_texture_unavailable_reason returned an empty string. Restores the context's state,
// because Qt caches it.
class DeviceTexture : protected QOpenGLFunctions {
public:
    explicit DeviceTexture(std::shared_ptr<GlBridge> bridge);
    ~DeviceTexture();
    DeviceTexture(const DeviceTexture&) = delete;
    DeviceTexture& operator=(const DeviceTexture&) = delete;

    // Sets the frame to draw from now on. with_mipmaps: generate mipmaps, for drawing at less than half the width. Does
    // not wait for the device. Throws Error(internal or unavailable) if the frame cannot be uploaded; the texture's
    // content is undefined then.
    // hidden: what is hidden in the frame before OpenGL sees it, or null.
    void show(const Frame& frame, const Redaction* hidden, bool with_mipmaps);

    [[nodiscard]] QSize size() const { return size_; }  // of the frame; empty before the first
    // Returns a QSGTexture for the texture, owned by the caller; invalid once size() changes. mipmaps: the frame was
    // set with mipmaps.
    [[nodiscard]] QSGTexture* wrapped(QQuickWindow& window, bool mipmaps) const;

private:
    void resize(QSize size);
    void allocate(QSize size);
    void release();

    std::shared_ptr<GlBridge> bridge_;
    QPointer<QOpenGLContext> context_;
    QSize size_;
    GLuint texture_ = 0;
    // Double-buffered: a frame can be written while OpenGL reads the previous one.
    std::array<GLuint, 2> buffers_{};
    std::size_t next_ = 0;
    std::unique_ptr<GlPixelBuffers> pixels_;  // of the buffers
};

}  // namespace throng::ui
