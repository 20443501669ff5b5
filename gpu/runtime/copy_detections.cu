#include "gpu/runtime/copy_detections.h"

#include <cuda_runtime.h>

#include <algorithm>

#include "gpu/runtime/launch.cuh"

namespace throng::gpu {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::int32_t kDetectionsPerBlock = 512;
// Few blocks copy what a frame commonly has; more keep the bus busy with longer arrays.
constexpr std::int32_t kMinBlocks = 4;
constexpr std::int32_t kMaxBlocks = 64;

template <typename T>
__device__ void copy_array(T* to, const T* from, std::size_t count) {
    static_assert(sizeof(T) % sizeof(std::uint32_t) == 0);
    if (to == nullptr || from == nullptr) return;
    const std::size_t words = count * (sizeof(T) / sizeof(std::uint32_t));
    for (std::size_t i = blockIdx.x * kThreads + threadIdx.x; i < words; i += gridDim.x * kThreads) {
        reinterpret_cast<std::uint32_t*>(to)[i] = reinterpret_cast<const std::uint32_t*>(from)[i];
    }
}

__global__ void __launch_bounds__(kThreads) copy_detections_kernel(DetectionSpan from, DetectionSpan to) {
    const DetectionCount count = *from.count;
    const std::size_t n = min(count.total, static_cast<std::uint32_t>(to.capacity));
    copy_array(to.boxes, from.boxes, n);
    copy_array(to.scores, from.scores, n);
    copy_array(to.hits, from.hits, n);
    copy_array(to.source, from.source, n);
    copy_array(to.density, from.density, n);
    if (to.feature_size == from.feature_size)
        copy_array(to.features, from.features, n * static_cast<std::size_t>(to.feature_size));
    copy_array(to.landmarks, from.landmarks, n * 10);
    if (blockIdx.x == 0 && threadIdx.x == 0) *to.count = count;
}

}  // namespace

void launch_copy(const DetectionSpan& from, const DetectionSpan& to, StreamView stream) {
    const std::int32_t blocks = std::min(from.capacity, to.capacity) / kDetectionsPerBlock;
    LaunchChain(stream, false)
        .launch("copy_detections_kernel", copy_detections_kernel,
                LaunchSize{static_cast<unsigned>(std::clamp(blocks, kMinBlocks, kMaxBlocks)), kThreads}, from, to);
}

}  // namespace throng::gpu
