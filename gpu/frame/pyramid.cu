// Kernels for resizing with running sums along the rows, sums down the columns, and tilted sums.
#include <cuda_runtime.h>

#include "gpu/frame/pyramid_kernels.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {
namespace {

constexpr int kRowThreads = 128;
constexpr int kRowPixels = 4;  // adjacent pixels per thread: one 16-byte load of taps, one store of sums
constexpr int kDownWarps = 8;  // warps per block that sums down 32 columns
constexpr int kDownRows = 16;  // rows per thread, in registers

constexpr unsigned kWholeWarp = 0xFFFFFFFFU;

// Without kSquares, squares is 0.
template <bool kSquares>
struct Sums {
    std::uint32_t sum, squares;
};

template <bool kSquares>
__device__ Sums<kSquares> operator+(Sums<kSquares> a, Sums<kSquares> b) {
    return {a.sum + b.sum, kSquares ? a.squares + b.squares : 0};
}

// Inclusive prefix sum over the lanes of a warp.
template <bool kSquares>
__device__ Sums<kSquares> warp_inclusive(Sums<kSquares> v, int lane) {
    for (int step = 1; step < 32; step *= 2) {
        Sums<kSquares> before = {__shfl_up_sync(kWholeWarp, v.sum, step), 0};
        if (kSquares) before.squares = __shfl_up_sync(kWholeWarp, v.squares, step);
        if (lane >= step) v = v + before;
    }
    return v;
}

__device__ std::uint8_t resized_pixel(const std::uint8_t* above, const std::uint8_t* below, ResizeTap x, ResizeTap y) {
    const int next = x.offset + (x.far != 0 ? 1 : 0);
    return resize_pixel(__ldg(above + x.offset), __ldg(above + next), __ldg(below + x.offset), __ldg(below + next), x,
                        y);
}

// One block per row of a level: stores running sums along the row, offset by one row and one column, at their final
// position in the integral image.
template <bool kSquares>
__global__ void __launch_bounds__(kRowThreads)
    resize_rows_kernel(PyramidTables tables, DeviceImage frame, int first_row, ClearWords clear) {
    if (blockIdx.x == 0) {
        for (int i = threadIdx.x; i < clear.count; i += kRowThreads) clear.words[i] = 0;
        for (int i = threadIdx.x; i < clear.more_count; i += kRowThreads) clear.more[i] = 0;
    }
    __shared__ Sums<kSquares> warp_sums[2][kRowThreads / 32];
    const int row = first_row + blockIdx.x;
    const PyramidLevel level = tables.levels[tables.row_level[row]];
    const int y = row - level.first_row;

    const ResizeTap tap_y = unpack_tap(tables.taps[level.taps_y + y]);
    const std::uint8_t* above = frame.luma + static_cast<std::int64_t>(tap_y.offset) * frame.luma_pitch;
    const std::uint8_t* below = tap_y.far != 0 ? above + frame.luma_pitch : above;
    std::uint32_t* out = tables.entries + level.origin + static_cast<std::int64_t>(y + 1) * tables.pitch + 1;
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    Sums<kSquares> carry{};
    for (int first = 0, turn = 0; first < level.width; first += kRowThreads * kRowPixels, turn ^= 1) {
        const int x = first + threadIdx.x * kRowPixels;
        std::uint32_t taps[kRowPixels] = {};
        if (x < level.width) {
            const uint4 loaded = __ldg(reinterpret_cast<const uint4*>(tables.taps + level.taps_x + x));
            taps[0] = loaded.x, taps[1] = loaded.y, taps[2] = loaded.z, taps[3] = loaded.w;
        }
        Sums<kSquares> running[kRowPixels];
        Sums<kSquares> total{};
#pragma unroll
        for (int k = 0; k < kRowPixels; ++k) {
            std::uint32_t pixel = 0;
            if (x + k < level.width) pixel = resized_pixel(above, below, unpack_tap(taps[k]), tap_y);
            total = total + Sums<kSquares>{pixel, kSquares ? pixel * pixel : 0};
            running[k] = total;
        }
        const Sums<kSquares> inclusive = warp_inclusive(total, lane);
        if (lane == 31) warp_sums[turn][warp] = inclusive;
        __syncthreads();
        Sums<kSquares> before = carry + Sums<kSquares>{inclusive.sum - total.sum, inclusive.squares - total.squares};
        for (int w = 0; w < kRowThreads / 32; ++w) {
            const Sums<kSquares> other = warp_sums[turn][w];
            if (w < warp) before = before + other;
            carry = carry + other;
        }
        if (x + kRowPixels <= level.width) {
            *reinterpret_cast<uint4*>(out + x) = make_uint4(before.sum + running[0].sum, before.sum + running[1].sum,
                                                            before.sum + running[2].sum, before.sum + running[3].sum);
            if (kSquares) {
                *reinterpret_cast<uint4*>(out + tables.squares + x) =
                    make_uint4(before.squares + running[0].squares, before.squares + running[1].squares,
                               before.squares + running[2].squares, before.squares + running[3].squares);
            }
        } else {
            for (int k = 0; k < kRowPixels && x + k < level.width; ++k) {
                out[x + k] = before.sum + running[k].sum;
                if (kSquares) out[tables.squares + x + k] = before.squares + running[k].squares;
            }
        }
    }
}

// Computes running sums down a strip of 32 columns with one block. A thread holds kDownRows values of its column. The
// warps' totals are exchanged through shared memory. read(row) and write(row, sum) access the thread's column.
template <typename Read, typename Write>
__device__ void sum_down(int rows, Read read, Write write) {
    __shared__ std::uint32_t totals[2][kDownWarps][kStripColumns];
    const int lane = threadIdx.x % kStripColumns;
    const int warp = threadIdx.x / kStripColumns;
    std::uint32_t carry = 0;
    for (int first = 0, turn = 0; first < rows; first += kDownWarps * kDownRows, turn ^= 1) {
        const int top = first + warp * kDownRows;
        std::uint32_t value[kDownRows];
#pragma unroll
        for (int k = 0; k < kDownRows; ++k) value[k] = top + k < rows ? read(top + k) : 0;
#pragma unroll
        for (int k = 1; k < kDownRows; ++k) value[k] += value[k - 1];
        totals[turn][warp][lane] = value[kDownRows - 1];
        __syncthreads();
        std::uint32_t before = carry;
#pragma unroll
        for (int w = 0; w < kDownWarps; ++w) {
            const std::uint32_t total = totals[turn][w][lane];
            if (w < warp) before += total;
            carry += total;
        }
#pragma unroll
        for (int k = 0; k < kDownRows; ++k) {
            if (top + k < rows) write(top + k, before + value[k]);
        }
    }
}

__global__ void __launch_bounds__(kDownWarps * 32) sum_columns_kernel(PyramidTables tables, int first_strip) {
    const int strip = first_strip + blockIdx.x;
    const PyramidLevel level = tables.levels[tables.strip_level[strip]];
    const int x = (strip - level.first_strip) * kStripColumns + static_cast<int>(threadIdx.x) % kStripColumns;
    const bool inside = x < level.width;
    std::uint32_t* column =
        tables.entries + (blockIdx.y == 1 ? tables.squares : 0) + level.origin + tables.pitch + 1 + x;
    const std::int64_t pitch = tables.pitch;
    sum_down(
        level.height, [=](int row) { return inside ? column[row * pitch] : 0; },
        [=](int row, std::uint32_t sum) {
            if (inside) column[row * pitch] = sum;
        });
}

// The cone above (x, y) is, row by row, the difference of two running sums whose ends move along the two diagonals
// through (x, y). kLean = -1 sums down the diagonals x + y = d and writes; +1 sums down those of x - y = d and
// subtracts.
template <int kLean>
__global__ void __launch_bounds__(kDownWarps * 32) tilted_sums_kernel(PyramidTables tables, int first_slant) {
    const int strip = first_slant + blockIdx.x;
    const PyramidLevel level = tables.levels[tables.slant_level[strip]];
    const int number = (strip - level.first_slant) * kStripColumns + static_cast<int>(threadIdx.x) % kStripColumns;
    // Diagonals are numbered from the leftmost that intersects the image: at row y, x = start + kLean * y.
    const int start = kLean < 0 ? number + 1 : number - level.height;
    const std::uint32_t* sums = tables.entries + level.origin;
    std::uint32_t* tilted = tables.entries + tables.tilted + level.origin;
    const std::int64_t pitch = tables.pitch;
    const int width = level.width;
    // Row r of sum_down is row r + 1 of the integral image.
    sum_down(
        level.height,
        [=](int row) {
            const int x = start + kLean * (row + 1);
            const int end = min(max(kLean < 0 ? x : x - 1, 0), width);
            const std::uint32_t* at = sums + row * pitch + end;
            return at[pitch] - at[0];
        },
        [=](int row, std::uint32_t sum) {
            const int x = start + kLean * (row + 1);
            if (x < 0 || x > width) return;
            std::uint32_t* at = tilted + (row + 1) * pitch + x;
            *at = kLean < 0 ? sum : *at - sum;
        });
}

}  // namespace

