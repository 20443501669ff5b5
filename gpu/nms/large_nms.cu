#include <cuda_runtime.h>

#include <algorithm>

#include "gpu/nms/box_grid.cuh"
#include "gpu/nms/large_nms.h"

// After the binning, kernels over the records, which lie by cell, so that the lanes of a warp look at the same
// neighbours:
//   decide:  a detection that nobody suppresses is kept, under one-pass and greedy alike; a search ends at the first
//            suppressor. The kept ones are listed by cell, too. The others are suppressed (one-pass) or open (greedy).
//   settle:  (greedy) most open ones are suppressed by one listed as kept.
//   resolve: (greedy) the rest wait for those of their suppressors that are open, without barriers: a warp goes round
//   its
//            own until all are decided. The first open one waits for nobody, so all get an answer. The launch is
//            cooperative: every warp runs.
//   own:     each suppressed one looks for the first kept one that suppresses it, among the kept ones listed near it.
// Then the kept ones are ordered and written (kept_order.h).
namespace throng::gpu {
namespace {

constexpr int kThreads = 256;
// Lanes that search together.
constexpr int kDecideLanes = 8;
constexpr int kSettleLanes = 4;
constexpr int kResolveLanes = 32;
constexpr int kPolls = 64;  // looks at the suppressors of one detection before the next has its turn
constexpr int kOwnLanes = 4;

enum State : std::uint32_t { open = 0, kept = 1, suppressed = 2 };

struct Work {
    BoxGrid grid;
    std::uint32_t* state;
    std::uint32_t* hits;
    std::uint32_t* kept_items;
    std::uint32_t* undecided;
    KeptEntry* entries;
};

__device__ void keep(const Work& w, std::uint32_t r, const Candidate& mine, std::uint32_t GridCell::*list,
                     std::uint32_t early) {
    GridCell& cell = w.grid.cells[w.grid.cell_of[r]];
    w.kept_items[cell.start + early + atomicAdd(&(cell.*list), 1U)] = r;
    const std::uint32_t k = atomicAdd(&w.grid.header->kept, 1U);
    w.entries[k] = KeptEntry{mine.box, mine.score, mine.index, r, 0};
}

template <PairPath path>
__global__ void __launch_bounds__(kThreads) decide_kernel(Work w, NmsTask task, NmsRuleSet rules) {
    if (blockIdx.x == 0 && threadIdx.x == 0 && stored_count(task.raw) >= w.grid.least)
        *task.kept.count = DetectionCount{};
    const std::uint32_t stored = w.grid.header->stored;
    const Group<kDecideLanes> group;
    const std::uint32_t r = (blockIdx.x * kThreads + threadIdx.x) / kDecideLanes;
    if (r >= stored) return;
    const Candidate mine = load_record(w.grid, r);
    const auto suppresses_me = [&](std::uint32_t other) {
        const Candidate theirs = load_record(w.grid, other);
        return theirs.score >= mine.score && other != r && suppresses<path>(rules, task.raw, mine, theirs) &&
               precedes(theirs, mine);
    };
    const bool any = rules.disjoint ? search_all(stored, group, suppresses_me)
                                    : search<kDecideLanes, Among::all>(w.grid, group, mine.box, rules.extent,
                                                                       search_ratio(w.grid, rules), suppresses_me);
    if (group.lane != 0) return;
    w.hits[r] = 1;
    const bool greedy = rules.rule == NmsRule::greedy;
    w.state[r] = !any ? kept : greedy ? open : suppressed;
    if (!any) keep(w, r, mine, &GridCell::early, 0);
}

__device__ std::uint32_t now(const std::uint32_t* state) {
    return *static_cast<const volatile std::uint32_t*>(state);
}

template <PairPath path>
__global__ void __launch_bounds__(kThreads) settle_kernel(Work w, NmsTask task, NmsRuleSet rules) {
    const std::uint32_t stored = w.grid.header->stored;
    const Group<kSettleLanes> group;
    const std::uint32_t r = (blockIdx.x * kThreads + threadIdx.x) / kSettleLanes;
    if (r >= stored || w.state[r] != open) return;
    const Candidate mine = load_record(w.grid, r);
    const bool gone = !rules.disjoint &&
                      search<kSettleLanes, Among::early>(
                          w.grid, group, mine.box, rules.extent, search_ratio(w.grid, rules), [&](std::uint32_t item) {
                              const Candidate theirs = load_record(w.grid, w.kept_items[item]);
                              return theirs.score >= mine.score && suppresses<path>(rules, task.raw, mine, theirs) &&
                                     precedes(theirs, mine);
                          });
    if (group.lane != 0) return;
    if (gone) {
        w.state[r] = suppressed;
    } else {
        w.undecided[atomicAdd(&w.grid.header->undecided, 1U)] = r;
    }
}

template <PairPath path>
__global__ void __launch_bounds__(kThreads) resolve_kernel(Work w, NmsTask task, NmsRuleSet rules) {
    const std::uint32_t stored = w.grid.header->stored;
    const std::uint32_t total = w.grid.header->undecided;
    const float ratio = search_ratio(w.grid, rules);
    const Group<kResolveLanes> group;
    const std::uint32_t first = (blockIdx.x * kThreads + threadIdx.x) / kResolveLanes;
    const std::uint32_t groups = gridDim.x * kThreads / kResolveLanes;

    for (bool again = false, waiting = true; waiting; again = true) {
        waiting = false;
        for (std::uint32_t u = first; u < total; u += groups) {
            const std::uint32_t r = w.undecided[u];
            if (again && now(w.state + r) != open) continue;
            const Candidate mine = load_record(w.grid, r);
            // The suppressors that are open: each lane remembers two that it met; more make the search start again.
            std::uint32_t known[2] = {r, r};
            std::uint32_t met = 0;
            const auto look = [&](std::uint32_t other) {
                const Candidate theirs = load_record(w.grid, other);
                if (theirs.score < mine.score || other == r) return false;
                const std::uint32_t state = now(w.state + other);
                if (state == suppressed || !suppresses<path>(rules, task.raw, mine, theirs) || !precedes(theirs, mine))
                    return false;
                if (state == kept) return true;
                known[met == 0 ? 0 : 1] = other;
                ++met;
                return false;
            };
            bool gone = rules.disjoint
                            ? search_all(stored, group, look)
                            : search<kResolveLanes, Among::all>(w.grid, group, mine.box, rules.extent, ratio, look);
            bool undecided = !gone && group.any(met != 0);
            if (undecided && !group.any(met > 2)) {
                for (int poll = 0; poll < kPolls && undecided; ++poll) {
                    const std::uint32_t a = met > 0 ? now(w.state + known[0]) : suppressed;
                    const std::uint32_t b = met > 1 ? now(w.state + known[1]) : suppressed;
                    gone = group.any(a == kept || b == kept);
                    undecided = !gone && group.any(a == open || b == open);
                }
            }
            if (undecided) {
                waiting = true;
            } else if (group.lane == 0) {
                *static_cast<volatile std::uint32_t*>(w.state + r) = gone ? suppressed : kept;
                if (!gone) keep(w, r, mine, &GridCell::late, w.grid.cells[w.grid.cell_of[r]].early);
            }
        }
    }
}

template <PairPath path>
__global__ void __launch_bounds__(kThreads) own_kernel(Work w, NmsTask task, NmsRuleSet rules) {
    const std::uint32_t stored = w.grid.header->stored;
    const Group<kOwnLanes> group;
    const std::uint32_t r = (blockIdx.x * kThreads + threadIdx.x) / kOwnLanes;
    if (r >= stored) return;
    const Candidate mine = load_record(w.grid, r);
    if (w.state[r] == kept) {
        if (group.lane == 0 && task.owner != nullptr) task.owner[mine.index] = static_cast<std::int32_t>(mine.index);
        return;
    }
    constexpr std::uint32_t kNone = 0xFFFFFFFFU;
    std::uint32_t best = kNone;
    Candidate owner{};
    const auto look = [&](std::uint32_t other) {
        const Candidate theirs = load_record(w.grid, other);
        if (theirs.score >= mine.score && other != best && suppresses<path>(rules, task.raw, mine, theirs) &&
            precedes(theirs, mine) && (best == kNone || precedes(theirs, owner))) {
            best = other;
            owner = theirs;
        }
        return false;
    };
    if (rules.disjoint) {
        search_all(stored, group, [&](std::uint32_t other) { return w.state[other] == kept && look(other); });
    } else {
        search<kOwnLanes, Among::kept>(w.grid, group, mine.box, rules.extent, search_ratio(w.grid, rules),
                                       [&](std::uint32_t item) { return look(w.kept_items[item]); });
    }
    for (int step = kOwnLanes / 2; step > 0; step /= 2) {
        const std::uint32_t other = __shfl_xor_sync(group.mask, best, step, kOwnLanes);
        if (other == kNone || other == best) continue;
        const Candidate theirs = load_record(w.grid, other);
        if (best == kNone || precedes(theirs, owner)) {
            best = other;
            owner = theirs;
        }
    }
    if (group.lane == 0 && best != kNone) {
        atomicAdd(&w.hits[best], 1U);
        if (task.owner != nullptr) task.owner[mine.index] = static_cast<std::int32_t>(owner.index);
    }
}

template <PairPath path>
int resolve_blocks_an_sm() {
    int blocks = 0;
    check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, resolve_kernel<path>, kThreads, 0),
               "resolve_kernel: occupancy");
    return blocks;
}

