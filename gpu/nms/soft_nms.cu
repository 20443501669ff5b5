#include <cuda_runtime.h>

#include <algorithm>

#include "gpu/nms/box_grid.cuh"
#include "gpu/nms/kept_order.cuh"
#include "gpu/nms/soft_nms.h"
#include "gpu/runtime/array_layout.h"
#include "gpu/runtime/launch.cuh"

// Kernels, after the binning:
//   link:  joins each detection with those of its group that it may decay, by union-find in device memory;
//   count, allocate, fill: lays the members of each component side by side, as they are after the first pick of the frame;
//   run:   a warp a small component, members in registers; a block a large one. Each repeats: pick the member that
//          precedes all others by its present score, decay the rest.
// Only the first pick is made whatever its score: what is below score_min is dropped after it. Scores only fall while
// none is negative, so the other picks of all components together are ordered by their final scores, and are written
// so. Where score_min lets negative scores live, scores may rise: then everything is one component, run by one block,
// and written in the order of its picks.
namespace throng::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kLinkLanes = 8;
constexpr int kBlockThreads = 1024;
constexpr int kWarpItems = 4;  // members a lane holds
constexpr std::uint32_t kWarpMembers = 32 * kWarpItems;

TH_HD bool scores_may_rise(const NmsRuleSet& rules) {
    return rules.score_min < 0.0F;
}

// Returns the factor of i's score when j is picked.
__device__ __forceinline__ float decay_factor(const NmsRuleSet& rules, const GridRecord& i, const GridRecord& j) {
    const float intersection = record_intersection(i, j, rules.extent);
    if (!(intersection > 0.0F)) return 1.0F;
    const float iou = overlap_ratio(Overlap::iou, intersection, i.area, j.area);
    return rules.rule == NmsRule::soft_gaussian ? soft_gaussian_factor(iou, rules.sigma)
                                                : soft_linear_factor(iou, rules.theta);
}

// The score of a member after a pick; NaN if it is dropped.
__device__ __forceinline__ float decayed(const NmsRuleSet& rules, float score, float factor) {
    score *= factor;
    return soft_drops(score, rules.score_min) ? NAN : score;
}

// Returns the root of r's component, while other threads join components. A link always leads to a smaller record, so
// every chain ends. All accesses to links are relaxed operations of device scope, which are morally strong, and a link
// written by a compare-and-swap of a root never changes its component: an older link leads to the same root later. A
// halved chain is one of the links that were seen. No other data is read through a link in this kernel; the next
// kernels follow a kernel boundary.
__device__ std::uint32_t find_root(std::uint32_t* links, std::uint32_t r) {
    while (true) {
        const std::uint32_t next = load_relaxed(links[r]);
        if (next == 0) return r;
        const std::uint32_t after = load_relaxed(links[next - 1]);
        if (after == 0) return next - 1;
        store_relaxed(links[r], after);  // halves the way for the next one
        r = after - 1;
    }
}

__device__ void join(std::uint32_t* links, std::uint32_t a, std::uint32_t b) {
    a = find_root(links, a);
    b = find_root(links, b);
    while (a != b) {
        const std::uint32_t later = max(a, b);
        const std::uint32_t earlier = min(a, b);
        if (atomicCAS(&links[later], 0U, earlier + 1) == 0) return;
        a = find_root(links, later);
        b = find_root(links, earlier);
    }
}

__global__ void __launch_bounds__(kThreads)
    link_kernel(BoxGrid g, SoftScratch s, const __grid_constant__ NmsRuleSet rules, unsigned long long* d_tests) {
    start_kernel();
    const SearchPlan plan = *g.plan;
    const Group<kLinkLanes> group;
    const std::uint32_t r = (blockIdx.x * kThreads + threadIdx.x) / kLinkLanes;
    const bool active = r < plan.stored;
    if (scores_may_rise(rules)) {
        if (active && r != 0) s.links[r] = 1;
        return;
    }
    const GridRecord mine = active ? g.records[r] : GridRecord{};
    TestCounter counter;
    for_each_near(g, plan, group, active, mine, rules.extent, [&](std::uint32_t other) {
        if (other >= r) return;
        ++counter.tests;
        const GridRecord theirs = g.records[other];
        if (!same_group(rules.gate, mine.index, theirs.index)) return;
        if (decay_factor(rules, mine, theirs) != 1.0F) join(s.links, r, other);
    });
    counter.report(d_tests);
}

