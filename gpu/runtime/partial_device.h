// A part of a device's multiprocessors with a stream of its own: what runs there has the others' work out of its way
// and cannot use them. Source: CUDA Driver API, Green Contexts (from CUDA 12.5 on).
#pragma once

#include <memory>

#include "gpu/runtime/probe.h"
#include "gpu/runtime/stream.h"

namespace throng::gpu {

class PartialDevice {
public:
    // At least `multiprocessors`, as the hardware's groups allow (8 at a time on compute capability 9.0, 2 to 4 on
    // others). The device must be current on this thread. Throws Error(unavailable) where the driver or the device
    // knows no such partition.
    PartialDevice(const DeviceInfo& device, int multiprocessors);
    ~PartialDevice();
    PartialDevice(const PartialDevice&) = delete;
    PartialDevice& operator=(const PartialDevice&) = delete;

    [[nodiscard]] StreamView stream() const noexcept;
    // The device as launches on stream() should see it: with this partition's number of multiprocessors.
    [[nodiscard]] const DeviceInfo& info() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace throng::gpu
