#include <cuda_runtime.h>

#include <algorithm>

#include "gpu/nms/box_grid.cuh"
#include "gpu/nms/kept_order.cuh"
#include "gpu/nms/soft_nms.h"
#include "gpu/runtime/launch.cuh"

// Kernels, after the binning:
//   link:  joins each detection with those of its group that it may decay, by union-find in device memory;
//   count, allot, fill: lays the members of each component side by side;
//   run:   a warp a small component, members in registers; a block a large one. Each repeats: pick the member that
//          precedes all others by its present score, decay the rest.
// Scores only fall while none is negative, so the picks of all components together are ordered by their final scores,
// and are written so. Where score_min lets negative scores live, scores may rise: then everything is one component,
// run by one block, and written in the order of its picks.
namespace throng::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kLinkLanes = 8;
constexpr int kBlockThreads = 1024;
constexpr int kWarpItems = 4;  // members a lane holds
constexpr std::uint32_t kWarpMembers = 32 * kWarpItems;

struct Decay {
    float extent;
    float threshold;  // theta or sigma
    float score_min;
    bool gaussian;
    bool in_turn;  // scores may rise

    // What i's score is multiplied by when j is picked.
    __device__ __forceinline__ float factor(Box i, Box j) const {
        return factor(intersection_area(i, j, extent), box_area(i, extent), box_area(j, extent));
    }
    __device__ __forceinline__ float factor(const GridRecord& i, const GridRecord& j) const {
        return factor(record_intersection(i, j, extent), i.area, j.area);
    }

private:
    __device__ __forceinline__ float factor(float intersection, float area_i, float area_j) const {
        if (!(intersection > 0.0F)) return 1.0F;
        const float iou = overlap_ratio(Overlap::iou, intersection, area_i, area_j);
        return gaussian ? soft_gaussian_factor(iou, threshold) : soft_linear_factor(iou, threshold);
    }
};

// A record as the detection that it was.
__device__ __forceinline__ Candidate load_candidate(const BoxGrid& g, const DetectionSpan& raw, std::uint32_t r) {
    const std::uint32_t index = g.records[r].index;
    return {load_box(raw.boxes, index), raw.scores[index], index};
}

Decay make_decay(const NmsParams& params) {
    const bool gaussian = params.rule == NmsRule::soft_gaussian;
    return {pixel_extent(params.pixels), gaussian ? params.sigma : params.theta, params.score_min, gaussian,
            params.score_min < 0.0F};
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
        if (a < b) {
            const std::uint32_t swap = a;
            a = b;
            b = swap;
        }
        if (atomicCAS(&links[a], 0U, b + 1) == 0) return;
        a = find_root(links, a);
        b = find_root(links, b);
    }
}

__global__ void __launch_bounds__(kThreads)
    link_kernel(BoxGrid g, SoftScratch s, Decay decay, NmsTask task, const __grid_constant__ NmsRuleSet rules,
                unsigned long long* d_tests) {
    const std::uint32_t stored = g.plan->stored;
    const Group<kLinkLanes> group;
    const std::uint32_t r = (blockIdx.x * kThreads + threadIdx.x) / kLinkLanes;
    const bool active = r < stored;
    const GridRecord mine = active ? load_record(g, r) : GridRecord{};
    if (active && group.lane == 0) {
        const unsigned long long key = order_key(load_box(task.raw.boxes, mine.index), mine.score);
        if (key > load_relaxed(s.summary->best_key)) atomicMax(&s.summary->best_key, key);
        if (decay.in_turn && r != 0) s.links[r] = 1;
    }
    if (decay.in_turn) return;
    TestCounter counter;
    const SearchPlan plan = *g.plan;
    for_each_near(g, plan, group, active, mine, rules.extent, [&](std::uint32_t other) {
        if (other >= r) return;
        ++counter.tests;
        const GridRecord theirs = load_record(g, other);
        if (!same_group(rules.gate, mine.index, theirs.index)) return;
        if (decay.factor(mine, theirs) != 1.0F) join(s.links, r, other);
    });
    counter.report(d_tests);
}

__global__ void __launch_bounds__(kThreads) count_members_kernel(BoxGrid g, SoftScratch s, NmsTask task) {
    const std::uint32_t r = blockIdx.x * kThreads + threadIdx.x;
    if (r >= g.plan->stored) return;
    s.slots[r] = atomicAdd(&s.sizes[find_root(s.links, r)], 1U);
    const Candidate mine = load_candidate(g, task.raw, r);
    if (order_key(mine.box, mine.score) != s.summary->best_key) return;
    std::uint32_t best = load_relaxed(s.summary->first);
    while (best == 0 || precedes(mine, load_candidate(g, task.raw, best - 1))) {
        const std::uint32_t seen = atomicCAS(&s.summary->first, best, r + 1);
        if (seen == best) return;
        best = seen;
    }
}