__global__ void __launch_bounds__(kThreads)
    count_members_kernel(BoxGrid g, SoftScratch s, const __grid_constant__ NmsTask task) {
    start_kernel();
    const std::uint32_t r = blockIdx.x * kThreads + threadIdx.x;
    if (r >= g.plan->stored) return;
    s.slots[r] = atomicAdd(&s.sizes[find_root(s.links, r)], 1U);
    const GridRecord mine = g.records[r];
    if (score_key(mine.score) < g.plan->best_key) return;  // best_key leaves the highest scores out
    std::uint32_t best = load_relaxed(s.summary->first);
    while (best == 0 || record_precedes(task, mine, g.records[best - 1])) {
        const std::uint32_t seen = atomicCAS(&s.summary->first, best, r + 1);
        if (seen == best) return;
        best = seen;
    }
}

__global__ void __launch_bounds__(kThreads) allocate_components_kernel(BoxGrid g, SoftScratch s, bool in_turn) {
    start_kernel();
    const std::uint32_t r = blockIdx.x * kThreads + threadIdx.x;
    if (r >= g.plan->stored) return;
    const std::uint32_t size = s.sizes[r];
    if (size == 0) return;
    s.starts[r] = atomicAdd(&s.summary->members, size);
    if (size <= kWarpMembers && !in_turn) {
        s.small[atomicAdd(&s.summary->small, 1U)] = r;
    } else {
        s.large[atomicAdd(&s.summary->large, 1U)] = r;
    }
}

__device__ __forceinline__ void write_in_turn(const NmsTask& task, std::uint32_t position, const GridRecord& pick) {
    write_kept(task, position, load_box(task.raw.boxes, pick.index), pick.score, 1, pick.index);
}

__global__ void __launch_bounds__(kThreads)
    fill_components_kernel(BoxGrid g, SoftScratch s, KeptOrder order, const __grid_constant__ NmsTask task,
                           const __grid_constant__ NmsRuleSet rules) {
    start_kernel();
    const std::uint32_t r = blockIdx.x * kThreads + threadIdx.x;
    if (r >= g.plan->stored) return;
    const std::uint32_t at = s.starts[find_root(s.links, r)] + s.slots[r];
    const std::uint32_t first = s.summary->first - 1;
    const GridRecord mine = g.records[r];
    const GridRecord picked = g.records[first];
    const bool decays = same_group(rules.gate, mine.index, picked.index);
    s.members[at] = r;
    s.scores[at] = r == first ? NAN : decayed(rules, mine.score, decays ? decay_factor(rules, mine, picked) : 1.0F);
    if (r != first) return;
    if (scores_may_rise(rules)) {
        write_in_turn(task, 0, mine);
    } else {
        append_kept(order, mine, r, KeptOrder::kLeads);
    }
}

// The lane whose record precedes those of all others, -1 if there is none: where the score is NaN.
__device__ int best_lane(const NmsTask& task, const GridRecord& mine) {
    const std::uint32_t key = isnan(mine.score) ? 0 : score_key(mine.score);
    const std::uint32_t best_key = warp_max(key);
    if (best_key == 0) return -1;
    std::uint32_t equal = __ballot_sync(kWholeWarp, key == best_key);
    int best = __ffs(equal) - 1;
    for (equal &= equal - 1; equal != 0; equal &= equal - 1) {
        const int other = __ffs(equal) - 1;
        const std::uint32_t theirs = __shfl_sync(kWholeWarp, mine.index, other);
        if (precedes_at_equal_scores(task, 0.0F, theirs, __shfl_sync(kWholeWarp, mine.index, best))) best = other;
    }
    return best;
}

