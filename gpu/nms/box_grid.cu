#include <cuda_runtime.h>

#include <algorithm>
#include <bit>

#include "gpu/nms/box_grid.cuh"
#include "gpu/nms/chained.h"

namespace throng::gpu {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::uint32_t kMostCells = 1U << 28;  // columns and the number of them fit half a word
constexpr std::uint32_t kNoCell = 0xFFFFFFFFU;
constexpr std::uint32_t kAllotted = kThreads * 4;  // cells that a block of allot_cells_kernel lays side by side
static_assert(kAllotted % BoxGrid::kSegment == 0);

// Drops what is invalid, finds each detection's cell and its place among those of the cell.
__global__ void __launch_bounds__(kThreads)
    assign_cells_kernel(BoxGrid g, NmsTask task, float extent, std::uint32_t* d_clear, std::uint32_t clear) {
    wait_for_previous();
    let_next_start();
    const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
    // Before the count is known, to wait once for all.
    const bool there = i < static_cast<std::uint32_t>(task.raw.capacity);
    const Box box = there ? load_box(task.raw.boxes, i) : Box{};
    const float score = there ? task.raw.scores[i] : 0.0F;
    const std::uint32_t n = stored_count(task.raw);
    if (n < g.least) return;
    for (std::uint32_t k = i; k < clear; k += gridDim.x * kThreads) d_clear[k] = 0;
    if (blockIdx.x * kThreads >= n) return;

    __shared__ GridSums sums;
    constexpr std::uint32_t kWords = sizeof(GridSums) / sizeof(std::uint32_t);
    auto* words = reinterpret_cast<std::uint32_t*>(&sums);
    if (threadIdx.x < kWords) words[threadIdx.x] = 0;
    __syncthreads();
    std::uint32_t key = kInvalidKey;
    bool coarse = false;
    GridPlace place{kNoCell, 0};
    if (i < n) {
        if (is_valid_detection(box, score)) {
            const Extents e = extents_of(box, extent);
            const int level = level_of(e);
            const float scale = cell_scale(level);
            coarse = is_coarse(e, box, extent);
            key = score_key(score);
            place.cell = cell_index(g, level, cell_coordinate(e.left, scale * static_cast<float>(BoxGrid::kFine)),
                                    cell_coordinate(e.top, scale));
            place.slot = atomicAdd(&g.counts[place.cell], 1U);
            if ((sums.levels[level / 32] >> (level % 32) & 1U) == 0)
                atomicOr(&sums.levels[level / 32], 1U << (level % 32));
        }
        if (task.owner != nullptr) task.owner[i] = -1;
    }
    const std::uint32_t best = warp_max(key);
    const std::uint32_t worst = warp_max(key != kInvalidKey ? ~key : 0);
    if ((threadIdx.x & 31) == 0) {
        atomicMax(&sums.best_key, best);
        atomicMax(&sums.worst_key, worst);
    }
    if (coarse) atomicOr(&sums.coarse, 1U);
    const int invalid = __syncthreads_count(i < n && key == kInvalidKey ? 1 : 0);
    if (threadIdx.x == 0) sums.invalid = static_cast<std::uint32_t>(invalid);
    __syncthreads();
    if (i < n) g.places[i] = place;  // the slot has been long on its way
    if (threadIdx.x < kWords && words[threadIdx.x] != 0) {
        std::uint32_t* all = reinterpret_cast<std::uint32_t*>(g.sums) + threadIdx.x;
        const std::uint32_t mine = words[threadIdx.x];
        if (&words[threadIdx.x] == &sums.invalid) {
            atomicAdd(all, mine);
        } else if (&words[threadIdx.x] == &sums.best_key || &words[threadIdx.x] == &sums.worst_key) {
            atomicMax(all, mine);
        } else {
            atomicOr(all, mine);
        }
    }
}

// Hands the sums on to the searches.
__device__ void publish_sums(const BoxGrid& g, std::uint32_t n) {
    GridHeader header{};
    header.sums = *g.sums;
    *g.sums = GridSums{};
    header.stored = n - header.sums.invalid;
    for (int word = GridSums::kLevelWords - 1; word >= 0; --word) {
        if (header.sums.levels[word] != 0) header.lowest = word * 32 + __ffs(header.sums.levels[word]) - 1;
    }
    for (int word = 0; word < GridSums::kLevelWords; ++word) {
        if (header.sums.levels[word] != 0) header.highest = word * 32 + 31 - __clz(header.sums.levels[word]);
    }
    *g.header = header;
}

// Gives each cell its stretch of the records: cells of a block side by side, blocks in any order. Leaves the counts
// and sums at 0 for the next frame. One block more than these.
__global__ void __launch_bounds__(kThreads) allot_cells_kernel(BoxGrid g, NmsTask task) {
    wait_for_previous();
    let_next_start();
    const bool last = blockIdx.x == gridDim.x - 1;
    const std::uint32_t four = blockIdx.x * kThreads + threadIdx.x;  // cells
    uint4 counts{};
    if (!last) counts = reinterpret_cast<const uint4*>(g.counts)[four];
    const std::uint32_t n = stored_count(task.raw);
    if (n < g.least) return;
    if (last) {
        if (threadIdx.x == 0) publish_sums(g, n);
        return;
    }
    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t warp = threadIdx.x / 32;
    const std::uint32_t count = counts.x + counts.y + counts.z + counts.w;
    if (count != 0) reinterpret_cast<uint4*>(g.counts)[four] = uint4{};
    std::uint32_t sum = count;
    for (std::uint32_t step = 1; step < 32; step *= 2) {
        const std::uint32_t other = __shfl_up_sync(kWholeWarp, sum, step);
        if (lane >= step) sum += other;
    }
    __shared__ std::uint32_t warp_sums[kThreads / 32];
    __shared__ std::uint32_t start;
    if (lane == 31) warp_sums[warp] = sum;
    __syncthreads();
    std::uint32_t before = 0;
    for (std::uint32_t w = 0; w < warp; ++w) before += warp_sums[w];
    if (threadIdx.x == kThreads - 1) {
        const std::uint32_t total = before + sum;
        start = total != 0 ? atomicAdd(g.allotted, total) : 0;
    }
    __syncthreads();
    const std::uint32_t x = start + before + sum - count;
    const std::uint32_t y = x + counts.x;
    const std::uint32_t z = y + counts.y;
    uint4* cells = reinterpret_cast<uint4*>(g.cells) + std::size_t{four} * 2;
    cells[0] = make_uint4(x, counts.x, y, counts.y);
    cells[1] = make_uint4(z, counts.z, z + counts.z, counts.w);
}

__global__ void __launch_bounds__(kThreads) fill_cells_kernel(BoxGrid g, NmsTask task, float extent) {
    const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
    wait_for_previous();
    let_next_start();
    // Before the count is known, to wait once for all.
    const bool there = i < static_cast<std::uint32_t>(task.raw.capacity);
    const GridPlace place = there ? g.places[i] : GridPlace{kNoCell, 0};
    const Box b = there ? load_box(task.raw.boxes, i) : Box{};
    const float score = there ? task.raw.scores[i] : 0.0F;
    const std::uint32_t n = stored_count(task.raw);
    if (n < g.least) return;
    if (i == 0) *g.allotted = 0;
    if (i >= n || place.cell == kNoCell) return;
    float4* to = reinterpret_cast<float4*>(g.records + g.cells[place.cell].start + place.slot);
    to[0] = make_float4(b.x, b.y, b.x + b.w, b.y + b.h);
    to[1] = make_float4(score, box_area(b, extent), __uint_as_float(i), 0.0F);
}

unsigned blocks_for(std::int32_t items) {
    return (static_cast<unsigned>(items) + kThreads - 1) / kThreads;
}

constexpr std::size_t kSumWords = sizeof(GridSums) / sizeof(std::uint32_t);
constexpr std::size_t kHeaderCells = (sizeof(GridHeader) + sizeof(GridCell) - 1) / sizeof(GridCell);

}  // namespace

