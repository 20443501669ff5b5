#include <cuda_runtime.h>

#include <algorithm>
#include <bit>

#include "gpu/nms/box_grid_build.cuh"
#include "gpu/nms/chained.h"

namespace throng::gpu {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::uint32_t kMaxCells = 1U << 28;          // columns and the number of them fit half a word
static_assert(kThreads * 4 % BoxGrid::kSegment == 0);  // a block of allot_cells_kernel lays segments side by side

__global__ void __launch_bounds__(kThreads) assign_cells_kernel(GridBuild build, NmsTask task) {
    wait_for_previous();
    let_next_start();  // not earlier: fill_cells_kernel looks at the detections before it waits
    const RawDetection detection(task.raw, blockIdx.x * kThreads + threadIdx.x);
    const std::uint32_t n = stored_count(task.raw);
    if (n >= build.grid.least) assign_cells<kThreads>(build, task, detection, n);
}

__global__ void __launch_bounds__(kThreads) allot_cells_kernel(GridBuild build, NmsTask task) {
    let_next_start();
    wait_for_previous();
    const uint4 counts = load_counts(build.grid, kThreads, gridDim.x - 1);
    const std::uint32_t n = stored_count(task.raw);
    if (n >= build.grid.least) allot_cells(build, n, kThreads, gridDim.x - 1, counts);
}

// The detections were there before any kernel in front of this one that may still run.
__global__ void __launch_bounds__(kThreads) fill_cells_kernel(GridBuild build, NmsTask task) {
    const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
    let_next_start();
    const std::uint32_t n = stored_count_now(task.raw);
    const PlacedRecord record(build, RawDetection(task.raw, i), i, n);
    wait_for_previous(record.cell);
    if (n >= build.grid.least) fill_cell(build, record, i);
}

unsigned blocks_for(std::int32_t items) {
    return (static_cast<unsigned>(items) + kThreads - 1) / kThreads;
}

SearchBounds make_search_bounds(const NmsRuleSet& rules) {
    const bool by_size = rules.overlap == Overlap::iou && rules.smallest_overlap > 1e-3F;
    const float ratio = rules.smallest_overlap * 0.98F;  // what is_coarse allows, and more
    return {by_size ? ratio : 0.0F, by_size ? 1.0F / ratio : 0.0F, rules.disjoint};
}

constexpr std::size_t kSumWords = sizeof(GridSums) / sizeof(std::uint32_t);
constexpr std::size_t kHeaderCells = (sizeof(GridHeader) + sizeof(GridCell) - 1) / sizeof(GridCell);

}  // namespace

BoxGridStorage::BoxGridStorage(std::int32_t capacity, StreamView stream) {
    const auto n = static_cast<std::uint32_t>(capacity);
    // Four for each detection: with fewer, more places share a cell; more take longer to clear.
    const std::uint32_t cells = std::bit_ceil(std::clamp(n, 4096U, kMaxCells / 4)) * 4;
    const int bits = std::countr_zero(cells);
    columns_ = std::max(1U << ((bits + 1) / 2 + 1), BoxGrid::kSegment);
    rows_ = cells / columns_;
    counts_ = DeviceBuffer<std::uint32_t>(cells + kSumWords + 1);
    cells_ = DeviceBuffer<GridCell>(cells + kHeaderCells);
    records_ = DeviceBuffer<GridRecord>(n + BoxGrid::kNobody);
    slots_ = DeviceBuffer<std::uint32_t>(n);
    fill_bytes(counts_, 0, stream);
    fill_bytes(cells_, 0, stream);
    fill_bytes(records_, 0xFF, stream);  // some are loaded before it is known how many there are
}

BoxGrid BoxGridStorage::view(const NmsRuleSet& rules, std::uint32_t least) const {
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
    g.nobody = static_cast<std::uint32_t>(records_.size()) - BoxGrid::kNobody;
    g.slots = slots_.data();
    g.least = least;
    g.bounds = make_search_bounds(rules);
    return g;
}

std::size_t BoxGridStorage::bytes() const {
    return counts_.bytes() + cells_.bytes() + records_.bytes() + slots_.bytes();
}

void launch_grid_fill(const GridBuild& build, const NmsTask& task, const LaunchChain& chain) {
    chain.launch("fill_cells_kernel", fill_cells_kernel, blocks_for(task.raw.capacity), kThreads, build, task);
}

void launch_grid_build(const GridBuild& build, const NmsTask& task, const LaunchChain& chain) {
    chain.launch("assign_cells_kernel", assign_cells_kernel, blocks_for(task.raw.capacity), kThreads, build, task);
    chain.launch("allot_cells_kernel", allot_cells_kernel, build.grid.cells_in_all() / (kThreads * 4) + 1, kThreads,
                 build, task);
    launch_grid_fill(build, task, chain);
}

}  // namespace throng::gpu
