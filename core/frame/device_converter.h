// Makes frames of what hardware or another library wrote into the device's memory, without a copy on the host.
#pragma once

#include <memory>

#include "core/frame/frame.h"

namespace throng {

// NV12 in device memory, as its owner laid it out: luma, and chroma in pairs. The rows may be longer and more than those
// of the frame in them.
struct DevicePlanes {
    PlaneView planes[2];
    std::shared_ptr<const void> owner;  // of what makes the memory readable
};

// Not thread-safe. Use one per source; its frames may outlive it.
class DeviceConverter {
public:
    DeviceConverter() = default;
    DeviceConverter(const DeviceConverter&) = delete;
    DeviceConverter& operator=(const DeviceConverter&) = delete;
    virtual ~DeviceConverter() = default;

    // Returns a frame with 10 bits per sample as NV12 in device memory, with the same samples as the conversion on the
    // host (core/algo/narrow.h). from: luma and interleaved chroma, 16 bits per sample, of which the lower six are 0 (P010);
    // written, as the result is, by work of the device's default stream. owner keeps them alive. info: its format and
    // memory are set here. Throws Error(unavailable) if there is not enough memory.
    [[nodiscard]] virtual Frame to_nv12(FrameInfo info, const PlaneView (&from)[2],
                                        std::shared_ptr<const void> owner) = 0;

    // Registers an EGLImage with NV12. The planes are readable, also while it is written again, until their owner is
    // released, on any thread; the image must live longer. Throws Error(unavailable) if the device cannot read it in place:
    // for example, if its rows are not one after the other.
    [[nodiscard]] virtual DevicePlanes register_image(void* egl_image) = 0;

    // Returns true if memory at this address is on this device.
    [[nodiscard]] virtual bool can_read(const void* address) = 0;

    // Returns a frame over NV12 in memory of this device, which is complete or written by work of the default stream.
    // info: its format and memory are set here.
    [[nodiscard]] virtual Frame wrap(FrameInfo info, const PlaneView (&planes)[2],
                                     std::shared_ptr<const void> owner) = 0;
};

using MakeDeviceConverter = std::unique_ptr<DeviceConverter> (*)(int device);

}  // namespace throng
