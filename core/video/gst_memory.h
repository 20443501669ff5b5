// The pixels of GStreamer's buffers: in system memory, in the video memory of a Jetson board (caps feature memory:NVMM), and
// in that of GStreamer's elements for CUDA (memory:CUDAMemory).
#pragma once

#include <gst/video/video.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/message.h"
#include "core/frame/device_converter.h"
#include "core/video/source.h"

namespace throng {

struct NvSurface;
struct NvSurfaceLibrary;

inline constexpr const char* kNvmm = "memory:NVMM";

struct MappedPlanes {
    std::uint8_t* data[GST_VIDEO_MAX_PLANES] = {};
    int pitch[GST_VIDEO_MAX_PLANES] = {};
    std::size_t bytes = 0;                    // of the first memory; for information
    std::shared_ptr<const void> owner;        // holds the buffer; null: it cannot be read
    std::shared_ptr<DeviceConverter> device;  // of planes in device memory, which are NV12; null: host memory
};

// Reads device memory in place, where that is possible. Shared by the connections of one source; not thread-safe.
//
// NVMM: each surface is mapped as an EGLImage and registered once, when it first comes. Its GstMemory keeps the registration:
// the surfaces of a pool come back, and the registration ends just before the memory is freed, on the thread that frees it.
// The host reads no NVMM: a converter of the board writes system memory with less work, and pitch linear.
class GstDeviceMemory {
public:
    // shown: the name of the source, for the log.
    GstDeviceMemory(const SourceOptions& options, std::string shown);

    // Returns false if NVMM cannot be read: without a device or libnvbufsurface, and after a failure.
    [[nodiscard]] bool uses_nvmm() const noexcept { return nvmm_; }
    // Returns true once a buffer of NVMM was read.
    [[nodiscard]] bool has_read_nvmm() const noexcept { return read_nvmm_; }
    // From now on, NVMM cannot be read. Logs why, the first time, if there is a device that might have read it.
    void disable_nvmm(const Message& why);

    // Returns the planes of a buffer with these caps. on_device: whether they may be in device memory, where NVMM is. A
    // failure to read NVMM is logged and ends its use.
    [[nodiscard]] MappedPlanes map(GstBuffer& buffer, const GstCaps& caps, const GstVideoInfo& info, bool on_device);

    // Returns kNvmm, kCudaMemory, or an empty string for system memory.
    [[nodiscard]] static std::string_view feature_of(const GstCaps& caps);

private:
    [[nodiscard]] MappedPlanes map_nvmm(GstBuffer& buffer, const GstVideoInfo& info);
    [[nodiscard]] MappedPlanes map_frame(GstBuffer& buffer, const GstVideoInfo& info, bool in_cuda);
    [[nodiscard]] const DevicePlanes& registered(GstMemory& memory, NvSurface& surface);

    std::string shown_;
    std::shared_ptr<DeviceConverter> device_;          // null: frames are read by the host
    std::shared_ptr<const NvSurfaceLibrary> library_;  // null without device_
    bool nvmm_ = false;
    bool read_nvmm_ = false;
    bool logged_ = false;
};

}  // namespace throng