__device__ __forceinline__ bool is_better(const NmsTask& task, const GridRecord& item, const GridRecord& best) {
    return !isnan(item.score) && (isnan(best.score) || record_precedes(task, item, best));
}

// A warp a component of up to kWarpMembers.
__global__ void __launch_bounds__(kThreads)
    run_small_kernel(BoxGrid g, SoftScratch s, KeptOrder order, const __grid_constant__ NmsTask task,
                     const __grid_constant__ NmsRuleSet rules) {
    start_kernel();
    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t total = s.summary->small;
    TestCounter counter;
    for (std::uint32_t c = (blockIdx.x * kThreads + threadIdx.x) / 32; c < total; c += gridDim.x * (kThreads / 32)) {
        const std::uint32_t root = s.small[c];
        const std::uint32_t size = s.sizes[root];
        const std::uint32_t start = s.starts[root];
        GridRecord items[kWarpItems];
        std::uint32_t records[kWarpItems];
#pragma unroll
        for (int k = 0; k < kWarpItems; ++k) {
            const std::uint32_t at = k * 32 + lane;
            records[k] = at < size ? s.members[start + at] : root;
            items[k] = g.records[records[k]];
            items[k].score = at < size ? s.scores[start + at] : NAN;
        }
        while (true) {
            GridRecord best{};
            best.score = NAN;
            std::uint32_t best_record = kNone;
#pragma unroll
            for (int k = 0; k < kWarpItems; ++k) {
                if (!is_better(task, items[k], best)) continue;
                best = items[k];
                best_record = records[k];
            }
            const int source = best_lane(task, best);
            if (source < 0) break;
            const auto of_best = [&](float value) { return __shfl_sync(kWholeWarp, value, source); };
            GridRecord picked{};
            picked.left = of_best(best.left);
            picked.top = of_best(best.top);
            picked.right = of_best(best.right);
            picked.bottom = of_best(best.bottom);
            picked.area = of_best(best.area);
            const bool is_mine = static_cast<int>(lane) == source;
            // Where a component's picks go is taken one at a time: they are ordered later anyway.
            if (is_mine) append_kept(order, best, best_record, bucket_of_product(order, best.score, rules.score_min));
#pragma unroll
            for (int k = 0; k < kWarpItems; ++k) {
                if (is_mine && records[k] == best_record) items[k].score = NAN;
                if (isnan(items[k].score)) continue;
                ++counter.tests;
                items[k].score = decayed(rules, items[k].score, decay_factor(rules, items[k], picked));
            }
        }
    }
    counter.report(task.tests);
}

// A block a component of any size; the scores at present lie in device memory.
__global__ void __launch_bounds__(kBlockThreads)
    run_large_kernel(BoxGrid g, SoftScratch s, KeptOrder order, const __grid_constant__ NmsTask task,
                     const __grid_constant__ NmsRuleSet rules) {
    __shared__ std::uint32_t warp_best[2][32];  // positions of members
    __shared__ GridRecord warp_items[2][32];
    start_kernel();
    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t warp = threadIdx.x / 32;
    const std::uint32_t total = s.summary->large;
    const bool in_turn = scores_may_rise(rules);
    TestCounter counter;
    for (std::uint32_t c = blockIdx.x; c < total; c += gridDim.x) {
        const std::uint32_t root = s.large[c];
        const std::uint32_t size = s.sizes[root];
        const std::uint32_t* members = s.members + s.starts[root];
        float* scores = s.scores + s.starts[root];
        GridRecord picked{INFINITY, INFINITY, -INFINITY, -INFINITY};  // none before, which decays nothing
        std::uint32_t picks = 1;                                      // one was made before
        for (;; ++picks) {
            // Decay by the last pick and find the next in one go.
            GridRecord best{};
            best.score = NAN;
            std::uint32_t best_at = 0;
            for (std::uint32_t at = threadIdx.x; at < size; at += kBlockThreads) {
                if (isnan(scores[at])) continue;
                GridRecord item = g.records[members[at]];
                ++counter.tests;
                scores[at] = item.score = decayed(rules, scores[at], decay_factor(rules, item, picked));
                if (!is_better(task, item, best)) continue;
                best = item;
                best_at = at;
            }
            const std::uint32_t turn = picks & 1;  // two sets of shared memory: one barrier a pick is enough
            int source = best_lane(task, best);
            if (static_cast<int>(lane) == max(source, 0)) {
                warp_best[turn][warp] = best_at;
                warp_items[turn][warp] = best;
            }
            __syncthreads();
            source = best_lane(task, warp_items[turn][lane]);
            if (source < 0) break;
            picked = warp_items[turn][source];
            const std::uint32_t at = warp_best[turn][source];
            if (at % kBlockThreads != threadIdx.x) continue;
            scores[at] = NAN;
            if (in_turn) {
                write_in_turn(task, picks, picked);
            } else {
                append_kept(order, picked, members[at], bucket_of_product(order, picked.score, rules.score_min));
            }
        }
        if (in_turn && threadIdx.x == 0) task.kept.count->total = picks;
        counter.report(task.tests);
        __syncthreads();
    }
    if (in_turn && blockIdx.x == 0 && threadIdx.x == 0) {
        if (total == 0) task.kept.count->total = 0;
        task.kept.count->invalid = g.plan->invalid;
    }
}