__global__ void __launch_bounds__(kThreads) allot_components_kernel(BoxGrid g, SoftScratch s, Decay decay) {
    const std::uint32_t r = blockIdx.x * kThreads + threadIdx.x;
    if (r >= g.plan->stored) return;
    const std::uint32_t size = s.sizes[r];
    if (size == 0) return;
    s.starts[r] = atomicAdd(&s.summary->members, size);
    if (size <= kWarpMembers && !decay.in_turn) {
        s.small[atomicAdd(&s.summary->small, 1U)] = r;
    } else {
        s.large[atomicAdd(&s.summary->large, 1U)] = r;
    }
}

__global__ void __launch_bounds__(kThreads) fill_components_kernel(BoxGrid g, SoftScratch s) {
    const std::uint32_t r = blockIdx.x * kThreads + threadIdx.x;
    if (r >= g.plan->stored) return;
    const std::uint32_t at = s.starts[find_root(s.links, r)] + s.slots[r];
    s.members[at] = r;
    s.scores[at] = g.records[r].score;
}

// leads: the first pick of the frame.
__device__ __forceinline__ void append(const KeptOrder& order, const Decay& decay, const Candidate& pick,
                                       std::uint32_t record, bool leads) {
    append_kept(order, pick, record, leads ? KeptOrder::kLeads : bucket_of_product(order, pick.score, decay.score_min));
}

// The one of all lanes that precedes all others; key is its score_key, 0 on lanes that have none.
__device__ int best_lane(const Candidate& mine, std::uint32_t key, std::uint32_t& best_key) {
    best_key = warp_max(key);
    if (best_key == 0) return -1;
    std::uint32_t equal = __ballot_sync(kWholeWarp, key == best_key);
    int best = __ffs(equal) - 1;
    for (equal &= equal - 1; equal != 0; equal &= equal - 1) {
        const int other = __ffs(equal) - 1;
        const auto from = [&](int lane) {
            return Candidate{Box{__shfl_sync(kWholeWarp, mine.box.x, lane), __shfl_sync(kWholeWarp, mine.box.y, lane),
                                 __shfl_sync(kWholeWarp, mine.box.w, lane), __shfl_sync(kWholeWarp, mine.box.h, lane)},
                             __shfl_sync(kWholeWarp, mine.score, lane), __shfl_sync(kWholeWarp, mine.index, lane)};
        };
        const Candidate a = from(other);
        const Candidate b = from(best);
        if (precedes(a, b)) best = other;
    }
    return best;
}

// A warp a component of up to kWarpMembers.
__global__ void __launch_bounds__(kThreads) run_small_kernel(BoxGrid g, SoftScratch s, KeptOrder order, Decay decay,
                                                             NmsTask task, unsigned long long* d_tests) {
    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t total = s.summary->small;
    const std::uint32_t first = s.summary->first - 1;
    TestCounter counter;
    for (std::uint32_t c = (blockIdx.x * kThreads + threadIdx.x) / 32; c < total; c += gridDim.x * (kThreads / 32)) {
        const std::uint32_t root = s.small[c];
        const std::uint32_t size = s.sizes[root];
        const std::uint32_t* members = s.members + s.starts[root];
        Candidate items[kWarpItems];
        std::uint32_t records[kWarpItems];
        bool alive[kWarpItems];
        bool has_first = false;
#pragma unroll
        for (int k = 0; k < kWarpItems; ++k) {
            const std::uint32_t at = k * 32 + lane;
            alive[k] = at < size;
            records[k] = alive[k] ? members[at] : 0;
            if (alive[k]) items[k] = load_candidate(g, task.raw, records[k]);
            has_first = has_first || (alive[k] && records[k] == first);
        }
        // The very first pick of the frame leads: it alone may have a negative score, and those it drops to -0 must
        // come after it. It is made before anything is dropped.
        if (!__any_sync(kWholeWarp, has_first)) {
#pragma unroll
            for (int k = 0; k < kWarpItems; ++k) alive[k] = alive[k] && !soft_drops(items[k].score, decay.score_min);
        }
        while (true) {
            Candidate best{};
            std::uint32_t best_record = 0;
            std::uint32_t key = 0;
            int which = -1;
#pragma unroll
            for (int k = 0; k < kWarpItems; ++k) {
                if (alive[k] && (which < 0 || precedes(items[k], best))) {
                    best = items[k];
                    best_record = records[k];
                    which = k;
                    key = score_key(best.score);
                }
            }
            std::uint32_t top_key = 0;
            const int source = best_lane(best, key, top_key);
            if (source < 0) break;
            const Box picked{__shfl_sync(kWholeWarp, best.box.x, source), __shfl_sync(kWholeWarp, best.box.y, source),
                             __shfl_sync(kWholeWarp, best.box.w, source), __shfl_sync(kWholeWarp, best.box.h, source)};
            if (static_cast<int>(lane) == source) {
                // Where a component's picks go is taken one at a time: they are ordered later anyway.
                append(order, decay, best, best_record, best_record == first);
            }
#pragma unroll
            for (int k = 0; k < kWarpItems; ++k) {
                if (static_cast<int>(lane) == source && k == which) alive[k] = false;
                if (!alive[k]) continue;
                ++counter.tests;
                items[k].score *= decay.factor(items[k].box, picked);
                alive[k] = !soft_drops(items[k].score, decay.score_min);
            }
        }
    }
    counter.report(d_tests);
}