unsigned blocks_for(std::int32_t items, int lanes) {
    const std::int64_t threads = static_cast<std::int64_t>(items) * lanes;
    return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
}

template <PairPath path>
void launch_decisions(const Work& work, const NmsTask& task, const NmsRuleSet& rules, int blocks, StreamView stream) {
    decide_kernel<path><<<blocks_for(task.raw.capacity, kDecideLanes), kThreads, 0, stream>>>(work, task, rules);
    check_launch("decide_kernel", stream);
    if (rules.rule == NmsRule::one_pass) return;
    settle_kernel<path><<<blocks_for(task.raw.capacity, kSettleLanes), kThreads, 0, stream>>>(work, task, rules);
    check_launch("settle_kernel", stream);
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(std::min(static_cast<unsigned>(blocks), blocks_for(task.raw.capacity, kResolveLanes)));
    config.blockDim = dim3(kThreads);
    config.stream = stream;
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    check_cuda(cudaLaunchKernelEx(&config, resolve_kernel<path>, work, task, rules), "resolve_kernel");
    check_launch("resolve_kernel", stream);
}

template <PairPath path>
void launch_owners(const Work& work, const NmsTask& task, const NmsRuleSet& rules, StreamView stream) {
    own_kernel<path><<<blocks_for(task.raw.capacity, kOwnLanes), kThreads, 0, stream>>>(work, task, rules);
    check_launch("own_kernel", stream);
}

}  // namespace

