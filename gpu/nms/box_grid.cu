#include "gpu/nms/box_grid.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>

#include "gpu/nms/box_grid.cuh"
#include "gpu/runtime/array_layout.h"
#include "gpu/runtime/launch.cuh"

// The binning of a frame in three kernels:
//   assign_cells_kernel: counts the detections of each cell, and assigns each a position within its cell;
//   allocate_cells_kernel: allocates a range of records for each cell;
//   fill_cells_kernel:   writes the records.
namespace throng::gpu {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::uint32_t kMaxCells = 1U << 28;                     // columns and the number of them fit half a word
constexpr std::uint32_t kThreadCells = 4;                         // of allocate_cells_kernel
static_assert(kThreads * kThreadCells % BoxGrid::kSegment == 0);  // a block allocates whole segments

// A detection as the binning reads it.
struct BinnedBox {
    Box box;
    float right, bottom;  // not always box.x + box.w where the corners are given
    float area;
    bool apart = false;  // overlaps none

    __device__ __forceinline__ BinnedBox(const GridBuild& build, const NmsTask& task, std::uint32_t i)
        : box(load_box(task.raw.boxes, i)) {
        if (build.gate.boxes_are_corners) {
            const Box b = box;
            apart = b.w < b.x;
            right = apart ? b.x : b.w;
            bottom = apart ? b.y : b.h;
            if (apart) box = {b.w, b.h, 0, 0};
            box.w = right - box.x;
            box.h = bottom - box.y;
        } else {
            right = box.x + box.w;
            bottom = box.y + box.h;
        }
        area = apart ? INFINITY : box_area(box, build.extent);
    }
    [[nodiscard]] __device__ __forceinline__ bool is_valid(const GridBuild& build, float score) const {
        return build.gate.boxes_are_corners ? !isnan(score) : is_valid_detection(box, score);
    }
    [[nodiscard]] __device__ __forceinline__ Extents extents(float extent) const {
        return extents_between(box.x, box.y, right, bottom, extent);
    }
};

// Returns true if a box is at most a thousandth longer than the given corners that it contains, and not huge or tiny.
__device__ __forceinline__ bool fits_closely(const Extents& e, const PairGate& gate, std::uint32_t i) {
    const Corners<double> c = reinterpret_cast<const Corners<double>*>(gate.corners)[i];
    return e.width <= 1.001 * (c.right - c.left) && e.height <= 1.001 * (c.bottom - c.top) &&
           fmaxf(e.width, e.height) < 0x1p59F && area_of(c) > 1e-30;
}

__device__ __forceinline__ std::uint32_t cell_of(const BoxGrid& g, const Extents& e, int level, std::uint32_t group) {
    const float scale = cell_scale(level);
    return cell_index(g, level, group, cell_coordinate(e.left, scale * static_cast<float>(BoxGrid::kFine)),
                      cell_coordinate(e.top, scale));
}

// Adds the detections of a block, one per thread, to the statistics of the frame. By whole blocks.
__device__ __forceinline__ void add_sums(GridSums* d_sums, bool invalid, bool valid, int level, bool coarse,
                                         float score) {
    __shared__ GridSums sums;
    if (threadIdx.x == 0) sums = GridSums{};
    __syncthreads();
    if (valid) atomicOr(&sums.levels[level / 32], 1U << level % 32);
    if (coarse) atomicOr(&sums.coarse, 1U);
    // The greatest numbers, which may stand for infinity, are left out: one of them would take all of the range.
    const bool limits = valid && fabsf(score) < 3.402823466e+38F;
    const std::uint32_t key = limits ? score_key(score) : 0;
    const std::uint32_t best = warp_max(key);
    const std::uint32_t worst = warp_max(limits ? ~key : 0);
    const std::uint32_t count = __popc(__ballot_sync(kWholeWarp, invalid));
    if (threadIdx.x % 32 == 0) {
        atomicMax(&sums.best_key, best);
        atomicMax(&sums.worst_key, worst);
        if (count != 0) atomicAdd(&sums.invalid, count);
    }
    __syncthreads();
    const std::uint32_t levels = threadIdx.x < GridSums::kLevelWords ? sums.levels[threadIdx.x] : 0;
    if (levels != 0) atomicOr(&d_sums->levels[threadIdx.x], levels);
    if (threadIdx.x != 0) return;
    if (sums.coarse != 0) atomicOr(&d_sums->coarse, 1U);
    if (sums.invalid != 0) atomicAdd(&d_sums->invalid, sums.invalid);
    atomicMax(&d_sums->best_key, sums.best_key);
    atomicMax(&d_sums->worst_key, sums.worst_key);
}

__global__ void __launch_bounds__(kThreads) assign_cells_kernel(GridBuild build, NmsTask task) {
    start_kernel();
    const BoxGrid& g = build.grid;
    const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
    for (std::size_t k = i; k < build.clear.count; k += gridDim.x * kThreads) build.clear.words[k] = 0;
    const std::uint32_t n = own_count(task);
    if (blockIdx.x * kThreads >= n) return;
    const BinnedBox b(build, task, min(i, n - 1));
    const float score = task.raw.scores[min(i, n - 1)];
    const bool valid = i < n && b.is_valid(build, score);
    bool coarse = false;
    int level = 0;
    if (valid) {
        const Extents e = b.extents(build.extent);
        level = level_of(e);
        coarse = is_coarse(e, b.box, build.extent) ||
                 (build.gate.corners != nullptr && !b.apart && !fits_closely(e, build.gate, i));
        g.slots[i] = atomicAdd(&g.counts[cell_of(g, e, level, group_hash(build.gate, i))], 1U);
    }
    if (i < n && task.owner != nullptr) task.owner[i] = -1;
    add_sums(g.sums, i < n && !valid, valid, level, coarse, score);
}

// By one thread.
__device__ void make_plan(const BoxGrid& g, std::uint32_t n) {
    const GridSums& sums = *g.sums;
    SearchPlan plan{};
    plan.lowest = kLevels;
    for (int word = GridSums::kLevelWords - 1; word >= 0; --word) {
        const std::uint32_t levels = sums.levels[word];
        if (levels == 0) continue;
        if (plan.lowest == kLevels) plan.highest = word * 32 + 31 - __clz(static_cast<int>(levels));
        const int shift = __ffs(static_cast<int>(levels)) - 1;
        plan.lowest = word * 32 + shift;
        plan.present = __funnelshift_r(levels, word + 1 < GridSums::kLevelWords ? sums.levels[word + 1] : 0, shift);
    }
    plan.coarse = sums.coarse;
    plan.stored = n - sums.invalid;
    plan.invalid = sums.invalid;
    plan.all = g.bounds.everywhere ? plan.stored : 0;
    plan.best = score_of_key(sums.best_key);
    plan.worst = score_of_key(~sums.worst_key);
    plan.best_key = sums.best_key;
    *g.plan = plan;
}

// The ranges of a block's cells are contiguous; those of blocks are in any order. The last block computes the plan.
__global__ void __launch_bounds__(kThreads) allocate_cells_kernel(GridBuild build, NmsTask task) {
    __shared__ BlockSum<kThreads> sum;
    __shared__ std::uint32_t start;
    start_kernel();
    const BoxGrid& g = build.grid;
    if (blockIdx.x == gridDim.x - 1) {
        if (threadIdx.x == 0) make_plan(g, own_count(task));
        return;
    }
    const std::uint32_t thread = blockIdx.x * kThreads + threadIdx.x;
    uint4& counts = reinterpret_cast<uint4*>(g.counts)[thread];
    const uint4 c = counts;
    counts = uint4{};
    std::uint32_t total = 0;
    const std::uint32_t before = sum.exclusive(c.x + c.y + c.z + c.w, total);
    if (threadIdx.x == 0) start = total != 0 ? atomicAdd(&g.sums->allocated, total) : 0;
    __syncthreads();
    const std::uint32_t x = start + before;
    const std::uint32_t y = x + c.x;
    const std::uint32_t z = y + c.y;
    const std::uint32_t w = z + c.z;
    uint4* cells = reinterpret_cast<uint4*>(g.cells) + std::size_t{thread} * 2;
    cells[0] = make_uint4(x, y, y, z);
    cells[1] = make_uint4(z, w, w, w + c.w);
}

__global__ void __launch_bounds__(kThreads) fill_cells_kernel(GridBuild build, NmsTask task) {
    start_kernel();
    const BoxGrid& g = build.grid;
    const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
    if (i == 0) *g.sums = GridSums{};
    if (i >= own_count(task)) return;
    const BinnedBox b(build, task, i);
    const float score = task.raw.scores[i];
    if (!b.is_valid(build, score)) return;
    const Extents e = b.extents(build.extent);
    const std::uint32_t group = group_hash(build.gate, i);
    g.records[g.cells[cell_of(g, e, level_of(e), group)].first + g.slots[i]] = {b.box.x, b.box.y, b.right, b.bottom,
                                                                                score,   b.area,  i,       group};
}

SearchBounds make_search_bounds(const NmsRuleSet& rules) {
    const bool by_size = rules.overlap == Overlap::iou && rules.smallest_overlap > 1e-3F;
    const float ratio = rules.smallest_overlap * 0.98F;  // what is_coarse allows, and more
    return {by_size ? ratio : 0.0F, by_size ? 1.0F / ratio : INFINITY, rules.disjoint};
}

}  // namespace

