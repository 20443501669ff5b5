#include "gpu/cnn/tile_convolution.h"

#include <cuda_pipeline.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "gpu/cnn/task_blocks.h"
#include "gpu/cnn/tile_product.cuh"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {
namespace {

constexpr std::size_t kSmallestShared = 48U << 10;
constexpr std::size_t kLargest = 110U << 10;

struct TileConvolutionLaunch {
    StepTask task[kMaxConvolutions];
    TaskBlocks<kMaxConvolutions> blocks;
    int chunk[kMaxConvolutions] = {};  // channels in at a time
};

// Returns the bytes per block of which a multiprocessor runs two, if they suffice for the smallest tiles. The system
// takes 1 KB of each block.
std::size_t shared_limit(const DeviceInfo& device) {
    const std::size_t two_blocks = (device.shared_memory - (1U << 10)) / 2;
    return std::max(kSmallestShared, std::min({device.shared_memory, two_blocks, kLargest}));
}

// Returns the matrices of weights of the product.
TH_HD int taps_of_product(const StepTask& task) {
    return task.depth.weights != nullptr ? 1 : task.kernel * task.kernel;
}

// The part of the input that a tile of width x height pixels needs. In shared memory its rows of channels are padded by 16
// bytes, so that they start in different banks.
struct InputTile {
    int columns, rows;

    TH_HD InputTile(const StepTask& task, int width, int height)
        : columns(extent(task, width)), rows(extent(task, height)) {}

    [[nodiscard]] TH_HD int pixels() const { return columns * rows; }
    [[nodiscard]] TH_HD static int extent(const StepTask& task, int pixels) {
        return (pixels - 1) * task.stride + (task.kernel - 1) * task.dilation + 1;
    }
};

// Copies a chunk of the weights of kOut channels for all taps; asynchronous.
template <typename T, typename Sums, int kOut>
__device__ void load_weights(__half* to, const StepTask& task, int first_in, int chunk, int first_out) {
    const PointWeights& all = task.point;
    const int vectors = chunk / 8;
    const int pitch = chunk + 8;
    const int rows = kParts<T> * taps_of_product(task) * kOut;  // part by part, tap by tap
    const auto* from = static_cast<const __half*>(all.weights) + first_in;
    for (int i = static_cast<int>(threadIdx.x); i < rows * vectors; i += kTileThreads) {
        const int row = i / vectors;
        const int k = (i - row * vectors) * 8;
        const int source = row / kOut * all.out + first_out + Sums::channel_of_column(row % kOut);
        __pipeline_memcpy_async(to + row * pitch + k, from + source * all.in + k, 16);
    }
}

// The vectors of 16 bytes of a row of the input tile that a lane copies.
template <typename T>
struct LaneVectors {
    static constexpr int kVector = 16 / sizeof(T);
    int per_pixel, column, vector;

