// Detections as a structure of arrays in host or device memory, written by detectors and read by NMS.
// DetectionBuffer owns the memory, DetectionSpan is a view of it. Kernels and loops take spans.
#pragma once

#include <cstdint>
#include <memory>

#include "core/algo/box.h"
#include "core/detect/detection.h"
#include "core/frame/frame.h"

namespace throng {

// Located in the same memory as the boxes. Writers increment `total` for every detection and store the first `capacity`
// of them.
struct DetectionCount {
    std::uint32_t total = 0;
    std::uint32_t invalid = 0;
    // Set if the detector had no memory for all of its candidates: their number. The detections are incomplete then
    // (Detector::reserve). Of kept detections: 0.
    std::uint32_t candidates = 0;
};

// Non-owning; addresses are of the buffer's memory kind. Arrays have `capacity` entries; optional ones may be null.
struct DetectionSpan {
    Box* boxes = nullptr;
    float* scores = nullptr;
    std::int32_t* hits = nullptr;    // written by NMS
    std::int32_t* source = nullptr;  // written by NMS: index in the raw buffer
    DetectionCount* count = nullptr;
    std::int32_t capacity = 0;

    float* density = nullptr;   // [capacity], in [0, 1], for the adaptive pair rule
    float* features = nullptr;  // [capacity][feature_size], for the feature pair rule
    std::int32_t feature_size = 0;
    float* landmarks = nullptr;  // [capacity][10]: five points x, y in pixels of the frame
};

// Which optional arrays a buffer carries.
struct OptionalFields {
    bool density = false;
    std::int32_t feature_size = 0;
    bool landmarks = false;

    friend bool operator==(const OptionalFields&, const OptionalFields&) = default;
};

// Returns those of the boxes of a set, landmarks not included.
[[nodiscard]] inline OptionalFields optional_fields_of(const DetectionSet& set) {
    return {!set.density.empty(), set.feature_size};
}

// Move-only owner, created by Backend::make_buffer. May outlive the backend.
class DetectionBuffer {
public:
    DetectionBuffer() = default;
    DetectionBuffer(MemoryKind memory, const DetectionSpan& span, std::shared_ptr<void> storage)
        : memory_(memory), span_(span), storage_(std::move(storage)) {}

    DetectionBuffer(const DetectionBuffer&) = delete;
    DetectionBuffer& operator=(const DetectionBuffer&) = delete;
    DetectionBuffer(DetectionBuffer&&) noexcept = default;
    DetectionBuffer& operator=(DetectionBuffer&&) noexcept = default;
    ~DetectionBuffer() = default;

    [[nodiscard]] MemoryKind memory() const noexcept { return memory_; }
    [[nodiscard]] const DetectionSpan& span() const noexcept { return span_; }
    [[nodiscard]] std::int32_t capacity() const noexcept { return span_.capacity; }

private:
    MemoryKind memory_ = MemoryKind::host;
    DetectionSpan span_;
    std::shared_ptr<void> storage_;
};

// A buffer in ordinary host memory. capacity >= 0.
[[nodiscard]] DetectionBuffer make_host_buffer(std::int32_t capacity, const OptionalFields& optional_fields = {});

// Copy between a set and a buffer in host memory, including the optional arrays that both have. copy_to_host_buffer
// stores at most `capacity` detections and sets the total to the number of the set's detections.
void copy_to_host_buffer(const DetectionSet& in, const DetectionSpan& out);
void copy_from_host_buffer(const DetectionSpan& in, DetectionSet& out);

}  // namespace throng
