#include "gpu/runtime/detection_memory.h"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "core/base/error.h"
#include "gpu/runtime/array_layout.h"
#include "gpu/runtime/copy_detections.h"

namespace throng::gpu {
namespace {

struct Arrays {
    DetectionSpan span;
    std::size_t bytes;
};

// memory: null measures.
Arrays lay_out(void* memory, std::int32_t capacity, const OptionalFields& optional_fields) {
    ArrayLayout layout(memory);
    const auto n = static_cast<std::size_t>(capacity);
    DetectionSpan span;
    span.capacity = capacity;
    span.count = layout.take<DetectionCount>(1);
    span.boxes = layout.take<Box>(n);
    span.scores = layout.take<float>(n);
    span.hits = layout.take<std::int32_t>(n);
    span.source = layout.take<std::int32_t>(n);
    if (optional_fields.density) span.density = layout.take<float>(n);
    if (optional_fields.feature_size > 0) {
        span.features = layout.take<float>(n * static_cast<std::size_t>(optional_fields.feature_size));
        span.feature_size = optional_fields.feature_size;
    }
    if (optional_fields.landmarks) span.landmarks = layout.take<float>(n * 10);
    return {span, layout.size()};
}

void wait(StreamView stream) {
    check_cuda(cudaStreamSynchronize(stream), "waiting for detections");
}

OptionalFields optional_fields_of(const DetectionSpan& span) {
    return {span.density != nullptr, span.features != nullptr ? span.feature_size : 0, span.landmarks != nullptr};
}

}  // namespace

DetectionBuffer make_device_buffer(std::int32_t capacity, const OptionalFields& optional_fields, StreamView stream) {
    if (capacity < 0) throw Error(ErrorKind::usage, "the capacity of a detection buffer must not be negative");
    auto memory = std::make_shared<DeviceBuffer<std::byte>>(lay_out(nullptr, capacity, optional_fields).bytes);
    fill_bytes(*memory, 0, stream);
    check_cuda(cudaStreamSynchronize(stream), "clearing a detection buffer");
    const DetectionSpan span = lay_out(memory->data(), capacity, optional_fields).span;
    return DetectionBuffer(MemoryKind::device, span, std::move(memory));
}

DetectionSpan DetectionTransfer::stage(const OptionalFields& optional_fields, std::size_t n) {
    const auto capacity = static_cast<std::int32_t>(n);
    const std::size_t bytes = lay_out(nullptr, capacity, optional_fields).bytes;
    if (staging_.size() < bytes) {
        staging_ = {};
        staging_ = PinnedBuffer<std::byte>(std::max(bytes, std::size_t{1} << 16));
    }
    return lay_out(staging_.data(), capacity, optional_fields).span;
}

const void* DetectionTransfer::prepare(const DetectionBuffer& buffer, bool boxes) {
    // As many detections as a frame commonly has at most, so that one wait usually suffices.
    constexpr std::size_t kFirstCopy = 2048;
    from_ = buffer.span();
    if (!boxes) from_.capacity = 0;
    staged_ = stage(optional_fields_of(from_), std::min(static_cast<std::size_t>(from_.capacity), kFirstCopy));
    return staged_.count;
}

void DetectionTransfer::start(StreamView stream) const {
    launch_copy(from_, staged_, stream);
}

void DetectionTransfer::finish(DetectionSet& out, StreamView stream) {
    const std::size_t stored = std::min(staged_.count->total, static_cast<std::uint32_t>(from_.capacity));
    if (stored > static_cast<std::size_t>(staged_.capacity)) {
        staged_ = stage(optional_fields_of(from_), stored);
        start(stream);
        wait(stream);
    }
    copy_from_host_buffer(staged_, out);
}

void DetectionTransfer::download(const DetectionBuffer& buffer, DetectionSet& out, StreamView stream) {
    prepare(buffer, true);
    start(stream);
    wait(stream);
    finish(out, stream);
}

void DetectionTransfer::upload(const DetectionSet& in, DetectionBuffer& buffer, StreamView stream) {
    const DetectionSpan& span = buffer.span();
    const std::size_t n = std::min(in.detections.size(), static_cast<std::size_t>(span.capacity));
    // Only what both have: other staging memory still holds a previous transfer.
    const bool features = in.feature_size == span.feature_size;
    const OptionalFields both{span.density != nullptr && !in.density.empty(), features ? in.feature_size : 0,
                              span.landmarks != nullptr && !in.landmarks.empty()};
    const DetectionSpan staged = stage(both, n);
    copy_to_host_buffer(in, staged);
    launch_copy(staged, span, stream);
    wait(stream);  // the next transfer reuses the staging memory
}

}  // namespace throng::gpu
