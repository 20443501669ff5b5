#include <cuda_runtime.h>

#include <algorithm>

#include "gpu/nms/chained.h"
#include "gpu/nms/kept_order.cuh"
#include "gpu/nms/large_nms.h"

// After the binning, kernels over the records, which lie by cell, so that the lanes of a warp look at the same
// neighbours:
//   find:   the first of all (in the order of precedes) that suppress a detection. Where there is none it is kept,
//           under one-pass and greedy alike.
//   own:    (one-pass) the first suppressor owns a suppressed detection if it is kept itself, as nine in ten are. For
//           the others the search is repeated among the kept ones.
//   settle: (greedy) a detection waits for its first suppressor. If that is kept, it owns this one; if that is
//           suppressed, the next takes its place; if none is left, this one is kept. No barriers: a block goes round
//           its own until all are settled. The first open one of all waits for nobody, so all get an answer. The
//           launch is cooperative: every block runs.
// Then the kept ones are ordered and written (kept_order.h).
namespace throng::gpu {
namespace {

constexpr unsigned kThreads = 256;
// Lanes that search together. More answer sooner, fewer waste less; measured with 16384 to a million detections.
constexpr int kFindLanes = 8;
constexpr int kSettleLanes = 16;
constexpr std::uint32_t kShare = 64;  // records that a block takes at a time; few of them half as many
constexpr std::int32_t kFew = 32768;
constexpr std::uint32_t kNone = 0xFFFFFFFFU;

enum State : std::uint32_t { open = 0, kept = 1, suppressed = 2 };

struct Work {
    BoxGrid grid;
    KeptOrder order;
    std::uint32_t* state;
    std::uint32_t* best;  // record of the first suppressor that is not known to be suppressed itself
    std::uint32_t* hits;
    std::uint32_t* open;  // records, by block
    unsigned long long* tests;
};

// The first, for the group, of those that suppress `mine`, record r, and that accept(record) lets pass; or kNone.
// For whole warps.
template <PairPath path, int kLanes, class Accept>
__device__ __forceinline__ std::uint32_t first_suppressor(const Work& w, const NmsTask& task, const NmsRuleSet& rules,
                                                          const SearchPlan& plan, const Group<kLanes>& group,
                                                          bool active, std::uint32_t r, const GridRecord& mine,
                                                          TestCounter& counter, Accept&& accept) {
    std::uint32_t best = kNone;
    float bar = mine.score;  // of the best, then
    const float low = rules.theta * 0.99999F;
    const Extents e = active ? record_extents(mine, rules.extent) : Extents{};
    for_each_near(w.grid, plan, group, active, e, [&](std::uint32_t other) {
        const GridRecord theirs = load_record(w.grid, other);
        if (theirs.score < bar) return;
        ++counter.tests;
        if constexpr (path == PairPath::plain) {
            const float intersection = record_intersection(mine, theirs, rules.extent);
            if (!may_reach(rules.overlap, low, intersection, mine.area, theirs.area)) return;
        }
        if (other == r || other == best || !record_suppresses<path>(rules, task.raw, mine, theirs)) return;
        if (theirs.score == bar && !record_precedes(task.raw, theirs, best == kNone ? mine : load_record(w.grid, best)))
            return;
        if (!accept(other)) return;
        best = other;
        bar = theirs.score;
    });
    for (int step = kLanes / 2; step > 0; step /= 2) {
        const std::uint32_t other = __shfl_xor_sync(kAllLanes, best, step);
        const float score = __shfl_xor_sync(kAllLanes, bar, step);
        if (other == kNone || other == best) continue;
        if (best == kNone || score > bar ||
            (score == bar && record_precedes(task.raw, load_record(w.grid, other), load_record(w.grid, best)))) {
            best = other;
            bar = score;
        }
    }
    return best;
}

__device__ void keep(const Work& w, const NmsTask& task, std::uint32_t r, const GridRecord& mine) {
    append_kept(w.order, {load_box(task.raw.boxes, mine.index), mine.score, mine.index}, r);
    if (task.owner != nullptr) task.owner[mine.index] = static_cast<std::int32_t>(mine.index);
}

__device__ void give_to(const Work& w, const NmsTask& task, std::uint32_t r, std::uint32_t owner) {
    atomicAdd(&w.hits[owner], 1U);
    if (task.owner != nullptr)
        task.owner[w.grid.records[r].index] = static_cast<std::int32_t>(w.grid.records[owner].index);
}

template <PairPath path>
__global__ void __launch_bounds__(kThreads) find_kernel(Work w, NmsTask task, NmsRuleSet rules) {
    wait_for_previous();
    let_next_start();
    const std::uint32_t stored = w.grid.header->stored;
    const SearchPlan plan = make_plan(w.grid, rules);
    if (stored_count(task.raw) < w.grid.least) return;
    const Group<kFindLanes> group;
    TestCounter counter;
    constexpr std::uint32_t kInBlock = kThreads / kFindLanes;
    for (std::uint32_t base = blockIdx.x * kInBlock + threadIdx.x / 32 * group.kInWarp; base < stored;
         base += gridDim.x * kInBlock) {
        const std::uint32_t r = base + group.number;
        const bool active = r < stored;
        const GridRecord mine = active ? load_record(w.grid, r) : GridRecord{};
        const std::uint32_t best = first_suppressor<path>(w, task, rules, plan, group, active, r, mine, counter,
                                                          [](std::uint32_t) { return true; });
        if (!active || group.lane != 0) continue;
        w.best[r] = best;
        w.hits[r] = 1;
        w.state[r] = best == kNone ? kept : rules.rule == NmsRule::greedy ? open : suppressed;
        if (best == kNone) keep(w, task, r, mine);
    }
    counter.report(w.tests);
}

__device__ std::uint32_t now(const std::uint32_t* state) {
    return *static_cast<const volatile std::uint32_t*>(state);
}

// A block takes `share` records at a time, at most kShare; what needs a search is listed and shared out among its
// groups.
template <PairPath path>
__global__ void __launch_bounds__(kThreads) own_kernel(Work w, NmsTask task, NmsRuleSet rules, std::uint32_t share) {
    wait_for_previous();
    let_next_start();
    const std::uint32_t stored = w.grid.header->stored;
    const SearchPlan plan = make_plan(w.grid, rules);
    if (stored_count(task.raw) < w.grid.least) return;
    const Group<kSettleLanes> group;
    TestCounter counter;
    __shared__ std::uint32_t list[kShare];
    __shared__ std::uint32_t listed;
    for (std::uint32_t base = blockIdx.x * share; base < stored; base += gridDim.x * share) {
        if (threadIdx.x == 0) listed = 0;
        __syncthreads();
        const std::uint32_t r = base + threadIdx.x;
        const std::uint32_t first = threadIdx.x < share && r < stored ? w.best[r] : kNone;
        if (first != kNone) {
            if (w.state[first] == kept) {
                give_to(w, task, r, first);
            } else {
                list[atomicAdd(&listed, 1U)] = r;
            }
        }
        __syncthreads();
        for (std::uint32_t u = threadIdx.x / 32 * group.kInWarp; u < listed; u += kThreads / kSettleLanes) {
            const bool active = u + group.number < listed;
            const std::uint32_t item = active ? list[u + group.number] : 0;
            const GridRecord mine = active ? load_record(w.grid, item) : GridRecord{};
            const std::uint32_t owner =
                first_suppressor<path>(w, task, rules, plan, group, active, item, mine, counter,
                                       [&](std::uint32_t other) { return w.state[other] == kept; });
            if (group.lane == 0 && owner != kNone) give_to(w, task, item, owner);
        }
        __syncthreads();
    }
    counter.report(w.tests);
}

template <PairPath path>
__global__ void __launch_bounds__(kThreads) settle_kernel(Work w, NmsTask task, NmsRuleSet rules) {
    const std::uint32_t stored = w.grid.header->stored;
    const SearchPlan plan = make_plan(w.grid, rules);
    if (stored_count(task.raw) < w.grid.least) return;
    const Group<kSettleLanes> group;
    TestCounter counter;
    __shared__ std::uint32_t listed;
    if (threadIdx.x == 0) listed = 0;
    __syncthreads();
    // Neighbours go to the same block, where answers travel fastest.
    const std::uint32_t share = max((stored + gridDim.x - 1) / gridDim.x, kShare / 2);
    const std::uint32_t first = min(blockIdx.x * share, stored);
    const std::uint32_t last = min(first + share, stored);
    std::uint32_t* list = w.open + first;
    for (std::uint32_t r = first + threadIdx.x; r < last; r += kThreads) {
        const std::uint32_t best = w.best[r];
        if (best == kNone) continue;
        if (now(w.state + best) == kept) {
            *static_cast<volatile std::uint32_t*>(w.state + r) = suppressed;
            give_to(w, task, r, best);
        } else {
            list[atomicAdd(&listed, 1U)] = r;
        }
    }
    __syncthreads();
    const std::uint32_t items = listed;

    for (bool waiting = true; __any_sync(kAllLanes, waiting);) {
        waiting = false;
        for (std::uint32_t u = threadIdx.x / 32 * group.kInWarp; u < items; u += kThreads / kSettleLanes) {
            std::uint32_t r = 0;
            std::uint32_t best = kNone;
            std::uint32_t seen = open;
            bool mine_open = u + group.number < items;
            if (mine_open) {
                r = list[u + group.number];
                best = w.best[r];
                mine_open = best != kNone;  // settled ones have none
                if (mine_open) seen = now(w.state + best);
            }
            const bool search = mine_open && seen == suppressed;
            if (__any_sync(kAllLanes, search)) {
                const GridRecord mine = search ? load_record(w.grid, r) : GridRecord{};
                const std::uint32_t next =
                    first_suppressor<path>(w, task, rules, plan, group, search, r, mine, counter,
                                           [&](std::uint32_t other) { return now(w.state + other) != suppressed; });
                if (search && group.lane == 0) {
                    w.best[r] = next;
                    if (next == kNone) {
                        *static_cast<volatile std::uint32_t*>(w.state + r) = kept;
                        keep(w, task, r, mine);
                    }
                }
                if (search) mine_open = next != kNone;
            }
            if (mine_open && seen == kept) {
                if (group.lane == 0) {
                    *static_cast<volatile std::uint32_t*>(w.state + r) = suppressed;
                    w.best[r] = kNone;
                    give_to(w, task, r, best);
                }
                mine_open = false;
            }
            waiting = waiting || mine_open;
            __syncwarp();
        }
    }
    counter.report(w.tests);
}

template <PairPath path>
int settle_blocks_an_sm() {
    int blocks = 0;
    check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, settle_kernel<path>, kThreads, 0),
               "settle_kernel: occupancy");
    return blocks;
}

