// Hides faces in images in device memory, byte for byte as core/redact/redact.h does in host memory.
#pragma once

#include <cstdint>
#include <memory>

#include "core/redact/device_redactor.h"
#include "core/redact/redact.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/runtime/stream.h"

namespace throng::gpu {

// The buffers of one stream. Not thread-safe. Allocates when a frame has more regions than all previous ones, and never
// otherwise.
class DeviceRedaction {
public:
    explicit DeviceRedaction(StreamView stream) : stream_(stream) {}

    // Enqueues throng::redact for an image whose planes are device addresses. Does not wait for the device, except for
    // the transfer of the previous call's regions. Two kernels, also for a hidden whole frame.
    void enqueue(const RedactImage& image, const RedactRegions& regions, const RedactOptions& options);

private:
    void reserve(std::size_t shapes);

    StreamView stream_;
    PinnedBuffer<RedactShape> shapes_;
    DeviceBuffer<RedactShape> d_shapes_;
    // Sums of samples: 4 channels x 6x6 cells x shapes x planes. Integers, so that their order does not matter.
    DeviceBuffer<unsigned long long> d_sums_;
    Event uploaded_{Event::Timing::off};
};

// Uses the default stream. Throws Error(unavailable) if the device is unusable.
[[nodiscard]] std::unique_ptr<DeviceRedactor> make_device_redactor(int device);

}  // namespace throng::gpu