constexpr std::size_t kSummaryWords = sizeof(SoftSummary) / sizeof(std::uint32_t);

}  // namespace

SoftNms::SoftNms(const DeviceInfo& device, std::int32_t capacity)
    : device_(device),
      capacity_(capacity),
      grid_(capacity),
      order_(capacity, kSummaryWords + 2 * static_cast<std::size_t>(capacity)) {
    const auto n = static_cast<std::size_t>(capacity);
    memory_ = allocate_arrays([&](ArrayLayout& layout) {
        layout.take(scratch_.slots, n);
        layout.take(scratch_.starts, n);
        layout.take(scratch_.members, n);
        layout.take(scratch_.scores, n);
        layout.take(scratch_.small, n);
        layout.take(scratch_.large, n);
    });
    scratch_.summary = reinterpret_cast<SoftSummary*>(order_.further());
    scratch_.links = order_.further() + kSummaryWords;
    scratch_.sizes = scratch_.links + n;
}

void SoftNms::launch_order(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) const {
    launch_grid_build({grid_.view(rules), rules.extent, rules.gate, order_.cleared()}, task,
                      LaunchChain(device_, stream));
}

void SoftNms::launch_map(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) const {
    const BoxGrid g = grid_.view(rules);
    const SoftScratch& s = scratch_;
    const LaunchChain chain(device_, stream);
    const LaunchSize size = launch_size(capacity_, kThreads);
    chain.launch("link_kernel", link_kernel, launch_size(std::int64_t{capacity_} * kLinkLanes, kThreads), g, s, rules,
                 task.tests);
    chain.launch("count_members_kernel", count_members_kernel, size, g, s, task);
    chain.launch("allocate_components_kernel", allocate_components_kernel, size, g, s, scores_may_rise(rules));
    chain.launch("fill_components_kernel", fill_components_kernel, size, g, s, order(g), task, rules);
}

void SoftNms::launch_reduce(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) const {
    const BoxGrid g = grid_.view(rules);
    const SoftScratch& s = scratch_;
    const bool in_turn = scores_may_rise(rules);
    const LaunchChain chain(device_, stream);
    const auto multiprocessors = static_cast<unsigned>(device_.multiprocessors);
    if (!in_turn) {
        const unsigned small = std::min(multiprocessors * 8, blocks_for(std::int64_t{capacity_} * 32, kThreads));
        chain.launch("run_small_kernel", run_small_kernel, LaunchSize{small, kThreads}, g, s, order(g), task, rules);
    }
    const unsigned large = in_turn ? 1 : std::min(multiprocessors * 2, blocks_for(capacity_, kWarpMembers));
    chain.launch("run_large_kernel", run_large_kernel, LaunchSize{large, kBlockThreads}, g, s, order(g), task, rules);
    if (!in_turn) launch_kept_order(order(g), task, 1, chain);
}

}  // namespace throng::gpu
