#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "gpu/redact/redact_launch.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {
namespace {

constexpr int kWarp = 32;
constexpr int kCells = kRedactCells * kRedactCells;
constexpr int kSumRows = 4;                 // warps per block of the sums, each on rows of its own
constexpr std::int64_t kPartPixels = 4096;  // pixels of a cell per block of the sums
constexpr std::int64_t kMaxParts = 64;
constexpr int kTileHeight = 8;
constexpr int kTileThreads = kWarp * kTileHeight;
static_assert(kTileThreads >= kCells * kRedactChannels);  // one thread per mean

struct ShapeAxes {
    RedactAxis x, y;
};

__device__ ShapeAxes axes_of(const RedactShape& shape, int shift) {
    return {redact_axis(shape.clip_left, shape.clip_right, shape.cells_x, shift),
            redact_axis(shape.clip_top, shape.clip_bottom, shape.cells_y, shift)};
}

// A block for each cell of each shape (blockIdx.x), part of its rows (y) and plane (z).
__global__ void redact_sums_kernel(RedactImage image, const RedactShape* shapes, int num_shapes,
                                   unsigned long long* sums) {
    const RedactPlane& plane = image.planes[blockIdx.z];
    const int cell_x = blockIdx.x % kRedactCells;
    const int cell_y = blockIdx.x / kRedactCells % kRedactCells;
    const ShapeAxes axes = axes_of(shapes[blockIdx.x / kCells], plane.shift);
    if (cell_x >= axes.x.cells || cell_y >= axes.y.cells) return;
    const int right = redact_cell_begin(axes.x, cell_x + 1);
    const int bottom = redact_cell_begin(axes.y, cell_y + 1);
    const int first_x = redact_cell_begin(axes.x, cell_x) + threadIdx.x;
    const int first_y = redact_cell_begin(axes.y, cell_y) + blockIdx.y * kSumRows + threadIdx.y;
    unsigned long long sum[kRedactChannels] = {};
    for (int y = first_y; y < bottom; y += gridDim.y * kSumRows) {
        const std::uint8_t* row = plane.data + plane.pitch * y;
        for (int x = first_x; x < right; x += kWarp) {
            for (int c = 0; c < kRedactChannels; ++c) {
                if (c < plane.channels) sum[c] += row[static_cast<std::int64_t>(x) * plane.step + c];
            }
        }
    }
    unsigned long long* out =
        sums + (static_cast<std::int64_t>(blockIdx.z) * num_shapes * kCells + blockIdx.x) * kRedactChannels;
    for (int c = 0; c < kRedactChannels; ++c) {
        if (c >= plane.channels) break;
        for (int lane = kWarp / 2; lane > 0; lane /= 2) sum[c] += __shfl_down_sync(~0U, sum[c], lane);
        if (threadIdx.x == 0 && sum[c] != 0) atomicAdd(out + c, sum[c]);
    }
}

// Returns mean i of a shape, as they lie in memory: cells row by row, each with all channels.
__device__ std::uint8_t mean_of(const ShapeAxes& axes, int i, const unsigned long long* sums) {
    const int cell_x = i / kRedactChannels % kRedactCells;
    const int cell_y = i / kRedactChannels / kRedactCells;
    if (cell_x >= axes.x.cells || cell_y >= axes.y.cells) return 0;
    const auto width = redact_cell_begin(axes.x, cell_x + 1) - redact_cell_begin(axes.x, cell_x);
    const auto height = redact_cell_begin(axes.y, cell_y + 1) - redact_cell_begin(axes.y, cell_y);
    return redact_mean(sums[i], static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height));
}

// Draws one shape over a sample. means: of the shape.
__device__ void draw_sample(const RedactPlane& plane, const RedactShape& shape, const ShapeAxes& axes,
                            RedactStyle style, const std::uint8_t* means, int x, int y, std::uint8_t* sample) {
    if (x < axes.x.begin || x >= axes.x.end || y < axes.y.begin || y >= axes.y.end) return;
    const int opacity =
        shape.is_whole ? kOpaque
                       : redact_opacity(redact_offset(x, plane.shift, shape.left, shape.right, shape.inverse_width),
                                        redact_offset(y, plane.shift, shape.top, shape.bottom, shape.inverse_height));
    if (opacity == 0) return;
    const auto mean = [means](int cell_x, int cell_y, int c) {
        return static_cast<int>(means[(cell_y * kRedactCells + cell_x) * kRedactChannels + c]);
    };
    if (style != RedactStyle::blur) {
        const int cell_x = redact_cell_of(axes.x, x);
        const int cell_y = redact_cell_of(axes.y, y);
        for (int c = 0; c < plane.channels; ++c) sample[c] = redact_mix(sample[c], mean(cell_x, cell_y, c), opacity);
        return;
    }
    const RedactTaps across = redact_taps(axes.x, x);
    const RedactTaps down = redact_taps(axes.y, y);
    for (int c = 0; c < plane.channels; ++c) {
        int column[3];
        for (int i = 0; i < 3; ++i) {
            column[i] =
                redact_blend_column(mean(across.cell[i], down.cell[0], c), mean(across.cell[i], down.cell[1], c),
                                    mean(across.cell[i], down.cell[2], c), down);
        }
        const auto color = static_cast<std::uint8_t>(redact_blend_row(column[0], column[1], column[2], across));
        sample[c] = redact_mix(sample[c], color, opacity);
    }
}

