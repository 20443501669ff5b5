// libnvbufsurface without a board: asks a function of the test what each call does.
#include "core/video/nv_surface.h"

#define TH_EXPORT extern "C" __attribute__((visibility("default")))

// Returns the status of a call.
TH_EXPORT int (*fake_nv_call)(const char* call, throng::NvSurface* surface);
int (*fake_nv_call)(const char* call, throng::NvSurface* surface) = nullptr;

TH_EXPORT int NvBufSurfaceMapEglImage(throng::NvSurface* surface, int) {
    return fake_nv_call("map image", surface);
}
TH_EXPORT int NvBufSurfaceUnMapEglImage(throng::NvSurface* surface, int) {
    return fake_nv_call("unmap image", surface);
}
