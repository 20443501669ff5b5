#include "gpu/cnn/elements.cuh"
#include "gpu/cnn/plain_layers.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {
namespace {

constexpr int kThreads = 128;

// The work item of a thread: a pixel of a map and a group of channels. Neighboring threads have neighboring groups.
struct WorkItem {
    int x, y, group, image;
    bool inside;
};

__device__ WorkItem work_item(const Map& out, int groups) {
    const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    const std::int64_t pixel = index / groups;
    return {static_cast<int>(pixel % out.width), static_cast<int>(pixel / out.width), static_cast<int>(index % groups),
            static_cast<int>(blockIdx.z), pixel < static_cast<std::int64_t>(out.width) * out.height};
}

template <typename T>
__global__ void __launch_bounds__(kThreads) convolution_kernel(const __grid_constant__ StepTask task) {
    const WorkItem at = work_item(task.out, task.out.channels / 4);
    start_kernel();
    if (!at.inside) return;
    const int channel = at.group * 4;
    const Image<const T> in(task.in, at.image);
    float4 sum = __ldg(reinterpret_cast<const float4*>(task.plain.bias + channel));
    const int in_channels = task.depthwise ? 1 : task.in.channels;
    const float* weights = task.plain.weights + channel;
    const auto weight = [&](int tap, int c) {
        return __ldg(reinterpret_cast<const float4*>(weights + (tap * in_channels + c) * task.out.channels));
    };
#pragma unroll 3
    for (int tap = 0; tap < task.kernel * task.kernel; ++tap) {
        const int x = at.x * task.stride - task.padding + tap % task.kernel * task.dilation;
        const int y = at.y * task.stride - task.padding + tap / task.kernel * task.dilation;
        if (!in.holds(x, y)) continue;
        const T* from = in.at(x, y);
        if (task.depthwise) {
            add_product(sum, load4(from + channel), weight(tap, 0));
            continue;
        }
#pragma unroll 2
        for (int c = 0; c < task.in.channels; c += 4) {
            const float4 v = load4(from + c);
            add_product(sum, v.x, weight(tap, c));
            add_product(sum, v.y, weight(tap, c + 1));
            add_product(sum, v.z, weight(tap, c + 2));
            add_product(sum, v.w, weight(tap, c + 3));
        }
    }
    store(Image<T>(task.out, at.image, channel).at(at.x, at.y), activated<T>(sum, task.activation));
}

template <typename T>
__global__ void __launch_bounds__(kThreads) pool_kernel(const __grid_constant__ StepTask task) {
    const WorkItem at = work_item(task.out, task.out.channels / 4);
    start_kernel();
    if (!at.inside) return;
    const Image<const T> in(task.in, at.image, at.group * 4);
    float4 maximum{-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    // Outside the map its edge, which the window contains, too: without branches several loads are in flight at once.
    for (int row = 0; row < task.kernel; ++row) {
        const int y = min(max(at.y * task.stride - task.padding + row, 0), task.in.height - 1);
#pragma unroll 5
        for (int column = 0; column < task.kernel; ++column) {
            const int x = min(max(at.x * task.stride - task.padding + column, 0), task.in.width - 1);
            maximum = max_of(maximum, load4(in.at(x, y)));
        }
    }
    store(Image<T>(task.out, at.image, at.group * 4).at(at.x, at.y), activated<T>(maximum, task.activation));
}

// Wide: float4, or float if the channels are not aligned.
template <typename T, typename Wide>
__global__ void __launch_bounds__(kThreads) sum_kernel(const __grid_constant__ StepTask task) {
    constexpr int kStep = sizeof(Wide) / sizeof(float);
    const WorkItem at = work_item(task.out, task.channels / kStep);
    start_kernel();
    if (!at.inside) return;
    const int channel = at.group * kStep;
    const auto term = [&](const Map& map, int factor) {
        return load_as<Wide>(Image<const T>(map, at.image, channel).at(at.x / factor, at.y / factor));
    };
    Wide sum = term(task.in, task.factor);
    if (task.more.data != nullptr) sum = sum4(sum, term(task.more, 1));
    store(Image<T>(task.out, at.image, task.first_channel + channel).at(at.x, at.y),
          activated<T>(sum, task.activation));
}

template <typename T>
void launch(const StepTask& task, int images, const LaunchChain& chain) {
    const bool wide = task.channels % 4 == 0 && task.first_channel % 4 == 0;
    const auto kernel = task.kind == StepKind::convolution ? convolution_kernel<T>
                        : task.kind == StepKind::pool      ? pool_kernel<T>
                        : wide                             ? sum_kernel<T, float4>
                                                           : sum_kernel<T, float>;
    const std::int64_t threads = std::int64_t{task.out.width} * task.out.height * task.channels / (wide ? 4 : 1);
    chain.launch("plain_layers", kernel,
                 {dim3(blocks_for(threads, kThreads), 1, static_cast<unsigned>(images)), kThreads}, task);
}

}  // namespace

void launch_plain(const StepTask& task, int images, Precision precision, const LaunchChain& chain) {
    precision == Precision::fp32 ? launch<float>(task, images, chain) : launch<__half>(task, images, chain);
}

}  // namespace throng::gpu
