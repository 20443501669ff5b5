// Converts the frames of a hardware decoder within the device's memory.
#pragma once

#include <memory>

#include "core/frame/frame.h"

namespace throng {

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
};

using MakeDeviceConverter = std::unique_ptr<DeviceConverter> (*)(int device);

}  // namespace throng