// A block a component of any size; the scores at present lie in device memory, NaN for those that are gone.
__global__ void __launch_bounds__(kBlockThreads)
    run_large_kernel(BoxGrid g, SoftScratch s, KeptOrder order, Decay decay, NmsTask task,
                     unsigned long long* d_tests) {
    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t warp = threadIdx.x / 32;
    const std::uint32_t total = s.summary->large;
    const std::uint32_t first = s.summary->first - 1;
    const float gone = __int_as_float(0x7FFFFFFF);
    __shared__ std::uint32_t warp_keys[2][32];
    __shared__ std::uint32_t warp_best[2][32];  // places of members
    __shared__ Candidate warp_items[2][32];
    TestCounter counter;
    for (std::uint32_t c = blockIdx.x; c < total; c += gridDim.x) {
        const std::uint32_t root = s.large[c];
        const std::uint32_t size = s.sizes[root];
        const std::uint32_t* members = s.members + s.starts[root];
        float* scores = s.scores + s.starts[root];

        bool mine_is_first = false;
        for (std::uint32_t at = threadIdx.x; at < size; at += kBlockThreads)
            mine_is_first = mine_is_first || members[at] == first;
        bool drop = __syncthreads_or(mine_is_first ? 1 : 0) == 0;

        Box picked{};
        std::uint32_t picks = 0;
        for (;; ++picks) {
            // Decay by the last pick and find the next in one go.
            Candidate best{};
            std::uint32_t best_at = kNone;
            for (std::uint32_t at = threadIdx.x; at < size; at += kBlockThreads) {
                float score = scores[at];
                if (isnan(score)) continue;
                Candidate item = load_candidate(g, task.raw, members[at]);
                if (picks > 0) {
                    ++counter.tests;
                    score *= decay.factor(item.box, picked);
                    if (soft_drops(score, decay.score_min)) score = gone;
                    scores[at] = score;
                } else if (drop && soft_drops(score, decay.score_min)) {
                    scores[at] = score = gone;
                }
                if (isnan(score)) continue;
                item.score = score;
                if (best_at == kNone || precedes(item, best)) {
                    best = item;
                    best_at = at;
                }
            }
            const std::uint32_t turn = picks & 1;  // two sets of shared memory: one barrier a pick is enough
            std::uint32_t top = 0;
            int source = best_lane(best, best_at == kNone ? 0 : score_key(best.score), top);
            if (static_cast<int>(lane) == max(source, 0)) {
                warp_keys[turn][warp] = top;
                warp_best[turn][warp] = best_at;
                warp_items[turn][warp] = best;
            }
            __syncthreads();
            const Candidate theirs = warp_items[turn][lane];
            source = best_lane(theirs, warp_keys[turn][lane], top);
            if (source < 0) break;
            const std::uint32_t at = warp_best[turn][source];
            const Candidate pick = warp_items[turn][source];
            picked = pick.box;
            if (at % kBlockThreads == threadIdx.x) {
                scores[at] = gone;
                const std::uint32_t record = members[at];
                if (decay.in_turn) {
                    write_kept(task, picks, pick.box, pick.score, 1, pick.index);
                } else {
                    append(order, decay, pick, record, record == first);
                }
            }
        }
        if (decay.in_turn && threadIdx.x == 0) task.kept.count->total = picks;
        counter.report(d_tests);
        __syncthreads();
    }
    if (decay.in_turn && blockIdx.x == 0 && threadIdx.x == 0) {
        if (total == 0) task.kept.count->total = 0;
        task.kept.count->invalid = g.plan->invalid;
    }
}