unsigned blocks_for(std::int32_t items, unsigned each) {
    return (static_cast<unsigned>(items) + each - 1) / each;
}

}  // namespace

LargeNms::LargeNms(const DeviceInfo& device, std::int32_t capacity, StreamView stream)
    : device_(device),
      grid_(capacity, stream),
      order_(capacity, stream),
      state_(capacity),
      best_(capacity),
      hits_(capacity),
      open_(capacity) {
    const int each = std::min(settle_blocks_an_sm<PairPath::plain>(), settle_blocks_an_sm<PairPath::any>());
    settle_blocks_ = static_cast<unsigned>(device.multiprocessors * std::max(each, 1));
}

std::size_t LargeNms::bytes() const {
    return grid_.bytes() + order_.bytes() + state_.bytes() + best_.bytes() + hits_.bytes() + open_.bytes();
}

void LargeNms::launch_order(const NmsTask& task, const NmsRuleSet& rules, std::uint32_t least,
                            StreamView stream) const {
    launch_grid_build(grid_.view(least), task, rules.extent, order_.cleared(), order_.cleared_words(),
                      LaunchChain(device_, stream));
}

void LargeNms::launch_map(const NmsTask& task, const NmsRuleSet& rules, std::uint32_t least,
                          unsigned long long* d_tests, StreamView stream) const {
    const BoxGrid grid = grid_.view(least);
    const Work work{grid,          order_.view(grid.header, hits_.data(), rules.min_hits, least),
                    state_.data(), best_.data(),
                    hits_.data(),  open_.data(),
                    d_tests};
    const bool plain = pair_path(rules) == PairPath::plain;
    const unsigned blocks = std::min(blocks_for(task.raw.capacity, kThreads / kFindLanes), most_blocks());
    LaunchChain(device_, stream)
        .launch("find_kernel", plain ? find_kernel<PairPath::plain> : find_kernel<PairPath::any>, blocks, kThreads,
                work, task, rules);
}

void LargeNms::launch_reduce(const NmsTask& task, const NmsRuleSet& rules, std::uint32_t least,
                             unsigned long long* d_tests, StreamView stream) const {
    const BoxGrid grid = grid_.view(least);
    const Work work{grid,          order_.view(grid.header, hits_.data(), rules.min_hits, least),
                    state_.data(), best_.data(),
                    hits_.data(),  open_.data(),
                    d_tests};
    const LaunchChain chain(device_, stream);
    const bool plain = pair_path(rules) == PairPath::plain;
    const std::uint32_t share = task.raw.capacity <= kFew ? kShare / 2 : kShare;
    const unsigned blocks = blocks_for(task.raw.capacity, share);
    if (rules.rule == NmsRule::one_pass) {
        chain.launch("own_kernel", plain ? own_kernel<PairPath::plain> : own_kernel<PairPath::any>,
                     std::min(blocks, most_blocks()), kThreads, work, task, rules, share);
    } else {
        chain.launch_together("settle_kernel", plain ? settle_kernel<PairPath::plain> : settle_kernel<PairPath::any>,
                              std::min(blocks, settle_blocks_), kThreads, work, task, rules);
    }
    launch_kept_order(work.order, task, chain);
}

}  // namespace throng::gpu
