#include "gpu/caller_nms/one_launch.h"

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>

#include "gpu/caller_nms/caller_values.cuh"
#include "gpu/caller_nms/convert.h"
#include "gpu/caller_nms/row_bins.cuh"
#include "gpu/nms/lane_group.cuh"
#include "gpu/nms/pair_test.cuh"

// Launches and their latency take most of the time for a few thousand boxes. So one cooperative launch does all. A block
// has the rows of 32 boxes, in the caller's order, and tests them against all boxes as columns: a lane has a column,
// the rows are in shared memory. Bins of the rows' edges rule out most pairs of a column at once, a product most of the
// others. The rest is tested exactly, with the order.
// After one barrier of the grid, each block reads the decisions of all blocks again and again: a warp suppresses its
// row if one of its suppressors is kept, and keeps it if all are suppressed. The first undecided row in order depends
// on decided ones only, and all blocks are resident, so each row is decided. The rank of a kept box among the kept ones
// is its position in the results.
//
// Between the barrier and the end, blocks exchange only the bits `kept` and `suppressed`. They are set by atomic
// operations and read by relaxed loads of device scope; each bit is set once, and no other data depends on it. All
// blocks read all words at the same time, so each pair of words has a sector of L2 of its own.
namespace throng::gpu {
namespace {

constexpr unsigned kThreads = 1024;
constexpr std::uint32_t kWarp = 32;
constexpr std::uint32_t kRows = 32;                                     // of a block: one per warp
constexpr std::uint32_t kLaneWords = (kOneLaunchLimit / 32 + 31) / 32;  // of a row's bits, in each lane
constexpr std::uint32_t kMaxWords = kOneLaunchLimit / 32;
constexpr std::size_t kSharedLimit = 40 * 1024;

// Bits of 32 boxes, in the workspace: the lower half for those kept, the upper half for those suppressed.
struct __align__(32) Decided {
    unsigned long long bits;
};
static_assert(sizeof(Decided) * kMaxWords == kOneLaunchWorkspace);

template <typename Element>
using KeyOf = decltype(descending_key(RealOf<Element>{}));

template <typename Real>
struct CornerRule {
    Real least;  // IoU that suppresses
    BasicPairMarginRule<Real> margins;
};

template <typename Real>
__device__ __forceinline__ BasicPairBox<Real> make_pair_box(const Corners<Real>& box, const CornerRule<Real>& rule) {
    if (!may_overlap(box)) return no_pair_box<Real>();
    const Real area = area_of(box);
    constexpr Real kWidest = 1e36;  // pair_margin doubles the width, which must stay finite
    const bool is_regular = is_regular_area(area) && box.right - box.left < kWidest;
    return {box.left, box.top, box.right, box.bottom,
            is_regular ? 2 * (rule.margins.factor * area) : static_cast<Real>(NAN)};
}

template <typename Element>
struct Column {
    using Real = RealOf<Element>;
    Corners<Real> box{};
    KeyOf<Element> key = ~KeyOf<Element>{0};