    __device__ explicit LaneVectors(int chunk) : per_pixel(chunk / kVector) {
        const int lane = static_cast<int>(threadIdx.x) % 32;
        column = lane / per_pixel;
        vector = lane - column * per_pixel;
    }
    __device__ void next() {
        vector += 32 % per_pixel;
        column += 32 / per_pixel;
        if (vector < per_pixel) return;
        vector -= per_pixel;
        ++column;
    }
    [[nodiscard]] __device__ int channel() const { return vector * kVector; }
};

// Loads a chunk of channels of the pixels from (left, top) on, with the map `up` added, in the form that the product takes.
// Unchanged elements are copied asynchronously. Outside the map they are zero.
template <typename T>
__device__ void load_input(__half* to, const Image<const T>& in, const Image<const T>& up, const InputTile& tile,
                           int chunk, int left, int top) {
    constexpr int kVector = LaneVectors<T>::kVector;
    constexpr int kBatch = 32 / kVector;  // loads in flight
    const int pitch = chunk + 8;
    for (int row = static_cast<int>(threadIdx.x) / 32; row < tile.rows; row += kTileThreads / 32) {
        const int y = top + row;
        for (LaneVectors<T> at(chunk); at.column < tile.columns;) {
            const auto slot = [&] { return to + (row * tile.columns + at.column) * pitch + at.channel(); };
            if (kParts<T> == 1 && up.width == 0) {
                const bool inside = in.holds(left + at.column, y);
                const T* from = inside ? in.at(left + at.column, y) + at.channel() : in.data;
                __pipeline_memcpy_async(slot(), from, 16, inside ? 0 : 16);
                at.next();
                continue;
            }
            __half* target[kBatch];
            float4 v[kBatch][kVector / 4];
#pragma unroll
            for (int i = 0; i < kBatch; ++i, at.next()) {
                const int x = left + at.column;
                const bool inside = in.holds(x, y);
                target[i] = at.column < tile.columns ? slot() : nullptr;
                const T* from = inside ? in.at(x, y) + at.channel() : in.data;
                const T* more = inside ? up.at(x / 2, y / 2) + at.channel() : up.data;
#pragma unroll
                for (int c = 0; c < kVector / 4; ++c) {
                    v[i][c] = load4(from + 4 * c);
                    if (up.width > 0) v[i][c] = sum4(v[i][c], load4(more + 4 * c));
                    if (!inside) v[i][c] = {};
                }
            }
#pragma unroll
            for (int i = 0; i < kBatch; ++i) {
                if (target[i] == nullptr) continue;
#pragma unroll
                for (int c = 0; c < kVector / 4; ++c) put_parts<T>(target[i] + 4 * c, tile.pixels() * pitch, v[i][c]);
            }
        }
    }
}

// Computes a chunk of channels of the depthwise convolution of a tile of kWidth x kHeight pixels. A thread always handles
// the same four channels, and 2 x 2 pixels at a time, which share their input, from (left, top) on.
template <typename T, int kWidth, int kHeight, int kStride>
__device__ void convolve_depthwise(__half* to, const Image<const T>& in, const StepTask& task, int first, int chunk,
                                   int left, int top) {
    const PlainWeights& depth = task.depth;
    constexpr int kSpan = kStride + 3;  // columns and rows in
    const int pitch = chunk + 8;
    const int groups = chunk / 4;
    const int channel = static_cast<int>(threadIdx.x) % groups * 4;
    const int step = kTileThreads / groups;
    const int slot = static_cast<int>(threadIdx.x) / groups;
    if (slot >= step) return;
    float4 w[9];
#pragma unroll
    for (int t = 0; t < 9; ++t) {
        w[t] = __ldg(reinterpret_cast<const float4*>(depth.weights + t * depth.channels + first + channel));
    }
    const float4 bias = __ldg(reinterpret_cast<const float4*>(depth.bias + first + channel));
    for (int quad = slot; quad < kWidth * kHeight / 4; quad += step) {
        const int column = quad % (kWidth / 2) * 2;
        const int row = quad / (kWidth / 2) * 2;
        float4 sums[2][2] = {{bias, bias}, {bias, bias}};
#pragma unroll
        for (int r = 0; r < kSpan; ++r) {
            // Loads outside the map are clamped to the edge. Without branches all are in flight at once.
            const int y = top + row * kStride + r;
            float4 v[kSpan];
#pragma unroll
            for (int c = 0; c < kSpan; ++c) {
                const int x = left + column * kStride + c;
                v[c] = load4(in.at(min(max(x, 0), in.width - 1), min(max(y, 0), in.height - 1)) + channel);
                if (!in.holds(x, y)) v[c] = {};
            }
#pragma unroll
            for (int out = 0; out < 2; ++out) {
                const int ky = r - out * kStride;
                if (ky < 0 || ky > 2) continue;
#pragma unroll
                for (int kx = 0; kx < 3; ++kx) {
                    add_product(sums[out][0], v[kx], w[ky * 3 + kx]);
                    add_product(sums[out][1], v[kStride + kx], w[ky * 3 + kx]);
                }
            }
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            put_parts<T>(to + ((row + i / 2) * kWidth + column + i % 2) * pitch + channel, kWidth * kHeight * pitch,
                         activated<T>(sums[i / 2][i % 2], task.first_activation));
        }
    }
}

// Elements of 16 bits of the parts of a block's shared memory: the weights, and the tile that the product takes.
struct SharedLayout {
    int weight_part, tile_part, weights, total;

