// NvBufSurface, the video memory of Jetson boards (JetPack 5 and newer): what this program uses of it, written from the
// Jetson Linux API reference. libnvbufsurface belongs to the board's system and is loaded when it is needed.
#pragma once

#include <cstdint>

#include "core/base/shared_library.h"

namespace throng {

// Each struct is laid out as the library's, whose name is given, up to the last member used here. nv_surface.cpp compares
// them with the library's header where a board has it.

struct NvPlanes {  // NvBufSurfacePlaneParams
    static constexpr int kMax = 4;
    std::uint32_t count;
    std::uint32_t width[kMax];
    std::uint32_t height[kMax];
    std::uint32_t pitch[kMax];
    std::uint32_t offset[kMax];
    std::uint32_t size[kMax];
    std::uint32_t bytes_per_pixel[kMax];
    void* reserved[4 * kMax];
};

struct NvMapping {  // NvBufSurfaceMappedAddr
    void* planes[NvPlanes::kMax];
    void* egl_image;  // null: none
};

struct NvImage {  // NvBufSurfaceParams
    std::uint32_t width, height, pitch;
    std::int32_t color_format, layout;
    std::uint64_t descriptor;
    std::uint32_t size;
    void* data;
    NvPlanes planes;
    NvMapping mapping;
};

struct NvSurface {  // NvBufSurface
    std::uint32_t gpu;
    std::uint32_t capacity;  // images
    std::uint32_t count;
    bool contiguous;
    std::int32_t memory;
    NvImage* images;
};

// The functions of the library, all for the image of a number; they return 0 if they succeed.
struct NvSurfaceLibrary {
    NvSurfaceLibrary();

    SharedLibrary library;
    int (*map_egl_image)(NvSurface* surface, int image) = nullptr;
    int (*unmap_egl_image)(NvSurface* surface, int image) = nullptr;

    // Returns false if the library or one of the functions is missing.
    [[nodiscard]] explicit operator bool() const { return map_egl_image && unmap_egl_image; }
};

}  // namespace throng
