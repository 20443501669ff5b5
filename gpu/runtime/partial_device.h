// A partition of a device's multiprocessors with its own stream. Work on that stream runs only on these
// multiprocessors, without interference from other work. Source: CUDA Driver API, Green Contexts (CUDA 12.5 or newer).
#pragma once

#include <memory>
#include <optional>

#include "gpu/runtime/probe.h"
#include "gpu/runtime/stream.h"

namespace throng::gpu {

class PartialDevice {
public:
    // Reserves at least `multiprocessors`, rounded up to the hardware's groups (8 on compute capability 9.0, 2 to 4 on
    // others). The device must be current on this thread. Throws Error(unavailable) where the driver or the device does
    // not support such a partition.
    PartialDevice(const DeviceInfo& device, int multiprocessors);
    ~PartialDevice();
    PartialDevice(const PartialDevice&) = delete;
    PartialDevice& operator=(const PartialDevice&) = delete;

    [[nodiscard]] StreamView stream() const noexcept;
    // Describes the device for launches on stream(): the number of multiprocessors is the partition's.
    [[nodiscard]] const DeviceInfo& info() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// Returns the number of multiprocessors of the partition that a stream belongs to; empty if it has the whole device.
// Nothing is enqueued, so that a stream may be asked while it is captured.
[[nodiscard]] std::optional<int> multiprocessors_of_partition(StreamView stream);

}  // namespace throng::gpu
