// OpenGL without a window or a display server: a context on the EGL device that is a given CUDA device. Everything of
// EGL and OpenGL is loaded while the test runs, because most machines with CUDA have neither.
#pragma once

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>

#include <string>
#include <vector>

namespace throng::test {

// The functions of OpenGL that the tests call. From the current context's driver.
struct GlFunctions {
    decltype(&glGetString) get_string = nullptr;
    decltype(&glGetError) get_error = nullptr;
    decltype(&glFinish) finish = nullptr;
    decltype(&glGenTextures) gen_textures = nullptr;
    decltype(&glDeleteTextures) delete_textures = nullptr;
    decltype(&glBindTexture) bind_texture = nullptr;
    decltype(&glTexImage2D) tex_image = nullptr;
    decltype(&glTexSubImage2D) tex_sub_image = nullptr;
    decltype(&glGetTexImage) get_tex_image = nullptr;
    decltype(&glPixelStorei) pixel_store = nullptr;
    PFNGLGENBUFFERSPROC gen_buffers = nullptr;
    PFNGLDELETEBUFFERSPROC delete_buffers = nullptr;
    PFNGLBINDBUFFERPROC bind_buffer = nullptr;
    PFNGLBUFFERDATAPROC buffer_data = nullptr;
};

// Current on the thread that made it, until it is destroyed there.
class EglContext {
public:
    // cuda_device: as the CUDA runtime counts. trouble() says why there is no context.
    explicit EglContext(int cuda_device);
    ~EglContext();
    EglContext(const EglContext&) = delete;
    EglContext& operator=(const EglContext&) = delete;

    [[nodiscard]] const std::string& trouble() const { return trouble_; }  // empty: the context is current
    [[nodiscard]] std::string renderer() const;
    [[nodiscard]] const GlFunctions& gl() const { return gl_; }

private:
    [[nodiscard]] std::string open(int cuda_device);
    [[nodiscard]] std::string find_device(int cuda_device, EGLDeviceEXT& device) const;
    [[nodiscard]] std::string load_opengl();
    template <typename Function>
    bool load(Function& function, const char* name) const;
    [[nodiscard]] std::string with_error(const std::string& what) const;

    decltype(&eglGetProcAddress) address_ = nullptr;
    EGLDisplay display_ = EGL_NO_DISPLAY;
    EGLContext context_ = EGL_NO_CONTEXT;
    EGLSurface surface_ = EGL_NO_SURFACE;
    GlFunctions gl_;
    std::string trouble_;
};

}  // namespace throng::test
