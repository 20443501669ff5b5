#include "gpu/cnn/depth_point.h"

#include "gpu/cnn/tile_product.cuh"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {
namespace {

// A block computes kOut channels of a tile of kWidth x 8 pixels. The depthwise convolution writes kChunk channels at a
// time to shared memory, and the product adds them to the sums.
template <typename T, int kChunk, int kOut, int kWidth>
struct DepthPointBlock {
    static constexpr int kHeight = 8;
    static constexpr int kPixels = kWidth * kHeight;
    using Product = TileProduct<T, kPixels, kChunk, kOut>;
    static constexpr int kShared = Product::kWeightBytes + Product::kTileBytes;
};

// Every thread always handles the same four channels; their weights stay in registers.
template <typename T, typename Product, int kChunk, int kWidth, int kPixels>
__device__ void depthwise_chunk(__half* to, const DepthPointTask& task, int first, int image, int left, int top) {
    constexpr int kGroups = kChunk / 4;
    const int channel = static_cast<int>(threadIdx.x) % kGroups * 4;
    float4 w[9];
#pragma unroll
    for (int t = 0; t < 9; ++t) {
        w[t] = __ldg(reinterpret_cast<const float4*>(task.depth.weights + t * task.depth.channels + first + channel));
    }
    const float4 bias = __ldg(reinterpret_cast<const float4*>(task.depth.bias + first + channel));
    const Image<const T> in(task.in, image, first + channel);
    for (int pixel = threadIdx.x / kGroups; pixel < kPixels; pixel += kTileThreads / kGroups) {
        const int x = (left + pixel % kWidth) * task.stride - 1;
        const int y = (top + pixel / kWidth) * task.stride - 1;
        // Loads outside the map are clamped to the edge and contribute 0. Without branches all nine loads are in flight
        // at once.
        float4 v[9];
#pragma unroll
        for (int t = 0; t < 9; ++t) {
            v[t] = load4(in.at(min(max(x + t % 3, 0), in.width - 1), min(max(y + t / 3, 0), in.height - 1)));
        }
        float4 sum = bias;
#pragma unroll
        for (int t = 0; t < 9; ++t) {
            const bool inside = in.holds(x + t % 3, y + t / 3);
            add_product(sum, inside ? v[t] : float4{}, w[t]);
        }
        Product::put(to, pixel, channel, activated(sum, task.depth_activation));
    }
}

template <typename T, int kChunk, int kOut, int kWidth>
__global__ void __launch_bounds__(kTileThreads) depth_point_kernel(const __grid_constant__ DepthPointTask task) {
    using Block = DepthPointBlock<T, kChunk, kOut, kWidth>;
    using Product = typename Block::Product;
    extern __shared__ __align__(16) unsigned char shared[];
    __half* weights = reinterpret_cast<__half*>(shared);
    __half* tile = reinterpret_cast<__half*>(shared + Product::kWeightBytes);
    const int across = (task.out.width + kWidth - 1) / kWidth;
    const int left = static_cast<int>(blockIdx.x) % across * kWidth;
    const int top = static_cast<int>(blockIdx.x) / across * Block::kHeight;
    const int first_out = static_cast<int>(blockIdx.y) * kOut;
    const int image = static_cast<int>(blockIdx.z);

    trigger_launch_completion();
    wait_for_previous();
    Product product;
    product.start(task.point.bias + first_out);
    for (int first = 0; first < task.point.in; first += kChunk) {
        Product::load_weights(weights, task.point, first, first_out);
        depthwise_chunk<T, Product, kChunk, kWidth, Block::kPixels>(tile, task, first, image, left, top);
        __syncthreads();
        product.add(tile, weights);
        __syncthreads();
    }
    const Image<T> out(task.out, image, first_out);
    product.for_each(
        [&](int pixel) -> T* {
            const int x = left + pixel % kWidth;
            const int y = top + pixel / kWidth;
            return out.holds(x, y) ? out.at(x, y) : nullptr;
        },
        [&](T* at, int channel, float a, float b) {
            if (at == nullptr) return;
            store2(at + channel, activated(a, task.point_activation), activated(b, task.point_activation));
        });
}

template <typename T, int kChunk, int kOut, int kWidth>
void launch_as(const DepthPointTask& task, int images, const LaunchChain& chain) {
    using Block = DepthPointBlock<T, kChunk, kOut, kWidth>;
    const int tiles =
        ((task.out.width + kWidth - 1) / kWidth) * ((task.out.height + Block::kHeight - 1) / Block::kHeight);
    const dim3 grid(static_cast<unsigned>(tiles), static_cast<unsigned>(task.point.out / kOut),
                    static_cast<unsigned>(images));
    chain.launch("depth_point_kernel", depth_point_kernel<T, kChunk, kOut, kWidth>,
                 {grid, dim3(kTileThreads), Block::kShared}, task);
}

template <typename T>
void launch_in(const DepthPointTask& task, int images, int multiprocessors, const LaunchChain& chain) {
    const std::int64_t pixels = std::int64_t{task.out.width} * task.out.height * images;
    const auto fills = [&](int width, int channels) {
        return task.point.out % channels == 0 && pixels / (width * 8) * (task.point.out / channels) >= multiprocessors;
    };
    if (task.point.in % 64 == 0) {
        if (fills(16, 64)) return launch_as<T, 64, 64, 16>(task, images, chain);
        if (task.point.out % 64 == 0) return launch_as<T, 64, 64, 8>(task, images, chain);
        return launch_as<T, 64, 16, 8>(task, images, chain);
    }
    if (task.point.in % 32 == 0) {
        if (fills(16, 64)) return launch_as<T, 32, 64, 16>(task, images, chain);
        if (fills(16, 32)) return launch_as<T, 32, 32, 16>(task, images, chain);
        return launch_as<T, 32, 16, 8>(task, images, chain);
    }
    if (fills(16, 32)) return launch_as<T, 16, 32, 16>(task, images, chain);
    launch_as<T, 16, 16, 8>(task, images, chain);
}

}  // namespace

void launch_depth_point(const DepthPointTask& task, int images, Precision precision, int multiprocessors,
                        const LaunchChain& chain) {
    if (precision == Precision::fp32) {
        launch_in<float>(task, images, multiprocessors, chain);
    } else {
        launch_in<__half>(task, images, multiprocessors, chain);
    }
}

}  // namespace throng::gpu
