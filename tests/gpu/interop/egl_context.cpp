#include "tests/gpu/interop/egl_context.h"

#include <dlfcn.h>

#include <array>
#include <sstream>

namespace throng::test {

template <typename Function>
bool EglContext::load(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(address_(name));
    return function != nullptr;
}

EglContext::EglContext(int cuda_device) : error_(open(cuda_device)) {}

EglContext::~EglContext() {
    if (display_ == EGL_NO_DISPLAY) return;
    decltype(&eglMakeCurrent) make_current = nullptr;
    decltype(&eglDestroyContext) destroy_context = nullptr;
    decltype(&eglDestroySurface) destroy_surface = nullptr;
    decltype(&eglTerminate) terminate = nullptr;
    if (!load(make_current, "eglMakeCurrent") || !load(destroy_context, "eglDestroyContext") ||
        !load(destroy_surface, "eglDestroySurface") || !load(terminate, "eglTerminate")) {
        return;
    }
    make_current(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context_ != EGL_NO_CONTEXT) destroy_context(display_, context_);
    if (surface_ != EGL_NO_SURFACE) destroy_surface(display_, surface_);
    terminate(display_);
}

std::string EglContext::renderer() const {
    const auto text = [this](GLenum name) {
        const GLubyte* bytes = gl_.get_string(name);
        return bytes == nullptr ? std::string("?") : std::string(reinterpret_cast<const char*>(bytes));
    };
    return text(GL_RENDERER) + ", OpenGL " + text(GL_VERSION);
}

std::string EglContext::with_error(const std::string& what) const {
    decltype(&eglGetError) get_error = nullptr;
    std::ostringstream line;
    line << what;
    if (load(get_error, "eglGetError")) line << ": EGL error 0x" << std::hex << get_error();
    return line.str();
}

std::string EglContext::open(int cuda_device) {
    // Never closed, because the driver registers thread-local destructors. Loaded globally, as if linked, because CUDA
    // searches for libraries that are already loaded.
    void* egl = dlopen("libEGL.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (egl == nullptr) return "libEGL is not installed";
    for (const char* library : {"libOpenGL.so.0", "libGL.so.1"}) dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    address_ = reinterpret_cast<decltype(address_)>(dlsym(egl, "eglGetProcAddress"));
    if (address_ == nullptr) return "libEGL has no eglGetProcAddress";

    EGLDeviceEXT device = EGL_NO_DEVICE_EXT;
    if (std::string unavailable_reason = find_device(cuda_device, device); !unavailable_reason.empty())
        return unavailable_reason;

    PFNEGLGETPLATFORMDISPLAYEXTPROC get_display = nullptr;
    decltype(&eglInitialize) initialize = nullptr;
    decltype(&eglBindAPI) bind_api = nullptr;
    decltype(&eglChooseConfig) choose_config = nullptr;
    decltype(&eglCreatePbufferSurface) create_surface = nullptr;
    decltype(&eglCreateContext) create_context = nullptr;
    decltype(&eglMakeCurrent) make_current = nullptr;
    if (!load(get_display, "eglGetPlatformDisplayEXT") || !load(initialize, "eglInitialize") ||
        !load(bind_api, "eglBindAPI") || !load(choose_config, "eglChooseConfig") ||
        !load(create_surface, "eglCreatePbufferSurface") || !load(create_context, "eglCreateContext") ||
        !load(make_current, "eglMakeCurrent")) {
        return "EGL lacks required functions";
    }
    EGLDisplay display = get_display(EGL_PLATFORM_DEVICE_EXT, device, nullptr);
    if (display == EGL_NO_DISPLAY) return with_error("the EGL device has no display");
    if (initialize(display, nullptr, nullptr) == EGL_FALSE) return with_error("the EGL display cannot be initialized");
    display_ = display;
    if (bind_api(EGL_OPENGL_API) == EGL_FALSE) return with_error("EGL does not support desktop OpenGL");
    constexpr std::array<EGLint, 9> kConfig = {
        EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_RED_SIZE, 8, EGL_BLUE_SIZE, 8,
        EGL_NONE};
    EGLConfig config = nullptr;
    EGLint found = 0;
    if (choose_config(display_, kConfig.data(), &config, 1, &found) == EGL_FALSE || found == 0) {
        return with_error("EGL has no configuration for OpenGL");
    }
    constexpr std::array<EGLint, 5> kSurface = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
    surface_ = create_surface(display_, config, kSurface.data());
    context_ = create_context(display_, config, EGL_NO_CONTEXT, nullptr);
    if (context_ == EGL_NO_CONTEXT) return with_error("EGL cannot create a context");
    if (make_current(display_, surface_, surface_, context_) == EGL_FALSE) {
        return with_error("the context cannot be made current");
    }
    return load_opengl();
}

std::string EglContext::find_device(int cuda_device, EGLDeviceEXT& device) const {
    PFNEGLQUERYDEVICESEXTPROC query_devices = nullptr;
    PFNEGLQUERYDEVICEATTRIBEXTPROC query_attribute = nullptr;
    if (!load(query_devices, "eglQueryDevicesEXT") || !load(query_attribute, "eglQueryDeviceAttribEXT")) {
        return "EGL cannot list devices (EGL_EXT_device_base is missing)";
    }
    EGLint count = 0;
    if (query_devices(0, nullptr, &count) == EGL_FALSE || count == 0) return with_error("EGL found no device");
    std::vector<EGLDeviceEXT> devices(static_cast<std::size_t>(count));
    if (query_devices(count, devices.data(), &count) == EGL_FALSE) return with_error("EGL found no device");
    devices.resize(static_cast<std::size_t>(count));
    for (EGLDeviceEXT candidate : devices) {
        EGLAttrib number = -1;
        const bool known = query_attribute(candidate, EGL_CUDA_DEVICE_NV, &number) == EGL_TRUE;
        if (known && number == cuda_device) {
            device = candidate;
            return {};
        }
    }
    return "none of " + std::to_string(count) + " EGL devices is CUDA device " + std::to_string(cuda_device);
}

std::string EglContext::load_opengl() {
    bool all = true;
#define TH_LOAD(member, function) all = load(gl_.member, #function) && all
    TH_GL_FUNCTIONS(TH_LOAD);
#undef TH_LOAD
    return all ? std::string() : "OpenGL lacks required functions";
}

}  // namespace throng::test