    __device__ __forceinline__ void load(const CallerNmsTask& task, std::uint32_t j) {
        if (j >= static_cast<std::uint32_t>(task.size)) {
            *this = {};
            return;
        }
        box = load_caller_corners<Element>(task, j);
        key = descending_key(load_real(static_cast<const Element*>(task.scores), j));
    }
};

template <typename Element>
__global__ void __launch_bounds__(kThreads, 1)
    one_launch_kernel(const __grid_constant__ CallerNmsTask task, Decided* d_decided,
                      const __grid_constant__ CornerRule<RealOf<Element>> rule) {
    using Real = RealOf<Element>;
    using Key = KeyOf<Element>;
    extern __shared__ unsigned long long shared[];
    __shared__ BasicPairBox<Real> rows[kRows];
    __shared__ Key row_keys[kRows];
    __shared__ RowBins<kThreads> bins;
    __shared__ std::uint32_t own_kept;
    __shared__ std::uint32_t kept_words[kMaxWords];
    __shared__ std::uint32_t suppressed_words[kMaxWords];
    bins.clear();
    __syncthreads();
    start_kernel();
    const auto n = static_cast<std::uint32_t>(task.size);
    const std::uint32_t words = (n + 31) / 32;
    auto* const keys = reinterpret_cast<Key*>(shared);                                    // [words * 32]
    auto* const bits = reinterpret_cast<std::uint32_t*>(keys + std::size_t{words} * 32);  // [rows][words]
    const std::uint32_t lane = threadIdx.x % kWarp;
    const std::uint32_t warp = threadIdx.x / kWarp;
    const std::uint32_t first_row = blockIdx.x * kRows;

    Column<Element> column;
    column.load(task, threadIdx.x);  // the load overlaps with that of the rows
    if (threadIdx.x < kRows) {
        Column<Element> row;
        row.load(task, first_row + threadIdx.x);
        const BasicPairBox<Real> box = make_pair_box(row.box, rule);
        rows[threadIdx.x] = box;
        row_keys[threadIdx.x] = row.key;
        bins.add(box);
    }
    if (threadIdx.x == 0) own_kept = 0;
    for (std::uint32_t k = threadIdx.x; k < kRows * words; k += kThreads) bits[k] = 0;
    __syncthreads();
    bins.accumulate();
    __syncthreads();
    for (std::uint32_t j = threadIdx.x; j < words * 32; j += kThreads) {
        const BasicPairBox<Real> box = make_pair_box(column.box, rule);
        const Key key = column.key;
        keys[j] = key;
        column.load(task, j + kThreads);
        std::uint32_t close = bins.near(box);
        while (close != 0) {
            const auto k = static_cast<std::uint32_t>(__ffs(static_cast<int>(close)) - 1);
            close &= close - 1;
            const std::uint32_t i = first_row + k;
            const BasicPairBox<Real> row = rows[k];
            const Real margin = pair_margin<Overlap::iou, PixelConvention::continuous>(row, box);
            const Real tolerance = rule.margins.tolerance * row.share;
            const Key row_key = row_keys[k];
            bool suppresses = !(margin < -tolerance) && (key < row_key || (key == row_key && j < i));
            if (suppresses && !(margin > tolerance)) suppresses = corners_suppress(box, row, rule.least);
            if (suppresses && task.class_ids != nullptr) suppresses = same_class(task, i, j);
            if (suppresses) atomicOr(&bits[k * words + j / 32], 1U << lane);
        }
    }
    __syncthreads();

    // A warp per row from here on; its bits are in registers.
    const std::uint32_t i = first_row + warp;
    const bool has_row = i < n;
    std::uint32_t open_bits[kLaneWords] = {};
    std::uint32_t any = 0;
#pragma unroll
    for (std::uint32_t k = 0; k < kLaneWords; ++k) {
        const std::uint32_t word = k * 32 + lane;
        if (has_row && word < words) open_bits[k] = bits[warp * words + word];
        any |= open_bits[k];
    }
    bool open = __any_sync(kWholeWarp, any != 0);
    bool kept = has_row && !open;
    if (lane == 0 && kept) atomicOr(&own_kept, 1U << warp);
    __syncthreads();
    if (threadIdx.x == 0) {
        const std::uint32_t end = min(n - first_row, kRows);
        d_decided[blockIdx.x] = {own_kept | (~0ULL << 32) << end};  // rows beyond n are suppressed
    }
    cooperative_groups::this_grid().sync();

    // All blocks would read a few words of L2 for each row otherwise.
    for (bool waiting = true; waiting;) {
        bool undecided = false;
        if (threadIdx.x < words) {
            const unsigned long long bits = load_relaxed(d_decided[threadIdx.x].bits);
            const auto is_kept = static_cast<std::uint32_t>(bits);
            const auto is_suppressed = static_cast<std::uint32_t>(bits >> 32);
            kept_words[threadIdx.x] = is_kept;
            suppressed_words[threadIdx.x] = is_suppressed;
            undecided = (is_kept | is_suppressed) != kWholeWarp;
        }
        waiting = __syncthreads_or(undecided ? 1 : 0) != 0;
        if (open) {
            bool has_kept = false;
            bool has_open = false;
#pragma unroll
            for (std::uint32_t k = 0; k < kLaneWords; ++k) {
                if (open_bits[k] == 0) continue;
                has_kept = has_kept || (kept_words[k * 32 + lane] & open_bits[k]) != 0;
                open_bits[k] &= ~suppressed_words[k * 32 + lane];
                has_open = has_open || open_bits[k] != 0;
            }
            const bool suppressed = __any_sync(kWholeWarp, has_kept);
            kept = !suppressed && !__any_sync(kWholeWarp, has_open);
            open = !suppressed && !kept;
            if (!open && lane == 0) atomicOr(&d_decided[blockIdx.x].bits, 1ULL << (kept ? warp : 32 + warp));
        }
        __syncthreads();  // the words have been read
    }

    if (task.mask != nullptr && has_row && lane == 0) task.mask[i] = kept ? 1 : 0;
    if (kept && (task.indices != nullptr || task.kept_scores != nullptr)) {
        const Key own_key = keys[i];
        std::uint32_t before = 0;
        // A key of a smaller index precedes an equal one, and no score has the last key. No branches: the loads can
        // overlap.
#pragma unroll 8
        for (std::uint32_t at = lane; at < words * 32; at += 32)
            before += kept_words[at / 32] >> lane & (keys[at] < own_key + (at < i ? 1 : 0) ? 1U : 0U);
        before = warp_sum(before);
        if (lane == 0) store_kept<Element>(task, before, i);
    }
    if (blockIdx.x == 0 && warp == 0) {
        std::uint32_t total = 0;
        for (std::uint32_t word = lane; word < words; word += 32) total += __popc(kept_words[word]);
        total = warp_sum(total);
        if (lane == 0) store_counts(task, total, 0);
    }
}

}  // namespace

bool launch_at_once(const DeviceInfo& device, const CallerNmsTask& task, void* workspace, const LaunchChain& chain) {
    // One block per multiprocessor: more would be resident on some devices only.
    const std::int32_t most = std::min(kOneLaunchLimit, device.multiprocessors * static_cast<std::int32_t>(kRows));
    if (!task.rules.torchvision || task.rules.params.min_hits > 1 || task.hits != nullptr ||
        task.image_ids != nullptr || !std::isnan(task.score_threshold) || task.max_output > 0 || task.size == 0 ||
        task.size > most)
        return false;
    return with_element(task.type, [&]<class Element>(Element) {
        using Real = RealOf<Element>;
        const double theta = task.rules.theta;
        const CornerRule<Real> rule{least_above<Real>(theta),
                                    make_pair_margin_rule(Overlap::iou, static_cast<Real>(theta))};
        const unsigned words = blocks_for(task.size, kRows);
        const LaunchSize size{words, kThreads,
                              std::size_t{words} * (32 * sizeof(KeyOf<Element>) + kRows * sizeof(std::uint32_t))};
        return size.shared <= kSharedLimit && chain.launch_resident("one_launch_kernel", one_launch_kernel<Element>,
                                                                    size, task, static_cast<Decided*>(workspace), rule);
    });
}

}  // namespace throng::gpu