LargeNms::LargeNms(const DeviceInfo& device, std::int32_t capacity)
    : grid_(capacity),
      order_(capacity),
      state_(capacity),
      hits_(capacity),
      kept_items_(capacity),
      undecided_(capacity) {
    const int each = std::min(resolve_blocks_an_sm<PairPath::plain>(), resolve_blocks_an_sm<PairPath::any>());
    resolve_blocks_ = device.multiprocessors * std::max(each, 1);
}

std::size_t LargeNms::bytes() const {
    return grid_.bytes() + order_.bytes() + state_.bytes() + hits_.bytes() + kept_items_.bytes() + undecided_.bytes();
}

void LargeNms::launch_map(const NmsTask& task, const NmsRuleSet& rules, std::uint32_t least, StreamView stream) const {
    const Work work{grid_.view(least),  state_.data(),     hits_.data(),
                    kept_items_.data(), undecided_.data(), order_.entries()};
    launch_grid_build(work.grid, task, rules.extent, stream);
    if (pair_path(rules) == PairPath::plain) {
        launch_decisions<PairPath::plain>(work, task, rules, resolve_blocks_, stream);
    } else {
        launch_decisions<PairPath::any>(work, task, rules, resolve_blocks_, stream);
    }
}

void LargeNms::launch_reduce(const NmsTask& task, const NmsRuleSet& rules, std::uint32_t least,
                             StreamView stream) const {
    const Work work{grid_.view(least),  state_.data(),     hits_.data(),
                    kept_items_.data(), undecided_.data(), order_.entries()};
    if (pair_path(rules) == PairPath::plain) {
        launch_owners<PairPath::plain>(work, task, rules, stream);
    } else {
        launch_owners<PairPath::any>(work, task, rules, stream);
    }
    const GridHeader* header = work.grid.header;
    order_.launch(KeptList{order_.entries(), &work.grid.header->kept, &header->invalid, hits_.data(), least}, task,
                  rules.min_hits, stream);
}

}  // namespace throng::gpu
