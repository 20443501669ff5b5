#include <cuda_runtime.h>

#include <algorithm>

#include "gpu/runtime/fetch_detections.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kBlocks = 4;

template <typename T>
__device__ void copy_array(T* to, const T* from, std::uint32_t count) {
    static_assert(sizeof(T) % sizeof(std::uint32_t) == 0);
    if (to == nullptr || from == nullptr) return;
    const std::uint32_t words = count * static_cast<std::uint32_t>(sizeof(T) / sizeof(std::uint32_t));
    for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < words; i += kBlocks * kThreads) {
        reinterpret_cast<std::uint32_t*>(to)[i] = reinterpret_cast<const std::uint32_t*>(from)[i];
    }
}

__global__ void __launch_bounds__(kThreads) fetch_kernel(DetectionSpan from, DetectionSpan to) {
    const DetectionCount count = *from.count;
    const std::uint32_t n = min(count.total, static_cast<std::uint32_t>(to.capacity));
    copy_array(to.boxes, from.boxes, n);
    copy_array(to.scores, from.scores, n);
    copy_array(to.hits, from.hits, n);
    copy_array(to.source, from.source, n);
    copy_array(to.density, from.density, n);
    if (to.feature_size == from.feature_size)
        copy_array(to.features, from.features, n * static_cast<std::uint32_t>(to.feature_size));
    copy_array(to.landmarks, from.landmarks, n * 10);
    if (blockIdx.x == 0 && threadIdx.x == 0) *to.count = count;
}

}  // namespace

void launch_fetch(const DetectionSpan& from, const DetectionSpan& to, StreamView stream) {
    LaunchChain(stream, false).launch("fetch_kernel", fetch_kernel, LaunchSize{kBlocks, kThreads}, from, to);
}

}  // namespace throng::gpu
