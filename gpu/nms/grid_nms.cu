#include "gpu/nms/grid_nms.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <type_traits>

#include "gpu/nms/kept_order.cuh"
#include "gpu/nms/suppressors.cuh"
#include "gpu/runtime/array_layout.h"
#include "gpu/runtime/launch.cuh"

// After the binning, kernels over the records, which are ordered by cell, so that the lanes of a warp visit the same
// neighbors:
//   find_kernel:   lists the suppressors of each detection and determines the first. A detection without suppressors is
//                  kept, under one-pass and greedy alike.
//   settle_kernel: a detection waits for the first of its list that is not suppressed, one at a time. If that one is
//                  kept, it is the owner; if none is left, this one is kept (greedy), or has no owner (one-pass, which
//                  waits for none).
// Then the kept detections are sorted and written (kept_order.h). Detections with a truncated list search again.
//
// settle_kernel is the only kernel whose blocks exchange data. Each detection has one word, written once, from `open`
// to `kept` or `suppressed`. It is read and written by relaxed operations of device scope, which are morally strong,
// so a reader sees the one write in the end (progress of coherence), and no other data depends on it: owners and hits
// are only written, and read by later kernels. The launch is cooperative, so every block makes progress, and the first
// open detection waits for none.
namespace throng::gpu {

// The arguments of the kernels.
struct GridNmsWork : GridNmsArrays {
    BoxGrid grid;
    KeptOrder order;
    PairMarginRule margins;
};

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kFindBlocks = 4;    // per multiprocessor
constexpr unsigned kSettleBlocks = 4;  // resident at the same time
constexpr std::int32_t kFew = 65536;
// Lanes that search for one detection. More answer sooner, fewer waste less.
constexpr int kFindLanesOfFew = 8;
constexpr int kFindLanes = 4;
constexpr std::uint32_t kMinOpen = 32;  // records that a block settles
constexpr std::int32_t kKeptShare = 8;  // about one in so many detections is kept

enum State : std::uint32_t { open = 0, kept = 1, suppressed = 2 };

__device__ void keep(const GridNmsWork& w, const NmsTask& task, const NmsRuleSet& rules, std::uint32_t r,
                     const GridRecord& mine) {
    append_kept(w.order, mine, r, bucket_of(w.order, task, rules.gate, *w.grid.plan, mine.score, mine.index));
    if (task.owner != nullptr) task.owner[mine.index] = static_cast<std::int32_t>(mine.index);
}

template <PairPath path, int kLanes>
__global__ void __launch_bounds__(kThreads, kFindBlocks)
    find_kernel(const __grid_constant__ GridNmsWork w, const __grid_constant__ NmsTask task,
                const __grid_constant__ NmsRuleSet rules) {
    constexpr std::uint32_t kInBlock = kThreads / kLanes;
    __shared__ std::uint32_t counts[kInBlock];  // of the lists
    start_kernel();
    const SearchPlan plan = *w.grid.plan;
    const Group<kLanes> group;
    const std::uint32_t in_block = threadIdx.x / kLanes;
    std::uint32_t& count = counts[in_block];
    TestCounter counter;
    for (std::uint32_t first = blockIdx.x * kInBlock; first < plan.stored; first += gridDim.x * kInBlock) {
        const std::uint32_t r = first + in_block;
        const bool active = r < plan.stored;
        const GridRecord mine = active ? w.grid.records[r] : GridRecord{};
        if (group.lane == 0) count = 0;
        __syncwarp();
        std::uint32_t* entries = w.entries + std::size_t{r} * kListRoom;
        const std::uint32_t suppressor = first_suppressor<path, kLanes, true>(
            w.grid, task, rules, w.margins, plan, group, active, r, mine, counter, [&](std::uint32_t other) {
                const std::uint32_t k = atomicAdd(&count, 1U);
                if (k < kListRoom) entries[k] = other;
                return true;
            });
        if (active && group.lane == 0) {
            w.heads[r] = {suppressor, count};
            w.hits[r] = 1;
            w.state[r] = suppressor == kNone ? kept : rules.rule == NmsRule::greedy ? open : suppressed;
            if (suppressor == kNone) keep(w, task, rules, r, mine);
        }
        __syncwarp();
    }
    counter.report(task.tests);
}

// For a truncated list: searches again for the first suppressor of record r that admits(record), or kNone. For whole
// warps. Out of line, because it is rare.
template <PairPath path, class Admits>
__device__ __noinline__ std::uint32_t search_again(const GridNmsWork& w, const NmsTask& task, const NmsRuleSet& rules,
                                                   std::uint32_t r, Admits admits) {
    TestCounter counter;
    const std::uint32_t found = first_suppressor<path, 32, false>(
        w.grid, task, rules, w.margins, *w.grid.plan, Group<32>(), true, r, w.grid.records[r], counter, admits);
    counter.report(task.tests);
    return found;
}

// Returns the first suppressor of record r that is not suppressed itself as far as known, kNone if there is none. count:
// of its list. For whole warps.
template <PairPath path>
__device__ __forceinline__ std::uint32_t first_remaining(const GridNmsWork& w, const NmsTask& task,
                                                         const NmsRuleSet& rules, std::uint32_t r,
                                                         std::uint32_t count) {
    const auto remains = [&](std::uint32_t other) { return load_relaxed(w.state[other]) != suppressed; };
    if (count > kListRoom) return search_again<path>(w, task, rules, r, remains);
    const std::uint32_t* entries = w.entries + std::size_t{r} * kListRoom;
    Choice first;
#pragma unroll 2
    for (std::uint32_t k = threadIdx.x % 32; k < count; k += 32) {
        const std::uint32_t other = entries[k];
        if (remains(other)) first.offer(w.grid, task, other, w.grid.records[other].score);
    }
    __syncwarp();
    first.reduce<32>(w.grid, task);
    return first.record;
}

template <PairPath path>
__global__ void __launch_bounds__(kThreads, kSettleBlocks)
    settle_kernel(const __grid_constant__ GridNmsWork w, const __grid_constant__ NmsTask task,
                  const __grid_constant__ NmsRuleSet rules) {
    __shared__ std::uint32_t listed;
    start_kernel();
    const std::uint32_t stored = w.grid.plan->stored;
    const std::uint32_t lane = threadIdx.x & 31;
    if (threadIdx.x == 0) listed = 0;
    __syncthreads();
    const auto suppress = [&](std::uint32_t r, std::uint32_t owner) {
        store_relaxed<std::uint32_t>(w.state[r], suppressed);
        if (task.owner != nullptr)
            task.owner[w.grid.records[r].index] = static_cast<std::int32_t>(w.grid.records[owner].index);
        atomicAdd(&w.hits[owner], 1U);
    };
    // A block has neighbors, which mostly wait for each other.
    const std::uint32_t share = max((stored + gridDim.x - 1) / gridDim.x, kMinOpen);
    const std::uint32_t first = min(blockIdx.x * share, stored);
    const std::uint32_t last = min(first + share, stored);
    std::uint32_t* list = w.open + first;
    for (std::uint32_t r = first + threadIdx.x; r < last; r += kThreads) {
        const std::uint32_t suppressor = w.heads[r].first;
        if (suppressor == kNone) continue;
        if (load_relaxed(w.state[suppressor]) == kept) {
            suppress(r, suppressor);
        } else {
            list[atomicAdd(&listed, 1U)] = r;
        }
    }
    __syncthreads();
    const std::uint32_t items = listed;

    for (bool waiting = true; waiting;) {
        waiting = false;
        for (std::uint32_t u = threadIdx.x / 32; u < items; u += kThreads / 32) {
            const std::uint32_t r = list[u];
            if (r == kNone) continue;  // settled
            const SuppressorHead head = w.heads[r];
            __syncwarp();  // all lanes have read them
            std::uint32_t suppressor = head.first;
            // Under one-pass, all are decided before, and those with a kept first suppressor are not listed.
            std::uint32_t state = rules.rule == NmsRule::one_pass ? suppressed : load_relaxed(w.state[suppressor]);
            if (__any_sync(kWholeWarp, state == suppressed)) {
                suppressor = first_remaining<path>(w, task, rules, r, head.count);
                if (lane == 0) w.heads[r].first = suppressor;
                state = suppressor == kNone ? kept : load_relaxed(w.state[suppressor]);
            }
            if (!__any_sync(kWholeWarp, state == kept)) {
                waiting = true;
                continue;
            }
            if (lane == 0) {
                if (suppressor != kNone) {
                    suppress(r, suppressor);
                } else if (rules.rule == NmsRule::greedy) {
                    store_relaxed<std::uint32_t>(w.state[r], kept);
                    keep(w, task, rules, r, w.grid.records[r]);
                }
                list[u] = kNone;
            }
            __syncwarp();
        }
    }
}

template <class Kernel>
Kernel* of_path(const NmsRuleSet& rules, Kernel* plain, Kernel* gated, Kernel* any) {
    const PairPath path = pair_path(rules);
    return path == PairPath::plain ? plain : path == PairPath::gated ? gated : any;
}

}  // namespace

