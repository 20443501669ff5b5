#ifdef TH_WITH_GSTREAMER
#include "core/video/gst_memory.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/video/gst_cuda.h"
#include "core/video/gst_library.h"
#include "core/video/nv_surface.h"

namespace throng {
namespace {

constexpr int kAllPlanes = -1;
constexpr int kMapToRead = 0;

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

// A surface that is mapped for the host.
struct NvHostMapping {
    NvHostMapping(std::shared_ptr<const NvSurfaceLibrary> with, std::shared_ptr<HeldBuffer> of, NvSurface& mapped)
        : library(std::move(with)), held(std::move(of)), surface(mapped) {}
    NvHostMapping(const NvHostMapping&) = delete;
    NvHostMapping& operator=(const NvHostMapping&) = delete;
    ~NvHostMapping() {
        if (is_mapped) library->unmap(&surface, 0, kAllPlanes);
    }

    std::shared_ptr<const NvSurfaceLibrary> library;
    std::shared_ptr<HeldBuffer> held;
    NvSurface& surface;
    bool is_mapped = false;
};

GQuark registration_key() {
    static const GQuark key = gst().g_quark_from_string("throng-nv-registration");
    return key;
}

// Returns true if NV12 of this size is in such planes: width in bytes.
template <class Plane>
bool holds_nv12(const GstVideoInfo& info, const Plane& plane) {
    for (int p = 0; p < 2; ++p) {
        const PlaneView needed = plane_shape(PixelFormat::nv12, info.width, info.height, p);
        if (const PlaneView has = plane(p); has.width < needed.width || has.height < needed.height) return false;
    }
    return true;
}

}  // namespace

GstDeviceMemory::GstDeviceMemory(const SourceOptions& options, std::string shown)
    : shown_(std::move(shown)), library_(std::make_shared<NvSurfaceLibrary>()) {
    if (!options.prefer_device_frames || options.make_converter == nullptr) return;
    device_ = options.make_converter(options.device);
    nvmm_ = static_cast<bool>(*library_);
}

std::string GstDeviceMemory::caps(const std::string& system, bool on_device) const {
    std::string in_place, copied;
    const auto add = [&](const char* feature, bool is_in_place) {
        const std::string caps = std::string("video/x-raw(") + feature + "),format=NV12";
        is_in_place ? in_place += caps + ";" : copied += ";" + caps;
    };
    if (*library_) add(kNvmm, on_device && nvmm_);
    add(kCudaMemory, on_device && device_);
    return in_place + system + copied;
}

void GstDeviceMemory::disable_nvmm(const Message& why) {
    nvmm_ = false;
    if (!device_ || std::exchange(logged_, true)) return;
    logger().warn("{}: frames are copied from video memory: {}", shown_, why.text());
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
    if (feature == kNvmm) return is_nv12 ? map_nvmm(buffer, info, on_device) : MappedPlanes{};
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
    const GstMapFlags flags = in_cuda ? with_cuda(GST_MAP_READ) : GST_MAP_READ;
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

MappedPlanes GstDeviceMemory::map_nvmm(GstBuffer& buffer, const GstVideoInfo& info, bool on_device) {
    MappedPlanes planes;
    auto held = std::make_shared<HeldBuffer>(buffer);
    auto* surface = reinterpret_cast<NvSurface*>(held->map.data);
    if (!*library_ || !held->buffer || held->map.size < sizeof(NvSurface) || surface->images == nullptr ||
        surface->capacity < 1 || gst().gst_buffer_n_memory(&buffer) != 1) {
        return planes;
    }
    read_nvmm_ = true;
    if (on_device && nvmm_) {
        try {
            const DevicePlanes& found = registered(*gst().gst_buffer_peek_memory(&buffer, 0), *surface);
            if (!holds_nv12(info, [&](int p) { return found.planes[p]; })) {
                throw Error(ErrorKind::unavailable, "the EGLImage is smaller than the frame");
            }
            for (int p = 0; p < 2; ++p) {
                planes.data[p] = const_cast<std::uint8_t*>(found.planes[p].data);
                planes.pitch[p] = static_cast<int>(found.planes[p].pitch);
            }
            planes.bytes = surface->images->size;
            planes.owner = std::move(held);
            planes.device = device_;
            return planes;
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::unavailable) throw;
            disable_nvmm(error.problem());
        }
    }
    auto mapping = std::make_shared<NvHostMapping>(library_, std::move(held), *surface);
    mapping->is_mapped = library_->map(surface, 0, kAllPlanes, kMapToRead) == 0;
    if (!mapping->is_mapped || library_->sync_for_cpu(surface, 0, kAllPlanes) != 0) return planes;
    const NvImage& image = *surface->images;
    const auto plane = [&image](int p) {
        return PlaneView{static_cast<const std::uint8_t*>(image.mapping.planes[p]),
                         static_cast<std::ptrdiff_t>(image.planes.pitch[p]),
                         static_cast<int>(image.planes.width[p] * image.planes.bytes_per_pixel[p]),
                         static_cast<int>(image.planes.height[p])};
    };
    if (image.planes.count != 2 || !holds_nv12(info, plane)) return planes;
    for (int p = 0; p < 2; ++p) {
        planes.data[p] = static_cast<std::uint8_t*>(image.mapping.planes[p]);
        planes.pitch[p] = static_cast<int>(image.planes.pitch[p]);
    }
    planes.bytes = image.size;
    planes.owner = std::move(mapping);
    return planes;
}

}  // namespace throng
#endif