    TH_HD SharedLayout(const StepTask& task, int chunk, int out, int width, int height, int parts) {
        const bool depthwise = task.depth.weights != nullptr;
        const InputTile input(task, width, height);
        const int pitch = chunk + 8;
        weight_part = taps_of_product(task) * out * pitch;
        tile_part = (depthwise ? width * height : input.pixels()) * pitch;
        weights = parts * weight_part;
        total = weights + parts * tile_part;
    }
};

// A block computes kOut channels of a tile of kWidth x kHeight pixels, a chunk of the channels in at a time.
template <typename T, int kOut, int kWidth, int kHeight>
__global__ void __launch_bounds__(kTileThreads, 2)
    tile_convolution_kernel(const __grid_constant__ TileConvolutionLaunch launch) {
    constexpr int kPixels = kWidth * kHeight;
    using Sums = ProductSums<T, kPixels, kOut, ChannelOrder::stored>;
    extern __shared__ __align__(16) unsigned char shared[];
    const int block = static_cast<int>(blockIdx.x);
    const int which = launch.blocks.task_of(block);
    const StepTask& task = launch.task[which];
    const int index = block - launch.blocks.first(which);
    const int groups = task.point.out / kOut;
    const int across = tiles_across(task.out, kWidth);
    const int first_out = index % groups * kOut;
    const int left = index / groups % across * kWidth;
    const int top = index / groups / across * kHeight;
    const int image = static_cast<int>(blockIdx.z);

    const bool depthwise = task.depth.weights != nullptr;
    const InputTile input(task, kWidth, kHeight);
    const int chunk = launch.chunk[which];
    const int pitch = chunk + 8;
    const SharedLayout layout(task, chunk, kOut, kWidth, kHeight, kParts<T>);
    __half* weights = reinterpret_cast<__half*>(shared);
    __half* tile = weights + layout.weights;

    // The lane's pixel of the first 16 rows of its warp.
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int pixel = Sums::first_row() + lane % 16;
    const int stride = depthwise ? 1 : task.stride;
    const int columns = depthwise ? kWidth : input.columns;
    const __half* row = tile + (pixel / kWidth * columns + pixel % kWidth) * stride * pitch + lane / 16 * 8;
    const int row_step = 16 / kWidth * stride * columns * pitch;
    const __half* column = weights + Sums::weight_row() * pitch + Sums::weight_column();

    trigger_launch_completion();
    load_weights<T, Sums, kOut>(weights, task, 0, chunk, first_out);
    Sums sums;
    sums.start(task.point.bias + first_out, task.point.scale);
    wait_for_previous();
    const int x_in = left * task.stride - task.padding;
    const int y_in = top * task.stride - task.padding;
    for (int first = 0; first < task.point.in; first += chunk) {
        if (first > 0) {
            __syncthreads();
            load_weights<T, Sums, kOut>(weights, task, first, chunk, first_out);
        }
        const Image<const T> in(task.in, image, first);
        if (depthwise) {
            if (task.stride == 1) {
                convolve_depthwise<T, kWidth, kHeight, 1>(tile, in, task, first, chunk, x_in, y_in);
            } else {
                convolve_depthwise<T, kWidth, kHeight, 2>(tile, in, task, first, chunk, x_in, y_in);
            }
        } else {
            load_input<T>(tile, in, Image<const T>(task.up, image, first), input, chunk, x_in, y_in);
        }
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        const int taps = taps_of_product(task);
        for (int tap = 0; tap < taps; ++tap) {
            const __half* from = row + (tap / task.kernel * columns + tap % task.kernel) * task.dilation * pitch;
            const __half* by = column + tap * kOut * pitch;
#pragma unroll 4
            for (int k = 0; k < chunk; k += 16) {
                sums.add_step(from + k, row_step, layout.tile_part, by + k, pitch, layout.weight_part);
            }
        }
    }

    const Image<T> out(task.out, image, first_out);
    const Image<const T> add(task.more, image, first_out);
    const float unscale = 1.0F / task.point.scale;
    sums.template for_each_row<kPixels>([&](int at, int channel, auto& values) {
        const int x = left + at % kWidth;
        const int y = top + at / kWidth;
        if (!out.holds(x, y)) return;
        constexpr int kCount = sizeof(values) / sizeof(float);
#pragma unroll
        for (float& v : values) v = activated<T>(v * unscale, task.activation);
        if (task.more.data != nullptr) {
            const auto more = *reinterpret_cast<const typename Sums::Values*>(add.at(x, y) + channel);
#pragma unroll
            for (int i = 0; i < kCount / 2; ++i) {
                const float2 pair = as_floats(more.pair[i]);
                values[2 * i] = activated<T>(values[2 * i] + pair.x, task.sum_activation);
                values[2 * i + 1] = activated<T>(values[2 * i + 1] + pair.y, task.sum_activation);
            }
        }
        *reinterpret_cast<typename Sums::Values*>(out.at(x, y) + channel) = Sums::values_of(values);
    });
}

struct BlockShape {
    int out, width, height;
};

// Those that have a kernel. The first fits every device.
constexpr BlockShape kShapes[] = {{16, 8, 8},  {32, 8, 8},  {64, 8, 8},   {16, 16, 8},
                                  {32, 16, 8}, {64, 16, 8}, {16, 16, 16}, {32, 16, 16}};

std::size_t shared_bytes(const StepTask& task, int chunk, const BlockShape& shape, int parts) {
    const SharedLayout layout(task, chunk, shape.out, shape.width, shape.height, parts);
    return static_cast<std::size_t>(layout.total) * sizeof(__half);
}

// Returns the largest chunk that divides the channels and fits, or 0. Of several taps the chunk determines the order of the
// sums. It is that of the first shape then: a batch, which may choose another shape, gives the same results.
int chunk_that_fits(const StepTask& task, const BlockShape& shape, int parts, std::size_t limit) {
    const BlockShape& decisive = taps_of_product(task) > 1 ? kShapes[0] : shape;
    const int steps = task.point.in / kChannelStep;
    for (int pieces = 1; pieces <= steps; ++pieces) {
        const int chunk = task.point.in / pieces;
        if (steps % pieces != 0 || chunk / 4 > kTileThreads) continue;
        if (shared_bytes(task, chunk, decisive, parts) > limit) continue;
        return shared_bytes(task, chunk, shape, parts) <= limit ? chunk : 0;
    }
    return 0;
}

int blocks_of(const StepTask& task, const BlockShape& shape) {
    return tile_count(task.out, shape.width, shape.height) * (task.point.out / shape.out);
}

// Returns the estimated cycles of a launch; infinity if the shape does not fit. Of a block: what it waits for (latency), and
// its share of a multiprocessor (work): bytes from the L2 cache at 64 per cycle, arithmetic before the product, and of that
// the larger of the instructions that load matrices and those that multiply. Two blocks per multiprocessor wait at the
// same time. The numbers are fitted to the times of all shapes for RetinaFace and YOLOX-Nano on an H200 (bench_gpu_cnn); the
// choices of each launch are together within 1 % of the best. By these estimates, the largest shape that occupies all
// multiprocessors takes 10 % longer, and the best of fewer shapes 4 % (five) to 36 % (two).
double launch_cycles(const StepTask* tasks, int count, int images, const BlockShape& shape, int parts,
                     int multiprocessors, std::size_t limit) {
    double blocks = 0;
    double work = 0;
    double longest_work = 0;
    double latency = 0;
    for (int i = 0; i < count; ++i) {
        const StepTask& task = tasks[i];
        const int chunk = chunk_that_fits(task, shape, parts, limit);
        if (chunk == 0 || task.point.out % shape.out != 0) return std::numeric_limits<double>::infinity();
        const double in = task.point.in;
        const double pixels = shape.width * shape.height;
        const double taps = taps_of_product(task);
        const double elements =
            in * InputTile(task, shape.width, shape.height).pixels() + (in * taps + pixels) * shape.out;
        const double before = task.depth.weights != nullptr ? 0.15 : parts == 2 ? 0.05 : 0.0;
        const double down = pixels / 64;
        const double across = shape.out / 16.0;
        const double load = parts * (4 * down + 2 * across);
        const double multiply = (parts == 2 ? 9 : 3) * down * across;
        const double work_of_block =
            2 * parts * elements / 64 + before * pixels * in + in / 16 * taps * 8 * std::max(load, multiply);
        const double blocks_of_task = 1.0 * blocks_of(task, shape) * images;
        blocks += blocks_of_task;
        work += blocks_of_task * work_of_block;
        longest_work = std::max(longest_work, work_of_block);
        latency = std::max(latency, 1000 + 1000 * in / chunk);
    }
    return latency * std::max(1.0, blocks / (2 * multiprocessors)) + std::max(longest_work, work / multiprocessors);
}

template <typename T>
void launch_in(const StepTask* tasks, int count, int images, const DeviceInfo& device, const LaunchChain& chain) {
    void (*const kernels[])(TileConvolutionLaunch) = {
        // in the order of kShapes
        tile_convolution_kernel<T, 16, 8, 8>,   tile_convolution_kernel<T, 32, 8, 8>,
        tile_convolution_kernel<T, 64, 8, 8>,   tile_convolution_kernel<T, 16, 16, 8>,
        tile_convolution_kernel<T, 32, 16, 8>,  tile_convolution_kernel<T, 64, 16, 8>,
        tile_convolution_kernel<T, 16, 16, 16>, tile_convolution_kernel<T, 32, 16, 16>};
    static_assert(std::size(kernels) == std::size(kShapes));
    const std::size_t limit = shared_limit(device);
    std::array<double, std::size(kShapes)> cycles;
    std::transform(std::begin(kShapes), std::end(kShapes), cycles.begin(), [&](const BlockShape& shape) {
        return launch_cycles(tasks, count, images, shape, kParts<T>, device.multiprocessors, limit);
    });
    const auto best = std::min_element(cycles.begin(), cycles.end()) - cycles.begin();
    const BlockShape& shape = kShapes[best];
    TileConvolutionLaunch launch;
    std::size_t shared = 0;
    for (int i = 0; i < count; ++i) {
        launch.task[i] = tasks[i];
        launch.chunk[i] = chunk_that_fits(tasks[i], shape, kParts<T>, limit);
        shared = std::max(shared, shared_bytes(tasks[i], launch.chunk[i], shape, kParts<T>));
    }
    launch.blocks = {count, [&](int i) { return blocks_of(tasks[i], shape); }};
    chain.launch("tile_convolution_kernel", kernels[best],
                 {dim3(launch.blocks.total(), 1, static_cast<unsigned>(images)), dim3(kTileThreads), shared}, launch);
}

}  // namespace

bool tile_convolution_fits(int kernel, int stride, int dilation) {
    StepTask task;
    task.kernel = kernel;
    task.stride = stride;
    task.dilation = dilation;
    return shared_bytes(task, kChannelStep, kShapes[0], kParts<float>) <= kSmallestShared;
}

void launch_tile_convolutions(const StepTask* tasks, int count, int images, Precision precision,
                              const DeviceInfo& device, const LaunchChain& chain) {
    precision == Precision::fp32 ? launch_in<float>(tasks, count, images, device, chain)
                                 : launch_in<__half>(tasks, count, images, device, chain);
}

}  // namespace throng::gpu
