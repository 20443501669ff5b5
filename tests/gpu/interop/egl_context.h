// OpenGL without a window or a display server: a context on the EGL device that is a given CUDA device. EGL and OpenGL
// are loaded at run time, because most machines with CUDA have neither.
#pragma once

#define GL_GLEXT_PROTOTYPES  // for the types of the functions; none is linked
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>

#include <string>
#include <vector>

namespace throng::test {

// The functions of OpenGL that the tests call: use(member, function).
#define TH_GL_FUNCTIONS(use)                \
    use(get_string, glGetString);           \
    use(get_error, glGetError);             \
    use(finish, glFinish);                  \
    use(gen_textures, glGenTextures);       \
    use(delete_textures, glDeleteTextures); \
    use(bind_texture, glBindTexture);       \
    use(tex_image, glTexImage2D);           \
    use(tex_sub_image, glTexSubImage2D);    \
    use(get_tex_image, glGetTexImage);      \
    use(pixel_store, glPixelStorei);        \
    use(gen_buffers, glGenBuffers);         \
    use(delete_buffers, glDeleteBuffers);   \
    use(bind_buffer, glBindBuffer);         \
    use(buffer_data, glBufferData)

// Loads the functions from the current context's driver.
struct GlFunctions {
#define TH_MEMBER(member, function) decltype(&::function) member = nullptr
    TH_GL_FUNCTIONS(TH_MEMBER);
#undef TH_MEMBER
};

// Current on the thread that created it, until it is destroyed on that thread.
class EglContext {
public:
    // cuda_device: index in the CUDA runtime. unavailable_reason() holds the reason if there is no context.
    explicit EglContext(int cuda_device);
    ~EglContext();
    EglContext(const EglContext&) = delete;
    EglContext& operator=(const EglContext&) = delete;

    [[nodiscard]] const std::string& unavailable_reason() const { return error_; }  // empty: the context is current
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
    std::string error_;
};

}  // namespace throng::test
