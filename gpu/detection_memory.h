// Detection buffers in device memory, and their way to and from the host.
#pragma once

#include "core/detect/backend.h"
#include "gpu/runtime/device_buffer.h"

namespace throng::gpu {

// Zeroed. Waits for nothing; the buffer may be used on the stream at once.
[[nodiscard]] DetectionBuffer make_device_buffer(std::int32_t capacity, const OptionalFields& optional_fields,
                                                 StreamView stream);

// Copies by way of page-locked memory, which it keeps. One download or upload at a time; not thread-safe.
class DetectionTransfer {
public:
    // The two halves of a download, with other work between them. Enqueues copies of the count and, with boxes, of as
    // many detections as a frame commonly has.
    void start(const DetectionBuffer& buffer, bool boxes, StreamView stream);
    // Once what start enqueued is done; the buffer must be as it was then. The rest, if there are more, is copied on
    // this stream and waited for.
    void finish(DetectionSet& out, StreamView stream);

    // Waits until the buffer is written, and copies what it holds.
    void download(const DetectionBuffer& buffer, DetectionSet& out, StreamView stream);
    // requested becomes their number; those beyond the capacity are not stored.
    // Waits for the copy.
    void upload(const DetectionSet& in, DetectionBuffer& buffer, StreamView stream);

private:
    // Page-locked arrays for n detections, the same ones that `like` has.
    [[nodiscard]] DetectionSpan stage(const DetectionSpan& like, std::size_t n);
    void fetch(std::size_t n, StreamView stream);

    PinnedBuffer<std::byte> staging_;
    DetectionSpan from_;    // of the download under way
    DetectionSpan staged_;  // its copy in staging_
};

}  // namespace throng::gpu