BoxGridStorage::BoxGridStorage(std::int32_t capacity, StreamView stream) {
    const auto n = static_cast<std::uint32_t>(capacity);
    // Four for each detection: with fewer, more places share a cell; more take longer to clear.
    const std::uint32_t cells = std::bit_ceil(std::clamp(n, 4096U, kMostCells / 4)) * 4;
    const int bits = std::countr_zero(cells);
    columns_ = std::max(1U << ((bits + 1) / 2 + 1), BoxGrid::kSegment);
    rows_ = cells / columns_;
    counts_ = DeviceBuffer<std::uint32_t>(cells + kSumWords + 1);
    cells_ = DeviceBuffer<GridCell>(cells + kHeaderCells);
    records_ = DeviceBuffer<GridRecord>(n);
    places_ = DeviceBuffer<GridPlace>(n);
    fill_bytes(counts_, 0, stream);
    fill_bytes(cells_, 0, stream);
    // Loaded before it is known how many there are.
    fill_bytes(records_, 0, stream);
    fill_bytes(places_, 0, stream);
}

BoxGrid BoxGridStorage::view(std::uint32_t least) const {
    const std::size_t cells = std::size_t{columns_} * rows_;
    BoxGrid g{};
    g.counts = counts_.data();
    g.sums = reinterpret_cast<GridSums*>(counts_.data() + cells);
    g.allotted = counts_.data() + cells + kSumWords;
    g.cells = cells_.data();
    g.header = reinterpret_cast<GridHeader*>(cells_.data() + cells);
    g.columns = columns_;
    g.rows = rows_;
    g.records = records_.data();
    g.places = places_.data();
    g.least = least;
    return g;
}

std::size_t BoxGridStorage::bytes() const {
    return counts_.bytes() + cells_.bytes() + records_.bytes() + places_.bytes();
}

void launch_grid_build(const BoxGrid& g, const NmsTask& task, float extent, std::uint32_t* d_clear, std::size_t clear,
                       const LaunchChain& chain) {
    const unsigned blocks = blocks_for(task.raw.capacity);
    chain.launch("assign_cells_kernel", assign_cells_kernel, blocks, kThreads, g, task, extent, d_clear,
                 static_cast<std::uint32_t>(clear));
    chain.launch("allot_cells_kernel", allot_cells_kernel, g.columns * g.rows / kAllotted + 1, kThreads, g, task);
    chain.launch("fill_cells_kernel", fill_cells_kernel, blocks, kThreads, g, task, extent);
}

}  // namespace throng::gpu
