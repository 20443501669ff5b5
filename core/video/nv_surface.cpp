#include "core/video/nv_surface.h"

#include <cstddef>
#include <type_traits>

#if __has_include(<nvbufsurface.h>)
#include <nvbufsurface.h>
#endif

namespace throng {

#if __has_include(<nvbufsurface.h>)
#define TH_SAME(ours, member, theirs, their_member)                           \
    static_assert(offsetof(ours, member) == offsetof(theirs, their_member) && \
                      sizeof(ours::member) == sizeof(theirs::their_member),   \
                  "nvbufsurface.h has another layout: core/video/nv_surface.h must follow it")
TH_SAME(NvPlanes, count, NvBufSurfacePlaneParams, num_planes);
TH_SAME(NvPlanes, width, NvBufSurfacePlaneParams, width);
TH_SAME(NvPlanes, height, NvBufSurfacePlaneParams, height);
TH_SAME(NvPlanes, pitch, NvBufSurfacePlaneParams, pitch);
TH_SAME(NvMapping, planes, NvBufSurfaceMappedAddr, addr);
TH_SAME(NvMapping, egl_image, NvBufSurfaceMappedAddr, eglImage);
TH_SAME(NvImage, planes, NvBufSurfaceParams, planeParams);
TH_SAME(NvSurface, images, NvBufSurface, surfaceList);
static_assert(offsetof(NvImage, mapping) == offsetof(NvBufSurfaceParams, mappedAddr));
#undef TH_SAME
#endif

NvSurfaceLibrary::NvSurfaceLibrary() {
    for (const char* name : {"libnvbufsurface.so.1.0.0", "libnvbufsurface.so"}) {
        library = SharedLibrary(name);
        if (library) break;
    }
    const auto find = [this](auto& function, const char* name) {
        function = library.find<std::remove_pointer_t<std::remove_reference_t<decltype(function)>>>({name});
    };
    find(map_egl_image, "NvBufSurfaceMapEglImage");
    find(unmap_egl_image, "NvBufSurfaceUnMapEglImage");
}

}  // namespace throng