GridNms::GridNms(const DeviceInfo& device, std::int32_t capacity) : device_(device), grid_(capacity), order_(capacity) {
    const auto n = static_cast<std::size_t>(capacity);
    memory_ = allocate_arrays([&](ArrayLayout& layout) {
        layout.take(arrays_.state, n);
        layout.take(arrays_.hits, n);
        layout.take(arrays_.open, n);
        layout.take(arrays_.heads, n);
        layout.take(arrays_.entries, n * kListRoom);
    });
}

GridNmsWork GridNms::make_work(const NmsRuleSet& rules) const {
    const BoxGrid grid = grid_.view(rules);
    return {arrays_, grid, order_.view(grid.plan, arrays_.hits, rules.min_hits),
            make_pair_margin_rule(rules.overlap, rules.theta)};
}

void GridNms::launch_order(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) const {
    launch_grid_build({grid_.view(rules), rules.extent, rules.gate, order_.cleared()}, task,
                      LaunchChain(device_, stream));
}

void GridNms::launch_map(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) const {
    const GridNmsWork work = make_work(rules);
    const auto launch = [&]<int kLanes>(std::integral_constant<int, kLanes>) {
        // Enough blocks to keep every multiprocessor busy to the end; a block processes several shares in sequence.
        const unsigned most = static_cast<unsigned>(device_.multiprocessors) * 32;
        const unsigned blocks = std::min(blocks_for(task.raw.capacity, kThreads / kLanes), most);
        LaunchChain(device_, stream)
            .launch("find_kernel",
                    of_path(rules, find_kernel<PairPath::plain, kLanes>, find_kernel<PairPath::gated, kLanes>,
                            find_kernel<PairPath::any, kLanes>),
                    LaunchSize{dim3(blocks), kThreads}, work, task, rules);
    };
    if (task.raw.capacity <= kFew) {
        launch(std::integral_constant<int, kFindLanesOfFew>());
    } else {
        launch(std::integral_constant<int, kFindLanes>());
    }
}

void GridNms::launch_reduce(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) const {
    const GridNmsWork work = make_work(rules);
    const LaunchChain chain(device_, stream);
    const unsigned resident = static_cast<unsigned>(device_.multiprocessors) * kSettleBlocks;
    const unsigned blocks = std::min(blocks_for(task.raw.capacity, kMinOpen), resident);
    launch_waiting(
        chain, "settle_kernel",
        of_path(rules, settle_kernel<PairPath::plain>, settle_kernel<PairPath::gated>, settle_kernel<PairPath::any>),
        {dim3(blocks), kThreads}, work, task, rules);
    launch_kept_order(work.order, task, kKeptShare, chain);
}

}  // namespace throng::gpu