// A block per tile of a plane (blockIdx.z), so that each sample is drawn over by all its shapes in their order.
__global__ void redact_draw_kernel(RedactImage image, const RedactShape* shapes, int num_shapes, RedactStyle style,
                                   const unsigned long long* sums) {
    __shared__ unsigned int hits[kTileHeight];  // bit i of word w: shape w * kWarp + i of the round touches the tile
    __shared__ std::uint8_t means[kCells * kRedactChannels];
    const RedactPlane& plane = image.planes[blockIdx.z];
    const int left = blockIdx.x * kWarp;
    const int top = blockIdx.y * kTileHeight;
    if (left >= plane.width || top >= plane.height) return;  // chroma is smaller than luma
    const int x = left + threadIdx.x;
    const int y = top + threadIdx.y;
    const bool inside = x < plane.width && y < plane.height;
    const int thread = threadIdx.y * kWarp + threadIdx.x;
    std::uint8_t* sample = plane.data + plane.pitch * y + static_cast<std::int64_t>(x) * plane.step;
    sums += static_cast<std::int64_t>(blockIdx.z) * num_shapes * kRedactSums;

    for (int first = 0; first < num_shapes; first += kTileThreads) {
        bool touches = false;
        if (first + thread < num_shapes) {
            const ShapeAxes axes = axes_of(shapes[first + thread], plane.shift);
            touches = axes.x.begin < left + kWarp && axes.x.end > left && axes.y.begin < top + kTileHeight &&
                      axes.y.end > top;
        }
        const unsigned int word = __ballot_sync(~0U, touches);
        if (__syncthreads_or(touches) == 0) continue;
        if (threadIdx.x == 0) hits[threadIdx.y] = word;
        __syncthreads();
        for (int w = 0; w < kTileHeight; ++w) {
            for (unsigned int bits = hits[w]; bits != 0; bits &= bits - 1) {
                const int i = first + w * kWarp + __ffs(bits) - 1;
                const RedactShape& shape = shapes[i];
                const ShapeAxes axes = axes_of(shape, plane.shift);
                __syncthreads();  // the means of the shape before have been read
                if (thread < kCells * kRedactChannels) means[thread] = mean_of(axes, thread, sums + i * kRedactSums);
                __syncthreads();
                if (inside) draw_sample(plane, shape, axes, style, means, x, y, sample);
            }
        }
    }
}

}  // namespace

void enqueue_redact_sums(const RedactImage& image, const RedactShape* d_shapes, int num_shapes, std::int64_t max_cell,
                         unsigned long long* d_sums, StreamView stream) {
    const auto parts = static_cast<unsigned int>(std::clamp<std::int64_t>(max_cell / kPartPixels, 1, kMaxParts));
    const dim3 grid(static_cast<unsigned int>(num_shapes) * kCells, parts, static_cast<unsigned int>(image.num_planes));
    LaunchChain(stream, false)
        .launch("redact_sums_kernel", redact_sums_kernel, LaunchSize{grid, dim3(kWarp, kSumRows)}, image, d_shapes,
                num_shapes, d_sums);
}

void enqueue_redact_draw(const RedactImage& image, const RedactShape* d_shapes, int num_shapes, RedactStyle style,
                         const unsigned long long* d_sums, StreamView stream) {
    const dim3 grid(static_cast<unsigned int>((image.width + kWarp - 1) / kWarp),
                    static_cast<unsigned int>((image.height + kTileHeight - 1) / kTileHeight),
                    static_cast<unsigned int>(image.num_planes));
    LaunchChain(stream, false)
        .launch("redact_draw_kernel", redact_draw_kernel, LaunchSize{grid, dim3(kWarp, kTileHeight)}, image, d_shapes,
                num_shapes, style, d_sums);
}

}  // namespace throng::gpu
