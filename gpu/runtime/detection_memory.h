// Detection buffers in device memory, and their transfer to and from the host.
#pragma once

#include "core/detect/backend.h"
#include "gpu/runtime/device_buffer.h"

namespace throng::gpu {

// Returns a zeroed buffer that may be used on any stream. Waits for the stream.
[[nodiscard]] DetectionBuffer make_device_buffer(std::int32_t capacity, const OptionalFields& optional_fields,
                                                 StreamView stream);

// Copies through page-locked staging memory, which it keeps. One download or upload at a time; not thread-safe.
class DetectionTransfer {
public:
    // A download in parts, with other work between them. prepare() selects the count and, if boxes is set, as many
    // detections as a frame commonly has; returns the address of their copy. start() enqueues it: one launch.
    const void* prepare(const DetectionBuffer& buffer, bool boxes);
    void start(StreamView stream) const;
    // Call finish() after the copies of start() are complete; the buffer must not have changed since. Copies the
    // remaining detections, if any, on this stream and waits for them.
    void finish(DetectionSet& out, StreamView stream);

    // Waits until the buffer is written, then copies its contents.
    void download(const DetectionBuffer& buffer, DetectionSet& out, StreamView stream);
    // Sets the buffer's total to the number of detections in `in`; those beyond the capacity are not stored. Waits for
    // the copy.
    void upload(const DetectionSet& in, DetectionBuffer& buffer, StreamView stream);

private:
    // Returns page-locked arrays for n detections.
    [[nodiscard]] DetectionSpan stage(const OptionalFields& optional_fields, std::size_t n);

    PinnedBuffer<std::byte> staging_;
    DetectionSpan from_;    // source of the current download
    DetectionSpan staged_;  // its copy in staging_
};

}  // namespace throng::gpu
