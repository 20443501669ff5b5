// From the frame's luma to the gradients of all levels: resizing, square roots, differences, magnitude, orientation.
// The resized image is never stored.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "gpu/hog/hog_launch.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu::gradient {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kPitch = kGradientWidth + 4;  // of the tile in shared memory, with one extra pixel on each side

// Square root with an error of 1 unit in the last place; the correctly rounded one takes eight instructions. Inputs
// below 1e-38 are treated as 0.
__device__ inline float fast_sqrt(float x) {
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
}

// Mirrors a coordinate at the edge without repeating the edge pixel.
__device__ inline int mirrored(int at, int size) {
    const int inside = at < 0 ? -at : at;
    return inside >= size ? 2 * size - 2 - inside : inside;
}

__device__ inline ResizeTap tap_of(const ResizeTap* taps, int first, int at) {
    return first < 0 ? ResizeTap{at, 256, 0} : taps[first + at];
}

// The pixels of a thread.
struct FourPixels {
    static constexpr int kPixels = 4;
    __device__ static void store(float* to, const float (&v)[4]) {
        *reinterpret_cast<float4*>(to) = make_float4(v[0], v[1], v[2], v[3]);
    }
    __device__ static void store(__half* to, const float (&v)[4]) {
        const __half2 pairs[2] = {__floats2half2_rn(v[0], v[1]), __floats2half2_rn(v[2], v[3])};
        *reinterpret_cast<uint2*>(to) = *reinterpret_cast<const uint2*>(pairs);
    }
};

struct PolynomialArcTangent {
    __device__ static float orientation(float dx, float dy) { return hog_orientation(dx, dy); }
};

// A column of the tile: the two columns of the image between which it is interpolated.
struct TileColumn {
    ResizeTap tap;
    int at;
    std::uint32_t left, right;
};

// A block computes a tile of 64 x 4 kPixels pixels, and a thread kPixels adjacent ones.
template <typename Value, typename Pixels, typename ArcTangent>
__global__ void __launch_bounds__(kThreads)
    hog_gradient_kernel(HogTables tables, const HogUnit* units, DeviceImage image, DetectionCount* clear) {
    constexpr int kPixels = Pixels::kPixels;
    constexpr int kRows = kThreads * kPixels / kGradientWidth;
    __shared__ float tile[kRows + 2][kPitch];
    if (clear != nullptr && blockIdx.x == 0 && threadIdx.x == 0) *clear = {};
    const HogUnit unit = units[blockIdx.x];
    const HogDeviceLevel& level = tables.levels[unit.level];

    // One warp per row, two columns per lane; the first warp also handles the two extra columns of the tile.
    const auto tile_column = [&](int column) {
        // Beyond the far edge of the level the tile is undefined: results computed from it are not stored.
        const int x = mirrored(min(unit.x + column - 1, level.width), level.width);
        const ResizeTap tap = tap_of(tables.taps, level.taps_x, x);
        const auto left = static_cast<std::uint32_t>(tap.offset);
        return TileColumn{tap, column, left, left + (tap.far != 0 ? 1U : 0U)};
    };
    // 32-bit offsets suffice, because a plane is smaller than 4 GB. 64-bit sums would dominate the work.
    const auto fill_row = [&](int row, auto... columns) {
        const int y = mirrored(min(unit.y + row - 1, level.height), level.height);
        const ResizeTap tap = tap_of(tables.taps, level.taps_y, y);
        const auto pitch = static_cast<std::uint32_t>(image.luma_pitch);
        const std::uint32_t above = static_cast<std::uint32_t>(tap.offset) * pitch;
        const std::uint32_t below = tap.far != 0 ? above + pitch : above;
        const auto fill = [&](const TileColumn& column) {
            const std::uint8_t* luma = image.luma;
            const auto pixel = static_cast<float>(resize_pixel(
                __ldg(luma + (above + column.left)), __ldg(luma + (above + column.right)),
                __ldg(luma + (below + column.left)), __ldg(luma + (below + column.right)), column.tap, tap));
            tile[row][column.at] = tables.gamma ? fast_sqrt(pixel) : pixel;
        };
        (fill(columns), ...);
    };
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const TileColumn first = tile_column(lane);
    const TileColumn second = tile_column(lane + 32);
#pragma unroll
    for (int k = 0; k < (kRows + 2 + kWarps - 1) / kWarps; ++k) {
        const int row = warp + k * kWarps;
        if (row < kRows + 2) fill_row(row, first, second);
    }
    if (threadIdx.x < (kRows + 2) * 2) {
        fill_row(static_cast<int>(threadIdx.x) / 2, tile_column(kGradientWidth + static_cast<int>(threadIdx.x) % 2));
    }
    __syncthreads();

    constexpr int kAcross = kGradientWidth / kPixels;
    const int column = static_cast<int>(threadIdx.x) % kAcross * kPixels;
    const int row = static_cast<int>(threadIdx.x) / kAcross;
    const int pitch = level.cells * kHogCell;
    if (unit.x + column >= pitch || unit.y + row >= level.cell_rows * kHogCell) return;
    float magnitude[kPixels];
    float orientation[kPixels];
#pragma unroll
    for (int k = 0; k < kPixels; ++k) {
        const int at = column + k + 1;
        const float dx = tile[row + 1][at + 1] - tile[row + 1][at - 1];
        const float dy = tile[row + 2][at] - tile[row][at];
        magnitude[k] = fast_sqrt(hog_fma(dx, dx, dy * dy));
        orientation[k] = ArcTangent::orientation(dx, dy);
    }
    const std::int64_t to = level.pixels + static_cast<std::int64_t>(unit.y + row) * pitch + unit.x + column;
    Pixels::store(static_cast<Value*>(tables.magnitude) + to, magnitude);
    Pixels::store(static_cast<Value*>(tables.orientation) + to, orientation);
}

template <typename Value, typename Pixels, typename ArcTangent>
void launch(const HogLaunch& work) {
    static_assert(kGradientWidth == 64 && kThreads * 4 == kGradientWidth * kGradientRows);
    static_assert(kThreads == kGradientWidth * kGradientRowsOfOne);
    LaunchChain(work.stream, false)
        .launch("hog_gradient_kernel", hog_gradient_kernel<Value, Pixels, ArcTangent>,
                LaunchSize{work.blocks(), kThreads}, work.tables, work.first_unit(), work.image, work.clear);
}

}  // namespace throng::gpu::gradient
