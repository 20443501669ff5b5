// Detection buffers in device memory, and their way to and from the host.
#pragma once

#include "core/detect/backend.h"
#include "gpu/runtime/device_buffer.h"

namespace throng::gpu {

// Zeroed. Waits for nothing; the buffer may be used on the stream at once.
[[nodiscard]] DetectionBuffer make_device_buffer(std::int32_t capacity, const DetectionExtras& extras,
                                                 StreamView stream);

// Copies by way of page-locked memory, which it keeps. Not thread-safe.
class DetectionTransfer {
public:
    // Waits until the buffer is written, and copies what it holds.
    void download(const DetectionBuffer& buffer, DetectionSet& out, StreamView stream);
    // wanted becomes their number; those beyond the capacity are not stored.
    // Waits for the copy.
    void upload(const DetectionSet& in, DetectionBuffer& buffer, StreamView stream);

private:
    // Page-locked arrays for n detections, the same ones that `like` has.
    [[nodiscard]] DetectionSpan stage(const DetectionSpan& like, std::size_t n);
    PinnedBuffer<std::byte> staging_;
};

}  // namespace throng::gpu
