#include "gpu/caller_nms/one_launch.h"

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>

#include "gpu/caller_nms/quick_corners.cuh"
#include "gpu/nms/pair_test.cuh"

// Launches and their latency take most of the time for a few thousand boxes. So one cooperative launch does all. A block
// has the rows of 8 to 32 boxes, in the caller's order, and tests them against all boxes as columns: a lane has a column,
// the rows are in shared memory. Outlines in half precision rule out most pairs in a few instructions without a branch, a
// product most of the others. The rest is tested exactly, with the order.
// After one barrier of the grid, each block reads the decisions of all blocks again and again: a warp drops its row if
// one of its suppressors is kept, and keeps it if all are dropped. The first undecided row in order depends on decided
// ones only, and all blocks are resident, so each row is decided. The rank of a kept box among the kept ones is its
// position in the results.
//
// Between the barrier and the end, blocks exchange only the bits `kept` and `dropped`. They are set by atomic operations
// and read by relaxed loads of device scope; each bit is set once, and no other data depends on it. All blocks read all
// words at the same time, so each pair of words has a sector of L2 of its own.
namespace throng::gpu {
namespace {

constexpr unsigned kThreads = 1024;
constexpr std::uint32_t kWarp = 32;
constexpr std::uint32_t kMaxRows = 32;                                  // of a block: one per warp
constexpr std::uint32_t kRowUnit = 8;                                   // rows of a block are whole bytes of the bits
constexpr std::uint32_t kLaneWords = (kOneLaunchLimit / 32 + 31) / 32;  // of a row's bits, in each lane
constexpr std::uint32_t kMaxWords = kOneLaunchLimit / 32;
constexpr std::size_t kSharedLimit = 44 * 1024;

// Bits of 32 boxes, in the workspace.
struct __align__(32) Decided {
    std::uint32_t kept;
    std::uint32_t dropped;
};
static_assert(sizeof(Decided) * kMaxWords == kOneLaunchWorkspace);

__device__ __forceinline__ uint2 load_decided(const Decided* d_words, std::uint32_t word) {
    uint2 bits;
    asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];" : "=r"(bits.x), "=r"(bits.y) : "l"(d_words + word));
    return bits;
}

// A box rounded outwards, as low (x1, y1) and high (x2, y2): boxes overlap only if their outlines do.
struct Outline {
    __half2 low;
    __half2 high;
};

__device__ __forceinline__ __half round_down(float v) {
    return __float2half_rd(v);
}
__device__ __forceinline__ __half round_down(double v) {
    return __float2half_rd(__double2float_rd(v));
}
__device__ __forceinline__ __half round_up(float v) {
    return __float2half_ru(v);
}
__device__ __forceinline__ __half round_up(double v) {
    return __float2half_ru(__double2float_ru(v));
}

template <typename Real>
__device__ __forceinline__ Outline make_outline(const QuickBox<Real>& quick) {
    const Real infinite = static_cast<Real>(INFINITY);
    const bool none = quick.share == infinite;
    const Corners<Real>& box = quick.box;
    return {__halves2half2(round_down(none ? infinite : box.x1), round_down(none ? infinite : box.y1)),
            __halves2half2(round_up(none ? -infinite : box.x2), round_up(none ? -infinite : box.y2))};
}

__device__ __forceinline__ bool may_intersect(const Outline& a, const Outline& b) {
    return __hbgt2(__hmin2(a.high, b.high), __hmax2(a.low, b.low));
}

template <typename Element>
struct Column {
    using Real = typename RealOf<Element>::type;
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
__global__ void __launch_bounds__(kThreads)
    one_launch_kernel(const __grid_constant__ CallerNmsTask task, Decided* d_decided,
                      const __grid_constant__ CornerRule<typename RealOf<Element>::type> rule,
                      std::uint32_t rows_of_block) {
    using Real = typename RealOf<Element>::type;
    using Key = KeyOf<Element>;
    extern __shared__ unsigned long long shared[];
    __shared__ QuickBox<Real> rows[kMaxRows];
    __shared__ Key row_keys[kMaxRows];
    __shared__ __align__(16) Outline outlines[kMaxRows];
    __shared__ std::uint32_t own_kept;
    __shared__ std::uint32_t kept_words[kMaxWords];
    __shared__ std::uint32_t dropped_words[kMaxWords];
    start_kernel();
    const auto n = static_cast<std::uint32_t>(task.size);
    const std::uint32_t words = (n + 31) / 32;
    auto* const keys = reinterpret_cast<Key*>(shared);                                    // [words * 32]
    auto* const bits = reinterpret_cast<std::uint32_t*>(keys + std::size_t{words} * 32);  // [rows][words]
    const std::uint32_t lane = threadIdx.x % kWarp;
    const std::uint32_t warp = threadIdx.x / kWarp;
    const std::uint32_t first_row = blockIdx.x * rows_of_block;

    Column<Element> column;
    column.load(task, threadIdx.x);  // the load overlaps with that of the rows
    if (threadIdx.x < rows_of_block) {
        Column<Element> row;
        row.load(task, first_row + threadIdx.x);
        rows[threadIdx.x] = make_quick_box(row.box, rule);
        row_keys[threadIdx.x] = row.key;
        outlines[threadIdx.x] = make_outline(rows[threadIdx.x]);
    }
    if (threadIdx.x == 0) own_kept = 0;
    for (std::uint32_t k = threadIdx.x; k < rows_of_block * words; k += kThreads) bits[k] = 0;
    __syncthreads();
    for (std::uint32_t j = threadIdx.x; j < words * 32; j += kThreads) {
        const QuickBox<Real> quick = make_quick_box(column.box, rule);
        const Outline outline = make_outline(quick);
        const Key key = column.key;
        keys[j] = key;
        column.load(task, j + kThreads);
        std::uint32_t close = 0;  // a bit per row
        for (std::uint32_t first = 0; first < rows_of_block; first += kRowUnit) {
#pragma unroll
            for (std::uint32_t k = 0; k < kRowUnit; ++k) {
                if (may_intersect(outlines[first + k], outline)) close |= 1U << (first + k);
            }
        }
        while (close != 0) {
            const auto k = static_cast<std::uint32_t>(__ffs(static_cast<int>(close)) - 1);
            close &= close - 1;
            const std::uint32_t i = first_row + k;
            const QuickBox<Real> row = rows[k];
            const QuickPair<Real> pair(row, quick);
            const Key row_key = row_keys[k];
            bool suppresses = pair.may_suppress() && (key < row_key || (key == row_key && j < i));
            if (suppresses && !pair.surely_suppresses()) suppresses = corners_suppress(quick.box, row.box, rule.least);
            if (suppresses && task.class_ids != nullptr) suppresses = same_class(task, i, j);
            if (suppresses) atomicOr(&bits[k * words + j / 32], 1U << lane);
        }
    }
    __syncthreads();

    // A warp per row from here on; its bits are in registers.
    const std::uint32_t i = first_row + warp;
    const bool has_row = warp < rows_of_block && i < n;
    std::uint32_t open_bits[kLaneWords] = {};
    std::uint32_t any = 0;
#pragma unroll
    for (std::uint32_t k = 0; k < kLaneWords; ++k) {
        const std::uint32_t word = k * 32 + lane;
        if (has_row && word < words) open_bits[k] = bits[warp * words + word];
        any |= open_bits[k];
    }
    bool open = __any_sync(0xFFFFFFFFU, any != 0);
    bool kept = has_row && !open;
    if (lane == 0 && kept) atomicOr(&own_kept, 1U << warp);
    __syncthreads();
    if (threadIdx.x < rows_of_block / kRowUnit) {
        const std::uint32_t at = first_row / kRowUnit + threadIdx.x;
        if (at < words * 4) {
            const std::uint32_t end = n > at * 8 ? min(n - at * 8, 8U) : 0;  // rows beyond n are dropped
            Decided& decided = d_decided[at / 4];
            reinterpret_cast<std::uint8_t*>(&decided.kept)[at % 4] =
                static_cast<std::uint8_t>(own_kept >> threadIdx.x * 8);
            reinterpret_cast<std::uint8_t*>(&decided.dropped)[at % 4] = static_cast<std::uint8_t>(0xFFU << end);
        }
    }
    cooperative_groups::this_grid().sync();

    // All blocks would read a few words of L2 for each row otherwise.
    for (bool waiting = true; waiting;) {
        bool undecided = false;
        if (threadIdx.x < words) {
            const uint2 decided = load_decided(d_decided, threadIdx.x);
            kept_words[threadIdx.x] = decided.x;
            dropped_words[threadIdx.x] = decided.y;
            undecided = (decided.x | decided.y) != 0xFFFFFFFFU;
        }
        waiting = __syncthreads_or(undecided ? 1 : 0) != 0;
        if (open) {
            bool has_kept = false;
            bool has_open = false;
#pragma unroll
            for (std::uint32_t k = 0; k < kLaneWords; ++k) {
                if (open_bits[k] == 0) continue;
                has_kept = has_kept || (kept_words[k * 32 + lane] & open_bits[k]) != 0;
                open_bits[k] &= ~dropped_words[k * 32 + lane];
                has_open = has_open || open_bits[k] != 0;
            }
            const bool suppressed = __any_sync(0xFFFFFFFFU, has_kept);
            kept = !suppressed && !__any_sync(0xFFFFFFFFU, has_open);
            open = !suppressed && !kept;
            if (!open && lane == 0) {
                Decided& decided = d_decided[i / 32];
                atomicOr(kept ? &decided.kept : &decided.dropped, 1U << i % 32);
            }
        }
        __syncthreads();  // the words have been read
    }

    if (task.mask != nullptr && has_row && lane == 0) task.mask[i] = kept ? 1 : 0;
    if (kept && (task.indices != nullptr || task.kept_scores != nullptr)) {
        const Key own_key = keys[i];
        std::uint32_t before = 0;
        // A key of a smaller index precedes an equal one. No branches: the loads can overlap.
        const std::uint32_t own_word = i / 32;
#pragma unroll 8
        for (std::uint32_t word = 0; word < own_word; ++word)
            before += kept_words[word] >> lane & (keys[word * 32 + lane] <= own_key ? 1U : 0U);
        const Key beside = keys[own_word * 32 + lane];
        before += kept_words[own_word] >> lane & (beside < own_key || (beside == own_key && lane < i % 32) ? 1U : 0U);
#pragma unroll 8
        for (std::uint32_t word = own_word + 1; word < words; ++word)
            before += kept_words[word] >> lane & (keys[word * 32 + lane] < own_key ? 1U : 0U);
        before = warp_sum(before);
        if (lane == 0) store_kept<Element>(task, before, i);
    }
    if (blockIdx.x == 0 && warp == 0) {
        std::uint32_t total = 0;
        for (std::uint32_t word = lane; word < words; word += 32) total += __popc(kept_words[word]);
        total = warp_sum(total);
        if (lane == 0) store_counts(task, total);
    }
}

struct Plan {
    std::uint32_t rows = 0;  // of a block; 0: does not fit
    unsigned blocks = 0;
    std::size_t shared = 0;
};

template <typename Element>
Plan plan_for(const DeviceInfo& device, std::int32_t size) {
    const auto n = static_cast<std::uint32_t>(size);
    const auto multiprocessors = static_cast<std::uint32_t>(device.multiprocessors);
    // Blocks share words of the bits; so all bytes of the words belong to some block.
    const std::uint32_t words = (n + 31) / 32;
    // One block per multiprocessor: more would be resident on some devices only.
    const std::uint32_t in_all = multiprocessors * kRowUnit;
    const std::uint32_t rows = (words * 32 + in_all - 1) / in_all * kRowUnit;
    const std::size_t shared = std::size_t{words} * (32 * sizeof(KeyOf<Element>) + rows * sizeof(std::uint32_t));
    if (n == 0 || n > kOneLaunchLimit || rows > kMaxRows || shared > kSharedLimit) return {};
    return {rows, (words * 32 + rows - 1) / rows, shared};
}

}  // namespace

bool fits_one_launch(const DeviceInfo& device, const CallerNmsTask& task) {
    if (!task.rules.torchvision || task.rules.params.min_hits > 1 || task.hits != nullptr || task.image_ids != nullptr)
        return false;
    return with_element(task.type,
                        [&]<class Element>(Element) { return plan_for<Element>(device, task.size).rows > 0; });
}

void launch_at_once(const DeviceInfo& device, const CallerNmsTask& task, void* workspace, const LaunchChain& chain) {
    auto* const d_decided = static_cast<Decided*>(workspace);
    with_element(task.type, [&]<class Element>(Element) {
        const Plan plan = plan_for<Element>(device, task.size);
        const LaunchSize size{
            .blocks = dim3(plan.blocks), .threads = kThreads, .shared = plan.shared, .cooperative = true};
        chain.launch("one_launch_kernel", one_launch_kernel<Element>, size, task, d_decided,
                     make_corner_rule<typename RealOf<Element>::type>(task.rules.theta), plan.rows);
        return true;
    });
}

}  // namespace throng::gpu
