#include "ui/video/device_texture.h"

#include <QOpenGLContext>
#include <QQuickWindow>
#include <QSGRendererInterface>
#include <QSGTexture>
#include <algorithm>

#include "core/base/error.h"

namespace throng::ui {
namespace {

constexpr int kMaxErrors = 16;  // glGetError never returns GL_NO_ERROR on a lost context

// Saves the bindings that Qt may have set and restores them on destruction.
class ScopedGlState {
public:
    explicit ScopedGlState(QOpenGLFunctions& gl) : gl_(gl) {
        gl_.glGetIntegerv(GL_TEXTURE_BINDING_2D, &texture_);
        gl_.glGetIntegerv(GL_PIXEL_UNPACK_BUFFER_BINDING, &buffer_);
        gl_.glGetIntegerv(GL_UNPACK_ALIGNMENT, &alignment_);
    }
    ~ScopedGlState() {
        gl_.glPixelStorei(GL_UNPACK_ALIGNMENT, alignment_);
        gl_.glBindBuffer(GL_PIXEL_UNPACK_BUFFER, static_cast<GLuint>(buffer_));
        gl_.glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(texture_));
    }
    ScopedGlState(const ScopedGlState&) = delete;
    ScopedGlState& operator=(const ScopedGlState&) = delete;

private:
    QOpenGLFunctions& gl_;
    GLint texture_ = 0;
    GLint buffer_ = 0;
    GLint alignment_ = 4;
};

}  // namespace

std::string device_texture_unavailable_reason(const QQuickWindow& window, GlBridge& bridge) {
    if (window.rendererInterface()->graphicsApi() != QSGRendererInterface::OpenGL) {
        return "the window is not drawn with OpenGL";
    }
    const QOpenGLContext* context = QOpenGLContext::currentContext();
    if (context == nullptr) return "the window has no OpenGL context";
    if (context->isOpenGLES() && context->format().majorVersion() < 3) return "OpenGL ES 2 has no pixel buffers";
    const std::string unavailable_reason = bridge.unavailable_reason();
    if (unavailable_reason.empty()) return {};
    // Add the renderer's name, which identifies the driver in use.
    const auto* renderer = reinterpret_cast<const char*>(context->functions()->glGetString(GL_RENDERER));
    return renderer == nullptr ? unavailable_reason : unavailable_reason + " (" + renderer + ")";
}

DeviceTexture::DeviceTexture(std::shared_ptr<GlBridge> bridge)
    : bridge_(std::move(bridge)), context_(QOpenGLContext::currentContext()) {
    initializeOpenGLFunctions();
}

DeviceTexture::~DeviceTexture() {
    release();
}

void DeviceTexture::release() {
    pixels_.reset();  // before the buffers it writes into
    size_ = {};
    // A destroyed context has freed its objects.
    if (context_.isNull() || QOpenGLContext::currentContext() != context_) return;
    if (buffers_[0] != 0) glDeleteBuffers(static_cast<GLsizei>(buffers_.size()), buffers_.data());
    if (texture_ != 0) glDeleteTextures(1, &texture_);
    buffers_ = {};
    texture_ = 0;
}

void DeviceTexture::allocate(QSize size) {
    GLint largest = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
    if (std::max(size.width(), size.height()) > largest) {
        throw Error(ErrorKind::unavailable, "the frame is larger than the maximum OpenGL texture size");
    }
    const std::size_t bytes =
        std::size_t{4} * static_cast<std::size_t>(size.width()) * static_cast<std::size_t>(size.height());
    const ScopedGlState saved(*this);
    for (int i = 0; i < kMaxErrors && glGetError() != GL_NO_ERROR; ++i) {  // discard earlier errors
    }
    glGenTextures(1, &texture_);
    glBindTexture(GL_TEXTURE_2D, texture_);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, size.width(), size.height(), 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glGenBuffers(static_cast<GLsizei>(buffers_.size()), buffers_.data());
    for (const GLuint buffer : buffers_) {
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
        glBufferData(GL_PIXEL_UNPACK_BUFFER, static_cast<qopengl_GLsizeiptr>(bytes), nullptr, GL_STREAM_DRAW);
    }
    if (glGetError() != GL_NO_ERROR) {
        throw Error(ErrorKind::unavailable, "OpenGL cannot allocate a texture of the frame's size");
    }
    pixels_ = bridge_->attach(buffers_, bytes);
}

void DeviceTexture::resize(QSize size) {
    if (size == size_) return;
    release();
    allocate(size);
    size_ = size;
}

void DeviceTexture::show(const Frame& frame, const Redaction* hidden, bool with_mipmaps) {
    resize(QSize(frame.width(), frame.height()));
    next_ = (next_ + 1) % buffers_.size();
    pixels_->write(next_, frame, hidden);
    const ScopedGlState saved(*this);
    glBindTexture(GL_TEXTURE_2D, texture_);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffers_[next_]);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, size_.width(), size_.height(), GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    if (with_mipmaps) glGenerateMipmap(GL_TEXTURE_2D);
}

QSGTexture* DeviceTexture::wrapped(QQuickWindow& window, bool mipmaps) const {
    QQuickWindow::CreateTextureOptions options = QQuickWindow::TextureIsOpaque;
    if (mipmaps) options |= QQuickWindow::TextureHasMipmaps;
    return QNativeInterface::QSGOpenGLTexture::fromNative(texture_, &window, size_, options);
}

}  // namespace throng::ui