BoxGridStorage::BoxGridStorage(std::int32_t capacity) {
    const auto n = static_cast<std::uint32_t>(capacity);
    // Four for each detection: with fewer, more places share a cell; more take longer to clear.
    const std::uint32_t cells = std::bit_ceil(std::clamp(n, 4096U, kMaxCells / 4)) * 4;
    const int bits = std::countr_zero(cells);
    grid_.columns = std::max(1U << ((bits + 1) / 2 + 1), BoxGrid::kSegment);
    grid_.rows = cells / grid_.columns;
    memory_ = allocate_arrays([&](ArrayLayout& layout) {
        layout.take(grid_.counts, cleared().count);
        layout.take(grid_.cells, cells);
        layout.take(grid_.records, n);
        layout.take(grid_.slots, n);
        layout.take(grid_.plan, 1);
    });
    grid_.sums = reinterpret_cast<GridSums*>(grid_.counts + cells);
}

BoxGrid BoxGridStorage::view(const NmsRuleSet& rules) const {
    BoxGrid grid = grid_;
    grid.bounds = make_search_bounds(rules);
    return grid;
}

void launch_grid_build(const GridBuild& build, const NmsTask& task, const LaunchChain& chain) {
    const LaunchSize detections = launch_size(task.raw.capacity, kThreads);
    const LaunchSize cells{dim3(build.grid.cell_count() / (kThreads * kThreadCells) + 1), kThreads};
    chain.launch("assign_cells_kernel", assign_cells_kernel, detections, build, task);
    chain.launch("allocate_cells_kernel", allocate_cells_kernel, cells, build, task);
    chain.launch("fill_cells_kernel", fill_cells_kernel, detections, build, task);
}

}  // namespace throng::gpu