NmsRuleSet link_rules(const NmsParams& params) {
    NmsRuleSet rules = make_rule_set(params);
    rules.overlap = Overlap::iou;
    // A factor other than 1 needs an IoU above 0, and for the linear rule one of theta.
    rules.smallest_overlap = params.rule == NmsRule::soft_linear ? params.theta : 0.0F;
    return rules;
}

constexpr std::size_t kSummaryWords = sizeof(SoftSummary) / sizeof(std::uint32_t);
constexpr std::size_t kLists = 6;

}  // namespace

SoftNms::SoftNms(const DeviceInfo& device, std::int32_t capacity, StreamView stream)
    : device_(device),
      capacity_(capacity),
      grid_(capacity, stream),
      order_(capacity),
      cleared_(kSummaryWords + 2 * static_cast<std::size_t>(capacity)),
      lists_(kLists * static_cast<std::size_t>(capacity)) {}

SoftScratch SoftNms::scratch() const {
    const auto n = static_cast<std::size_t>(capacity_);
    SoftScratch s{};
    s.summary = reinterpret_cast<SoftSummary*>(cleared_.data());
    s.links = cleared_.data() + kSummaryWords;
    s.sizes = s.links + n;
    s.slots = lists_.data();
    s.starts = lists_.data() + n;
    s.members = lists_.data() + 2 * n;
    s.scores = reinterpret_cast<float*>(lists_.data() + 3 * n);
    s.small = lists_.data() + 4 * n;
    s.large = lists_.data() + 5 * n;
    return s;
}

void SoftNms::launch_map(const NmsTask& task, const NmsParams& params, const PairGate& gate,
                         unsigned long long* d_tests, StreamView stream) const {
    NmsRuleSet rules = link_rules(params);
    rules.gate = gate;
    const BoxGrid g = grid_.view(rules);
    const SoftScratch s = scratch();
    launch_grid_build({.grid = g,
                       .extent = rules.extent,
                       .gate = rules.gate,
                       .d_clear = order_.cleared(),
                       .clear_words = order_.cleared_words()},
                      task, LaunchChain(device_, stream));
    fill_bytes(cleared_, 0, stream);
    const LaunchChain chain(stream, false);
    chain.launch("link_kernel", link_kernel,
                 LaunchSize{blocks_for(std::int64_t{capacity_} * kLinkLanes, kThreads), kThreads}, g, s,
                 make_decay(params), task, rules, d_tests);
    chain.launch("count_members_kernel", count_members_kernel, LaunchSize{blocks_for(capacity_, kThreads), kThreads}, g,
                 s, task);
    chain.launch("allot_components_kernel", allot_components_kernel,
                 LaunchSize{blocks_for(capacity_, kThreads), kThreads}, g, s, make_decay(params));
    chain.launch("fill_components_kernel", fill_components_kernel,
                 LaunchSize{blocks_for(capacity_, kThreads), kThreads}, g, s);
}

void SoftNms::launch_reduce(const NmsTask& task, const NmsParams& params, unsigned long long* d_tests,
                            StreamView stream) const {
    const BoxGrid g = grid_.view(link_rules(params));
    const SoftScratch s = scratch();
    const KeptOrder order = order_.view(g.plan, nullptr, 1);
    const Decay decay = make_decay(params);
    const LaunchChain chain(stream, false);
    if (!decay.in_turn) {
        const unsigned most = static_cast<unsigned>(device_.multiprocessors) * 8;
        chain.launch("run_small_kernel", run_small_kernel,
                     LaunchSize{std::min(most, blocks_for(std::int64_t{capacity_} * 32, kThreads)), kThreads}, g, s,
                     order, decay, task, d_tests);
    }
    const int large =
        decay.in_turn ? 1
                      : std::min(device_.multiprocessors * 2, std::max(1, capacity_ / static_cast<int>(kWarpMembers)));
    chain.launch("run_large_kernel", run_large_kernel, LaunchSize{static_cast<unsigned>(large), kBlockThreads}, g, s,
                 order, decay, task, d_tests);
    if (!decay.in_turn) launch_kept_order(order, task, 1, LaunchChain(device_, stream));
}

}  // namespace throng::gpu