void launch_resize_rows(const PyramidTables& tables, const DeviceImage& frame, int first_row, int end_row,
                        const ClearWords& clear, StreamView stream) {
    if (end_row <= first_row) return;
    const auto kernel = tables.squares != 0 ? resize_rows_kernel<true> : resize_rows_kernel<false>;
    LaunchChain(stream, false)
        .launch("resize_rows_kernel", kernel, LaunchSize{end_row - first_row, kRowThreads}, tables, frame, first_row,
                clear);
}

void launch_sum_columns(const PyramidTables& tables, int first_strip, int end_strip, int planes, StreamView stream) {
    if (end_strip <= first_strip) return;
    const dim3 grid(end_strip - first_strip, planes);
    LaunchChain(stream, false)
        .launch("sum_columns_kernel", sum_columns_kernel, LaunchSize{grid, kDownWarps * 32}, tables, first_strip);
}

void launch_tilted_sums(const PyramidTables& tables, int first_slant, int end_slant, StreamView stream) {
    if (end_slant <= first_slant) return;
    const LaunchSize size{end_slant - first_slant, kDownWarps * 32};
    for (const auto kernel : {tilted_sums_kernel<-1>, tilted_sums_kernel<1>})
        LaunchChain(stream, false).launch("tilted_sums_kernel", kernel, size, tables, first_slant);
}

}  // namespace throng::gpu
