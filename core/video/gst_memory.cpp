#ifdef TH_WITH_GSTREAMER
#include "core/video/gst_memory.h"

#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/video/gst_cuda.h"
#include "core/video/gst_library.h"
#include "core/video/nv_surface.h"

namespace throng {
namespace {

// A buffer that is mapped, with a reference. It is unmapped before its reference ends.
struct HeldBuffer {
    explicit HeldBuffer(GstBuffer& given) {
        if (!gst().gst_buffer_map(&given, &map, GST_MAP_READ)) return;
        buffer.reset(reinterpret_cast<GstBuffer*>(gst().gst_mini_object_ref(GST_MINI_OBJECT_CAST(&given))));
    }
    HeldBuffer(const HeldBuffer&) = delete;
    HeldBuffer& operator=(const HeldBuffer&) = delete;
    ~HeldBuffer() {
        if (buffer) gst().gst_buffer_unmap(buffer.get(), &map);
    }

    GstMapInfo map{};
    GstPtr<GstBuffer> buffer;
};

// The registration of a surface. Its members end in the order that CUDA and EGL require: the resource, then the image.
struct NvRegistration {
    NvRegistration(std::shared_ptr<const NvSurfaceLibrary> with, NvSurface& of)
        : library(std::move(with)), surface(of), mapped_here(surface.images->mapping.egl_image == nullptr) {
        if (mapped_here && library->map_egl_image(&surface, 0) != 0) {
            throw Error(ErrorKind::unavailable, "NvBufSurfaceMapEglImage failed: EGL may be missing");
        }
    }
    NvRegistration(const NvRegistration&) = delete;
    NvRegistration& operator=(const NvRegistration&) = delete;
    ~NvRegistration() {
        planes = {};
        if (mapped_here) library->unmap_egl_image(&surface, 0);
    }

    std::shared_ptr<const NvSurfaceLibrary> library;
    NvSurface& surface;
    bool mapped_here;
    DevicePlanes planes;
};

GQuark registration_key() {
    static const GQuark key = gst().g_quark_from_string("throng-nv-registration");
    return key;
}

// Returns true if NV12 of this size is in the planes: width in bytes.
bool holds_nv12(const GstVideoInfo& info, const DevicePlanes& found) {
    for (int p = 0; p < 2; ++p) {
        const PlaneView needed = plane_shape(PixelFormat::nv12, info.width, info.height, p);
        if (found.planes[p].width < needed.width || found.planes[p].height < needed.height) return false;
    }
    return true;
}

}  // namespace

GstDeviceMemory::GstDeviceMemory(const SourceOptions& options, std::string shown) : shown_(std::move(shown)) {
    if (!options.prefer_device_frames || options.make_converter == nullptr) return;
    device_ = options.make_converter(options.device);
    library_ = std::make_shared<NvSurfaceLibrary>();
    nvmm_ = static_cast<bool>(*library_);
}

void GstDeviceMemory::disable_nvmm(const Message& why) {
    nvmm_ = false;
    if (!device_ || std::exchange(logged_, true)) return;
    logger().warn("{}: video memory cannot be read in place: {}", shown_, why.text());
}

std::string_view GstDeviceMemory::feature_of(const GstCaps& caps) {
    const GstCapsFeatures* features = gst().gst_caps_get_features(&caps, 0);
    for (const char* name : {kNvmm, kCudaMemory}) {
        if (features != nullptr && gst().gst_caps_features_contains(features, name)) return name;
    }
    return {};
}

MappedPlanes GstDeviceMemory::map(GstBuffer& buffer, const GstCaps& caps, const GstVideoInfo& info, bool on_device) {
    const std::string_view feature = feature_of(caps);
    const bool is_nv12 = info.finfo->format == GST_VIDEO_FORMAT_NV12;
    if (feature == kNvmm) return is_nv12 && on_device && nvmm_ ? map_nvmm(buffer, info) : MappedPlanes{};
    if (feature == kCudaMemory && is_nv12 && on_device && device_) {
        if (MappedPlanes planes = map_frame(buffer, info, true); planes.owner) return planes;
    }
    return map_frame(buffer, info, false);  // maps CUDA's memory, too: it copies to the host
}

MappedPlanes GstDeviceMemory::map_frame(GstBuffer& buffer, const GstVideoInfo& info, bool in_cuda) {
    const auto unmap = [](GstVideoFrame* mapped) {
        gst().gst_video_frame_unmap(mapped);
        delete mapped;
    };
    auto frame = std::make_unique<GstVideoFrame>();
    const auto flags = static_cast<GstMapFlags>(in_cuda ? GST_MAP_READ | kMapCuda : GST_MAP_READ);
    MappedPlanes planes;
    if (!gst().gst_video_frame_map(frame.get(), &info, &buffer, flags)) return planes;
    const std::shared_ptr<GstVideoFrame> mapped(frame.release(), unmap);
    if (in_cuda) {
        if (!device_->can_read(mapped->data[0])) return planes;
        wait_for_cuda_memory(gst().gst_buffer_peek_memory(&buffer, 0));
        planes.device = device_;
    }
    for (guint p = 0; p < info.finfo->n_planes; ++p) {
        planes.data[p] = static_cast<std::uint8_t*>(mapped->data[p]);
        planes.pitch[p] = mapped->info.stride[p];
    }
    planes.bytes = mapped->map[0].size;
    planes.owner = mapped;
    return planes;
}

const DevicePlanes& GstDeviceMemory::registered(GstMemory& memory, NvSurface& surface) {
    auto* object = GST_MINI_OBJECT_CAST(&memory);
    if (void* known = gst().gst_mini_object_get_qdata(object, registration_key())) {
        return static_cast<NvRegistration*>(known)->planes;
    }
    auto made = std::make_unique<NvRegistration>(library_, surface);
    made->planes = device_->register_image(surface.images->mapping.egl_image);
    const DevicePlanes& planes = made->planes;
    gst().gst_mini_object_set_qdata(object, registration_key(), made.release(),
                                    [](void* ended) { delete static_cast<NvRegistration*>(ended); });
    return planes;
}

MappedPlanes GstDeviceMemory::map_nvmm(GstBuffer& buffer, const GstVideoInfo& info) {
    MappedPlanes planes;
    auto held = std::make_shared<HeldBuffer>(buffer);
    auto* surface = reinterpret_cast<NvSurface*>(held->map.data);
    if (!held->buffer || held->map.size < sizeof(NvSurface) || surface->images == nullptr || surface->capacity < 1 ||
        gst().gst_buffer_n_memory(&buffer) != 1) {
        return planes;
    }
    try {
        const DevicePlanes& found = registered(*gst().gst_buffer_peek_memory(&buffer, 0), *surface);
        if (!holds_nv12(info, found)) throw Error(ErrorKind::unavailable, "the EGLImage is smaller than the frame");
        for (int p = 0; p < 2; ++p) {
            planes.data[p] = const_cast<std::uint8_t*>(found.planes[p].data);
            planes.pitch[p] = static_cast<int>(found.planes[p].pitch);
        }
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::unavailable) throw;
        disable_nvmm(error.problem());
        return planes;
    }
    planes.bytes = surface->images->size;
    planes.owner = std::move(held);
    planes.device = device_;
    read_nvmm_ = true;
    return planes;
}

}  // namespace throng
#endif
