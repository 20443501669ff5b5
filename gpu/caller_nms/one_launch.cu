#include "gpu/caller_nms/one_launch.h"

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>

#include "gpu/caller_nms/quick_corners.cuh"
#include "gpu/nms/pair_test.cuh"

// Launches and their latency take most of the time for a few thousand boxes. So one cooperative launch does all. A block
// has the rows of 8 to 32 boxes, in the caller's order, and tests them against all boxes as columns: a lane has a column,
// the rows are in shared memory. A product rules out nearly all pairs; the others are tested exactly, with their order.
// After one barrier of the grid, each block reads the decisions of all blocks again and again: a warp drops its row if
// one of its suppressors is kept, and keeps it if all are dropped. The first undecided row in order depends on decided
// ones only, and all blocks are resident, so each row is decided. The rank of a kept box among the kept ones is its
// position in the results.
//
// Between the barrier and the end, blocks exchange only the bits `kept` and `dropped`. They are set by atomic operations
// and read by relaxed loads of device scope; each bit is set once, and no other data depends on it.
namespace throng::gpu {
namespace {

constexpr unsigned kThreads = 1024;
constexpr std::uint32_t kWarp = 32;
constexpr std::uint32_t kMaxRows = 32;                                  // of a block: one per warp
constexpr std::uint32_t kRowUnit = 8;                                   // rows of a block are whole bytes of the bits
constexpr std::uint32_t kLaneWords = (kOneLaunchLimit / 32 + 31) / 32;  // of a row's bits, in each lane
constexpr std::uint32_t kMaxWords = kOneLaunchLimit / 32;
constexpr std::size_t kSharedLimit = 44 * 1024;

// Bits of each box, in the workspace.
struct State {
    std::uint32_t* kept;
    std::uint32_t* dropped;
};

__device__ __forceinline__ std::uint32_t load_bits(const std::uint32_t* d_words, std::uint32_t word) {
    return *(static_cast<const volatile std::uint32_t*>(d_words) + word);
}

template <typename Element>
__global__ void __launch_bounds__(kThreads)
    one_launch_kernel(const __grid_constant__ CallerNmsTask task, const __grid_constant__ State state,
                      const __grid_constant__ CornerRule<typename RealOf<Element>::type> rule,
                      std::uint32_t rows_of_block) {
    using Real = typename RealOf<Element>::type;
    using Key = KeyOf<Element>;
    extern __shared__ unsigned long long shared[];
    __shared__ QuickBox<Real> rows[kMaxRows];
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
    const auto* const d_scores = static_cast<const Element*>(task.scores);

    if (threadIdx.x < rows_of_block) {
        const std::uint32_t i = first_row + threadIdx.x;
        rows[threadIdx.x] = i < n ? make_quick_box(load_caller_corners<Element>(task, i), rule) : no_quick_box<Real>();
    }
    if (threadIdx.x == 0) own_kept = 0;
    for (std::uint32_t j = threadIdx.x; j < words * 32; j += kThreads) {
        keys[j] = j < n ? descending_key(load_real(d_scores, j)) : ~Key{0};
    }
    __syncthreads();
    for (std::uint32_t word = warp; word < words; word += kThreads / kWarp) {
        const std::uint32_t j = word * 32 + lane;
        const QuickBox<Real> column =
            j < n ? make_quick_box(load_caller_corners<Element>(task, j), rule) : no_quick_box<Real>();
        const Key key = keys[j];
        std::uint32_t mine = 0;  // of row `lane`
#pragma unroll 4
        for (std::uint32_t k = 0; k < rows_of_block; ++k) {
            const QuickBox<Real> row = rows[k];
            const QuickPair<Real> pair(row, column);
            const bool close = pair.may_suppress();
            if (__any_sync(0xFFFFFFFFU, close)) {
                const std::uint32_t i = first_row + k;
                const Key row_key = keys[min(i, n - 1)];
                bool suppresses = close && (key < row_key || (key == row_key && j < i));
                if (suppresses && !pair.surely_suppresses())
                    suppresses = corners_suppress(column.box, row.box, rule.least);
                if (suppresses && task.class_ids != nullptr) suppresses = same_class(task, i, j);
                __syncwarp();
                const std::uint32_t found = __ballot_sync(0xFFFFFFFFU, suppresses);
                if (lane == k) mine = found;
            }
        }
        if (lane < rows_of_block) bits[lane * words + word] = mine;
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
            reinterpret_cast<std::uint8_t*>(state.kept)[at] = static_cast<std::uint8_t>(own_kept >> threadIdx.x * 8);
            reinterpret_cast<std::uint8_t*>(state.dropped)[at] = static_cast<std::uint8_t>(0xFFU << end);
        }
    }
    cooperative_groups::this_grid().sync();

    // All blocks would read a few words of L2 for each row otherwise.
    for (bool waiting = true; waiting;) {
        if (threadIdx.x < words) {
            kept_words[threadIdx.x] = load_bits(state.kept, threadIdx.x);
            dropped_words[threadIdx.x] = load_bits(state.dropped, threadIdx.x);
        }
        const bool undecided =
            threadIdx.x < words && (kept_words[threadIdx.x] | dropped_words[threadIdx.x]) != 0xFFFFFFFFU;
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
            if (!open && lane == 0) atomicOr((kept ? state.kept : state.dropped) + i / 32, 1U << i % 32);
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
    auto* const d_words = static_cast<std::uint32_t*>(workspace);
    const State state{d_words, d_words + kMaxWords};
    with_element(task.type, [&]<class Element>(Element) {
        const Plan plan = plan_for<Element>(device, task.size);
        const LaunchSize size{
            .blocks = dim3(plan.blocks), .threads = kThreads, .shared = plan.shared, .cooperative = true};
        chain.launch("one_launch_kernel", one_launch_kernel<Element>, size, task, state,
                     make_corner_rule<typename RealOf<Element>::type>(task.rules.theta), plan.rows);
        return true;
    });
}

}  // namespace throng::gpu
