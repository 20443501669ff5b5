#include "gpu/cnn/elements.cuh"
#include "gpu/cnn/plain_layers.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {
namespace {

constexpr int kThreads = 128;
constexpr int kManyThreads = 1 << 18;  // enough to keep a large device busy

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

// kSplit neighboring threads split the channels of the input among them.
template <typename T, int kSplit>
__global__ void __launch_bounds__(kThreads) convolution_kernel(const __grid_constant__ PlainConvolution task) {
    const WorkItem at = work_item(task.out, task.out.channels / 4 * kSplit);
    trigger_launch_completion();
    wait_for_previous();
    const int part = at.group % kSplit;
    const int channel = at.group / kSplit * 4;
    const Image<const T> in(task.in, at.image);
    float4 sum{};
    if (part == 0 && at.inside) sum = __ldg(reinterpret_cast<const float4*>(task.weights.bias + channel));
    const int in_channels = task.depthwise ? 1 : task.in.channels;
    const float* weights = task.weights.weights + channel;
    const auto weight = [&](int tap, int c) {
        return __ldg(reinterpret_cast<const float4*>(weights + (tap * in_channels + c) * task.out.channels));
    };
#pragma unroll 3
    for (int tap = 0; tap < task.kernel * task.kernel; ++tap) {
        const int x = at.x * task.stride - task.padding + tap % task.kernel * task.dilation;
        const int y = at.y * task.stride - task.padding + tap / task.kernel * task.dilation;
        if (!at.inside || !in.holds(x, y)) continue;
        const T* from = in.at(x, y);
        if (task.depthwise) {
            if (part == 0) add_product(sum, load4(from + channel), weight(tap, 0));
            continue;
        }
#pragma unroll 2
        for (int c = 4 * part; c < task.in.channels; c += 4 * kSplit) {
            const float4 v = load4(from + c);
            add_product(sum, v.x, weight(tap, c));
            add_product(sum, v.y, weight(tap, c + 1));
            add_product(sum, v.z, weight(tap, c + 2));
            add_product(sum, v.w, weight(tap, c + 3));
        }
    }
#pragma unroll
    for (int step = 1; step < kSplit; step *= 2) {
        const float4 other{__shfl_xor_sync(~0U, sum.x, step), __shfl_xor_sync(~0U, sum.y, step),
                           __shfl_xor_sync(~0U, sum.z, step), __shfl_xor_sync(~0U, sum.w, step)};
        sum = sum4(sum, other);
    }
    if (!at.inside || part != 0) return;
    store4(Image<T>(task.out, at.image, channel).at(at.x, at.y), activated<T>(sum, task.activation));
}

template <typename T>
__global__ void __launch_bounds__(kThreads) pool_kernel(const __grid_constant__ PlainPool task) {
    const WorkItem at = work_item(task.out, task.out.channels / 4);
    trigger_launch_completion();
    wait_for_previous();
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
    store4(Image<T>(task.out, at.image, at.group * 4).at(at.x, at.y), activated<T>(maximum, task.activation));
}

// Wide: float4, or float if the channels are not aligned.
template <typename T, typename Wide>
__global__ void __launch_bounds__(kThreads) sum_kernel(const __grid_constant__ PlainSum task) {
    constexpr int kStep = sizeof(Wide) / sizeof(float);
    const WorkItem at = work_item(task.out, task.channels / kStep);
    trigger_launch_completion();
    wait_for_previous();
    if (!at.inside) return;
    const int channel = at.group * kStep;
    const auto term = [&](const Map& map, int factor) {
        return load_as<Wide>(Image<const T>(map, at.image, channel).at(at.x / factor, at.y / factor));
    };
    Wide sum = term(task.a, task.factor_a);
    if (task.b.data != nullptr) sum = sum4(sum, term(task.b, task.factor_b));
    store(Image<T>(task.out, at.image, task.first_channel + channel).at(at.x, at.y),
          activated<T>(sum, task.activation));
}

LaunchSize shape_of(const Map& out, int groups, int images) {
    const std::int64_t threads = static_cast<std::int64_t>(out.width) * out.height * groups;
    return {dim3(static_cast<unsigned>((threads + kThreads - 1) / kThreads), 1, static_cast<unsigned>(images)),
            dim3(kThreads), 0};
}

}  // namespace

namespace {

template <typename T, int kSplit>
void launch_convolution(const PlainConvolution& task, int images, const LaunchChain& chain) {
    chain.launch("convolution_kernel", convolution_kernel<T, kSplit>,
                 shape_of(task.out, task.out.channels / 4 * kSplit, images), task);
}

template <typename T>
void launch_convolution(const PlainConvolution& task, int images, const LaunchChain& chain) {
    const std::int64_t threads = std::int64_t{task.out.width} * task.out.height * images * task.out.channels / 4;
    const int depth = task.depthwise ? 1 : task.in.channels;
    if (depth >= 128 && threads < kManyThreads / 8) return launch_convolution<T, 32>(task, images, chain);
    const bool wide = task.out.channels > 32;  // neighboring threads already read the same pixels
    if (depth * task.kernel * task.kernel >= 128 && !wide && threads < kManyThreads)
        return launch_convolution<T, 4>(task, images, chain);
    launch_convolution<T, 1>(task, images, chain);
}

}  // namespace

void launch_plain(const PlainConvolution& task, int images, Precision precision, const LaunchChain& chain) {
    if (precision == Precision::fp32) {
        launch_convolution<float>(task, images, chain);
    } else {
        launch_convolution<__half>(task, images, chain);
    }
}

void launch_plain(const PlainPool& task, int images, Precision precision, const LaunchChain& chain) {
    chain.launch("pool_kernel", precision == Precision::fp32 ? pool_kernel<float> : pool_kernel<__half>,
                 shape_of(task.out, task.out.channels / 4, images), task);
}

void launch_plain(const PlainSum& task, int images, Precision precision, const LaunchChain& chain) {
    const bool wide = task.channels % 4 == 0 && task.first_channel % 4 == 0;
    const auto kernel = precision == Precision::fp32 ? (wide ? sum_kernel<float, float4> : sum_kernel<float, float>)
                                                     : (wide ? sum_kernel<__half, float4> : sum_kernel<__half, float>);
    chain.launch("sum_kernel", kernel, shape_of(task.out, task.channels / (wide ? 4 : 1), images), task);
}

}  // namespace throng::gpu
