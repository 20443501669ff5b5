#include "gpu/detection_memory.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>

#include "core/base/error.h"

namespace throng::gpu {
namespace {

// One allocation carved into arrays, each at an address fit for vector loads.
class Layout {
public:
    explicit Layout(std::byte* base) : base_(base) {}

    template <typename T>
    T* take(std::size_t count) {
        constexpr std::size_t kAlignment = 256;
        T* address = base_ != nullptr ? reinterpret_cast<T*>(base_ + size_) : nullptr;
        size_ += (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
        return address;
    }
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    std::byte* base_;
    std::size_t size_ = 0;
};

DetectionSpan lay_out(Layout& layout, std::int32_t capacity, const DetectionExtras& extras) {
    const auto n = static_cast<std::size_t>(capacity);
    DetectionSpan span;
    span.capacity = capacity;
    span.count = layout.take<DetectionCount>(1);
    span.boxes = layout.take<Box>(n);
    span.scores = layout.take<float>(n);
    span.hits = layout.take<std::int32_t>(n);
    span.source = layout.take<std::int32_t>(n);
    if (extras.density) span.density = layout.take<float>(n);
    if (extras.feature_size > 0) {
        span.features = layout.take<float>(n * static_cast<std::size_t>(extras.feature_size));
        span.feature_size = extras.feature_size;
    }
    if (extras.landmarks) span.landmarks = layout.take<float>(n * 10);
    return span;
}

void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, StreamView stream) {
    if (bytes != 0) check_cuda(cudaMemcpyAsync(to, from, bytes, kind, stream), "copying detections");
}

void wait(StreamView stream) { check_cuda(cudaStreamSynchronize(stream), "waiting for detections"); }

// Carves host arrays out of the staging memory.
struct Staged {
    DetectionCount* count;
    Box* boxes;
    float* scores;
    std::int32_t* hits;
    std::int32_t* source;
    DetectionSet::Landmarks* landmarks;

    Staged(Layout& layout, std::size_t n, bool with_landmarks)
        : count(layout.take<DetectionCount>(1)),
          boxes(layout.take<Box>(n)),
          scores(layout.take<float>(n)),
          hits(layout.take<std::int32_t>(n)),
          source(layout.take<std::int32_t>(n)),
          landmarks(with_landmarks ? layout.take<DetectionSet::Landmarks>(n) : nullptr) {}

    static std::size_t bytes(std::size_t n, bool with_landmarks) {
        Layout layout(nullptr);
        const Staged measured(layout, n, with_landmarks);
        static_cast<void>(measured);
        return layout.size();
    }
};

}  // namespace

DetectionBuffer make_device_buffer(std::int32_t capacity, const DetectionExtras& extras, StreamView stream) {
    if (capacity < 0) throw Error(ErrorKind::usage, "a buffer cannot hold a negative number of detections");
    Layout measure(nullptr);
    static_cast<void>(lay_out(measure, capacity, extras));
    auto memory = std::make_shared<DeviceBuffer<std::byte>>(measure.size());
    fill_bytes(*memory, 0, stream);
    Layout layout(memory->data());
    const DetectionSpan span = lay_out(layout, capacity, extras);
    return DetectionBuffer(MemoryKind::device, span, std::move(memory));
}

std::byte* DetectionTransfer::staging(std::size_t bytes) {
    if (staging_.size() < bytes) {
        staging_ = {};
        staging_ = PinnedBuffer<std::byte>(std::max(bytes, std::size_t{1} << 16));
    }
    return staging_.data();
}

void DetectionTransfer::download(const DetectionBuffer& buffer, DetectionSet& out, StreamView stream) {
    // The count comes together with as many as a frame commonly keeps: one wait. The rest, if any, needs another.
    constexpr std::size_t kAtOnce = 2048;
    const DetectionSpan& span = buffer.span();
    const bool landmarks = span.landmarks != nullptr;
    const auto capacity = static_cast<std::size_t>(span.capacity);
    std::size_t n = std::min(capacity, kAtOnce);
    const auto fetch = [&] {
        Layout layout(staging(Staged::bytes(n, landmarks)));
        const Staged staged(layout, n, landmarks);
        copy(staged.count, span.count, sizeof(DetectionCount), cudaMemcpyDeviceToHost, stream);
        copy(staged.boxes, span.boxes, n * sizeof(Box), cudaMemcpyDeviceToHost, stream);
        copy(staged.scores, span.scores, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
        copy(staged.hits, span.hits, n * sizeof(std::int32_t), cudaMemcpyDeviceToHost, stream);
        copy(staged.source, span.source, n * sizeof(std::int32_t), cudaMemcpyDeviceToHost, stream);
        if (landmarks) copy(staged.landmarks, span.landmarks, n * sizeof(DetectionSet::Landmarks), cudaMemcpyDeviceToHost, stream);
        wait(stream);
        return staged;
    };
    Staged staged = fetch();
    const std::size_t stored = std::min<std::size_t>(staged.count->wanted, capacity);
    if (stored > n) {
        n = stored;
        staged = fetch();
    }
    out.wanted = staged.count->wanted;
    out.invalid = staged.count->invalid;
    out.detections.resize(stored);
    for (std::size_t i = 0; i < stored; ++i) {
        out.detections[i] = Detection{staged.boxes[i], staged.scores[i], staged.hits[i], staged.source[i]};
    }
    out.landmarks.clear();
    if (landmarks) out.landmarks.assign(staged.landmarks, staged.landmarks + stored);
}

void DetectionTransfer::upload(const DetectionSet& in, DetectionBuffer& buffer, StreamView stream) {
    const DetectionSpan& span = buffer.span();
    const bool landmarks = span.landmarks != nullptr && in.landmarks.size() == in.detections.size();
    const std::size_t n = std::min(in.detections.size(), static_cast<std::size_t>(span.capacity));
    Layout layout(staging(Staged::bytes(n, landmarks)));
    const Staged staged(layout, n, landmarks);
    const auto total = static_cast<std::uint32_t>(in.detections.size());
    *staged.count = DetectionCount{std::max(in.wanted, total), in.invalid};
    for (std::size_t i = 0; i < n; ++i) {
        staged.boxes[i] = in.detections[i].box;
        staged.scores[i] = in.detections[i].score;
        staged.hits[i] = in.detections[i].hits;
        staged.source[i] = in.detections[i].source;
    }
    if (landmarks && n != 0) std::memcpy(staged.landmarks, in.landmarks.data(), n * sizeof(DetectionSet::Landmarks));
    copy(span.count, staged.count, sizeof(DetectionCount), cudaMemcpyHostToDevice, stream);
    copy(span.boxes, staged.boxes, n * sizeof(Box), cudaMemcpyHostToDevice, stream);
    copy(span.scores, staged.scores, n * sizeof(float), cudaMemcpyHostToDevice, stream);
    copy(span.hits, staged.hits, n * sizeof(std::int32_t), cudaMemcpyHostToDevice, stream);
    copy(span.source, staged.source, n * sizeof(std::int32_t), cudaMemcpyHostToDevice, stream);
    if (landmarks) copy(span.landmarks, staged.landmarks, n * sizeof(DetectionSet::Landmarks), cudaMemcpyHostToDevice, stream);
    wait(stream);  // the staging memory is used again
}

}  // namespace throng::gpu
