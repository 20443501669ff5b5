#include <cuda_runtime.h>

#include <bit>

#include "gpu/nms/box_grid.cuh"

namespace throng::gpu {
namespace {

constexpr int kThreads = 256;
constexpr std::uint32_t kNoCell = 0xFFFFFFFFU;

// Drops what is invalid, finds each detection's cell and its place among those of the cell.
__global__ void __launch_bounds__(kThreads) assign_cells_kernel(BoxGrid g, NmsTask task, float extent) {
    const std::uint32_t n = stored_count(task.raw);
    if (n < g.least) return;
    const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
    __shared__ std::uint32_t levels[GridHeader::kLevelWords];
    if (threadIdx.x < GridHeader::kLevelWords) levels[threadIdx.x] = 0;
    __syncthreads();
    bool valid = true;
    bool coarse = false;
    if (i < n) {
        const Box box = load_box(task.raw.boxes, i);
        valid = is_valid_detection(box, task.raw.scores[i]);
        std::uint32_t cell = kNoCell;
        if (valid) {
            const Extents e = extents_of(box, extent);
            const int level = level_of(e);
            const float scale = cell_scale(level);
            coarse = is_coarse(e, box, extent);
            cell = cell_index(g, level, cell_coordinate(e.left, scale), cell_coordinate(e.top, scale));
            g.raw_slot[i] = atomicAdd(&g.cells[cell].count, 1U);
            if ((levels[level / 32] >> (level % 32) & 1U) == 0) atomicOr(&levels[level / 32], 1U << (level % 32));
        }
        g.raw_cell[i] = cell;
        if (task.owner != nullptr) task.owner[i] = -1;
    }
    const int invalid = __syncthreads_count(valid ? 0 : 1);
    const int any_coarse = __syncthreads_or(coarse ? 1 : 0);
    if (threadIdx.x < GridHeader::kLevelWords && levels[threadIdx.x] != 0) {
        atomicOr(&g.header->levels[threadIdx.x], levels[threadIdx.x]);
    }
    if (threadIdx.x == 0) {
        if (invalid != 0) atomicAdd(&g.header->invalid, static_cast<std::uint32_t>(invalid));
        if (any_coarse != 0) g.header->coarse = 1;
    }
}

// Gives each cell its stretch of the records: cells of a block side by side, blocks in any order.
__global__ void __launch_bounds__(kThreads) allot_cells_kernel(BoxGrid g, NmsTask task) {
    if (stored_count(task.raw) < g.least) return;
    const std::uint32_t cell = blockIdx.x * kThreads + threadIdx.x;  // their number is a multiple of kThreads
    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t warp = threadIdx.x / 32;
    const std::uint32_t count = g.cells[cell].count;
    std::uint32_t sum = count;
    for (std::uint32_t step = 1; step < 32; step *= 2) {
        const std::uint32_t other = __shfl_up_sync(0xFFFFFFFFU, sum, step);
        if (lane >= step) sum += other;
    }
    __shared__ std::uint32_t sums[kThreads / 32];
    __shared__ std::uint32_t start;
    if (lane == 31) sums[warp] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        std::uint32_t total = 0;
        for (std::uint32_t& s : sums) {
            const std::uint32_t before = total;
            total += s;
            s = before;
        }
        start = total != 0 ? atomicAdd(&g.header->stored, total) : 0;
    }
    __syncthreads();
    if (count != 0) g.cells[cell].start = start + sums[warp] + sum - count;
}

__global__ void __launch_bounds__(kThreads) fill_cells_kernel(BoxGrid g, NmsTask task) {
    const std::uint32_t n = stored_count(task.raw);
    const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
    if (n < g.least || i >= n) return;
    const std::uint32_t cell = g.raw_cell[i];
    if (cell == kNoCell) return;
    const std::uint32_t r = g.cells[cell].start + g.raw_slot[i];
    store_box(g.boxes, r, load_box(task.raw.boxes, i));
    g.meta[r] = std::uint64_t{i} << 32 | __float_as_uint(task.raw.scores[i]);
    g.cell_of[r] = cell;
}

}  // namespace

BoxGridStorage::BoxGridStorage(std::int32_t capacity) {
    const auto n = static_cast<std::uint32_t>(capacity);
    const std::uint32_t cells = std::bit_ceil(n < 4096U ? 4096U : n);
    const int bits = std::countr_zero(cells);
    columns_ = 1U << ((bits + 1) / 2);
    rows_ = cells / columns_;
    cells_ = DeviceBuffer<GridCell>(cells + (sizeof(GridHeader) + sizeof(GridCell) - 1) / sizeof(GridCell));
    boxes_ = DeviceBuffer<Box>(n);
    meta_ = DeviceBuffer<std::uint64_t>(n);
    cell_of_ = DeviceBuffer<std::uint32_t>(n);
    raw_cell_ = DeviceBuffer<std::uint32_t>(n);
    raw_slot_ = DeviceBuffer<std::uint32_t>(n);
}

BoxGrid BoxGridStorage::view(std::uint32_t least) const {
    BoxGrid g{};
    g.cells = cells_.data();
    g.header = reinterpret_cast<GridHeader*>(cells_.data() + std::size_t{columns_} * rows_);
    g.columns = columns_;
    g.rows = rows_;
    g.boxes = boxes_.data();
    g.meta = meta_.data();
    g.cell_of = cell_of_.data();
    g.raw_cell = raw_cell_.data();
    g.raw_slot = raw_slot_.data();
    g.least = least;
    return g;
}

std::size_t BoxGridStorage::bytes() const {
    return cells_.bytes() + boxes_.bytes() + meta_.bytes() + cell_of_.bytes() + raw_cell_.bytes() + raw_slot_.bytes();
}

void launch_grid_build(const BoxGrid& g, const NmsTask& task, float extent, StreamView stream) {
    const std::size_t cells = std::size_t{g.columns} * g.rows;
    check_cuda(cudaMemsetAsync(g.cells, 0, cells * sizeof(GridCell) + sizeof(GridHeader), stream), "clearing the grid");
    const auto blocks = static_cast<unsigned>((task.raw.capacity + kThreads - 1) / kThreads);
    assign_cells_kernel<<<blocks, kThreads, 0, stream>>>(g, task, extent);
    check_launch("assign_cells_kernel", stream);
    allot_cells_kernel<<<static_cast<unsigned>(cells / kThreads), kThreads, 0, stream>>>(g, task);
    check_launch("allot_cells_kernel", stream);
    fill_cells_kernel<<<blocks, kThreads, 0, stream>>>(g, task);
    check_launch("fill_cells_kernel", stream);
}

}  // namespace throng::gpu
