#include <cuda_runtime.h>

#include <algorithm>
#include <type_traits>

#include "gpu/nms/chained.h"
#include "gpu/nms/kept_order.cuh"
#include "gpu/nms/large_nms.h"
#include "gpu/nms/suppressor_search.cuh"

// After the binning, kernels over the records, which lie by cell, so that the lanes of a warp look at the same
// neighbors:
//   find:   lists all that suppress a detection, and which of them precedes the others. Where there is none it is kept,
//           under one-pass and greedy alike.
//   own:    (one-pass) the first suppressor owns a suppressed detection if it is kept itself, as nine in ten are. The
//           others look through their lists for the first kept one. Meanwhile some blocks order and write the kept
//           ones.
//   settle: (greedy) a detection waits for the first of its list that is not suppressed. Is it kept, it owns this one;
//           is none left, this one is kept. No barriers: a block goes round its own until all are settled. The first
//           open one of all waits for nobody, so all get an answer. The launch is cooperative: every block runs.
// Then the kept ones are ordered and written (kept_order.h), where that is not done yet.
// Lists have an end: those of a detection with still more suppressors search again.
namespace throng::gpu {

// What the kernels work on.
struct LargeNmsWork {
    BoxGrid grid;
    KeptOrder order;
    SuppressorLists lists;
    QuickRule quick;
    std::uint32_t* state;  // greedy; under one-pass the kept ones are those that nobody suppresses
    // Of a kept record. With hits_at_places instead its place in the output, kNone until it is known: hits are added
    // there then.
    std::uint32_t* hits;
    bool hits_at_places;
    std::uint32_t* open;  // records, by block
    unsigned long long* tests;
};

namespace {

constexpr unsigned kThreads = 256;
// Threads and blocks a multiprocessor: as many as possible without many registers going to memory; measured.
constexpr unsigned kFindThreadsAnSm = 1024;
constexpr unsigned kSettleBlocks = 4;
constexpr std::int32_t kFew = 32768;
// Lanes that search for one detection. More answer sooner, fewer waste less.
constexpr int kFindLanesOfFew = 8;
constexpr int kFindLanes = 4;
// Fewer blocks start sooner; smaller ones make room sooner, where not all run at once.
constexpr unsigned find_threads(int lanes) {
    return lanes == kFindLanesOfFew ? 256 : 128;
}
// Lanes that look through one list, and how many of it each asks for in a row.
constexpr int kListLanesOfFew = 16;
constexpr int kListLanes = 8;
constexpr int kListedAtOnce = 2;
// Blocks a multiprocessor: of few fewer, with more registers, for all of them run at once all the same.
constexpr unsigned own_blocks(int lanes) {
    return lanes == kListLanesOfFew ? 3 : 4;
}
constexpr std::uint32_t kShare = 128;      // records that a block takes at a time; of few half as many
constexpr std::uint32_t kShortList = 512;  // open records of a block that fit its shared memory
constexpr std::uint32_t kMinOpen = 32;     // records that a block settles
constexpr unsigned kMaxWriters = 528;      // blocks that put the kept ones in order
constexpr std::int32_t kKeptShare = 8;     // detections of which about one is kept

enum State : std::uint32_t { open = 0, kept = 1, suppressed = 2 };

__device__ void keep(const LargeNmsWork& w, const NmsTask& task, const SearchPlan& plan, std::uint32_t r,
                     const GridRecord& mine) {
    append_kept(w.order, {load_box(task.raw.boxes, mine.index), mine.score, mine.index}, r,
                bucket_of(w.order, plan.best, plan.worst, mine.score));
    if (task.owner != nullptr) task.owner[mine.index] = static_cast<std::int32_t>(mine.index);
}

// What another block tells while this one runs.
__device__ __forceinline__ std::uint32_t load_told(const std::uint32_t* from) {
    std::uint32_t value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}

__device__ __forceinline__ void tell_owner(const LargeNmsWork& w, const NmsTask& task, std::uint32_t r,
                                           std::uint32_t owner) {
    if (task.owner != nullptr)
        task.owner[w.grid.records[r].index] = static_cast<std::int32_t>(w.grid.records[owner].index);
}
__device__ __forceinline__ void add_hits(const LargeNmsWork& w, const NmsTask& task, std::uint32_t owner,
                                         std::uint32_t hits) {
    if (w.hits_at_places) {
        std::uint32_t place = load_told(w.hits + owner);
        while (place == kNone) place = load_told(w.hits + owner);
        if (has_permit(task, place)) atomicAdd(task.kept.hits + place, static_cast<std::int32_t>(hits));
    } else {
        atomicAdd(&w.hits[owner], hits);
    }
}
__device__ __forceinline__ void give_to(const LargeNmsWork& w, const NmsTask& task, std::uint32_t r,
                                        std::uint32_t owner) {
    tell_owner(w, task, r, owner);
    add_hits(w, task, owner, 1);
}

// What find has found of record r.
__device__ __forceinline__ void tell(const LargeNmsWork& w, const NmsTask& task, const NmsRuleSet& rules,
                                     const SearchPlan& plan, std::uint32_t r, const GridRecord& mine,
                                     const SuppressorHead& found) {
    w.lists.heads[r] = found;
    w.hits[r] = w.hits_at_places ? kNone : 1;
    if (w.hits_at_places && has_permit(task, r)) task.kept.hits[r] = 0;
    if (rules.rule == NmsRule::greedy) w.state[r] = found.first == kNone ? kept : open;
    if (found.first == kNone) keep(w, task, plan, r, mine);
}

// The same for a record of which the search has left open whether any suppresses it. For whole warps. In line, though
// it is rare: a call would take registers from the search.
template <PairPath path>
__device__ __forceinline__ void find_exactly(const LargeNmsWork& w, const NmsTask& task, const NmsRuleSet& rules,
                                             std::uint32_t r) {
    TestCounter counter;
    const SearchPlan plan = load_plan(w.grid);
    const GridRecord mine = load_record(w.grid, r);
    const std::uint32_t first = first_suppressor<path>(w.grid, task, rules, w.quick, plan, Group<32>(), true, r, mine,
                                                       counter, [](std::uint32_t) { return true; });
    counter.report(w.tests);
    if (threadIdx.x % 32 != 0) return;
    tell(w, task, rules, plan, r, mine, {first, first == kNone ? 0 : SuppressorLists::kRoom + 1});
}

// Calls visit(record) for the records of those groups that have `requested`, one after the other. For whole warps.
template <int kLanes, class Visit>
__device__ __forceinline__ void for_each_requested(bool requested, std::uint32_t r, Visit&& visit) {
    constexpr std::uint32_t kFirstLanes = 0xFFFFFFFFU / ((1U << kLanes) - 1);
    for (std::uint32_t left = __ballot_sync(kWholeWarp, requested) & kFirstLanes; left != 0; left &= left - 1)
        visit(__shfl_sync(kWholeWarp, r, __ffs(static_cast<int>(left)) - 1));
}

template <PairPath path, int kLanes>
__global__ void __launch_bounds__(find_threads(kLanes), kFindThreadsAnSm / find_threads(kLanes))
    find_kernel(const __grid_constant__ LargeNmsWork w, const __grid_constant__ NmsTask task,
                const __grid_constant__ NmsRuleSet rules) {
    constexpr std::uint32_t kInBlock = find_threads(kLanes) / kLanes;
    using Search = SuppressorSearch<path, kLanes>;
    __shared__ typename Search::Board boards[find_threads(kLanes) / 32];
    __shared__ FrameHead frame;
    __shared__ SearchConstants constants;
    let_next_start();
    if (threadIdx.x == 0) {
        frame.load_count(task.raw);
        constants.store(w.grid, rules, w.quick);
    }
    __syncthreads();
    const std::uint32_t in_block = threadIdx.x / kLanes;
    // Of few a block has pieces far from each other, so that dense places are shared out.
    constexpr std::uint32_t kPiece = kLanes == kFindLanesOfFew ? kInBlock / 4 : kInBlock;
    std::uint32_t r = (in_block / kPiece * gridDim.x + blockIdx.x) * kPiece + in_block % kPiece;
    const std::uint32_t n = frame.n;
    wait_for_previous(n | r);
    if (n < w.grid.least) return;
    // Before it is known how many there are, to wait once for all.
    GridRecord mine = load_record_now(w.grid, r, r < static_cast<std::uint32_t>(task.raw.capacity));
    if (threadIdx.x < 32) frame.load_plan(w.grid);
    __syncthreads();
    const SearchPlan& plan = frame.plan;
    TestCounter counter;
    Search search(w.grid, plan, rules, w.quick, task.raw, w.lists, constants, boards[threadIdx.x / 32], counter);
    const auto list_all = [&] {
        const bool active = r < plan.stored;
        if (!__any_sync(kWholeWarp, active)) return;
        const SuppressorHead found = search.run(active, r, mine);
        const bool open = Search::is_open(found);
        if (active && !open && threadIdx.x % kLanes == 0) tell(w, task, rules, plan, r, mine, found);
        if (__any_sync(kWholeWarp, open)) {
            for_each_requested<kLanes>(open, r, [&](std::uint32_t its) { find_exactly<path>(w, task, rules, its); });
        }
    };
    if constexpr (kLanes == kFindLanesOfFew) {
        list_all();  // there is a block for each
    } else {
        while (true) {
            list_all();
            r += gridDim.x * kInBlock;
            if (r - in_block >= plan.stored) break;
            mine = r < plan.stored ? load_record(w.grid, r) : GridRecord{};
        }
    }
    counter.report(w.tests);
}

// What a lane of a group has of the list of record r: the first in order of those whose state, told by
// state_of(record), is not `suppressed`. Not where the list is cut. kAtOnce: that a lane asks for in a row.
template <int kLanes, int kAtOnce, class StateOf>
__device__ __forceinline__ Choice listed(const LargeNmsWork& w, const NmsTask& task, std::uint32_t r,
                                         std::uint32_t count, StateOf&& state_of) {
    const std::uint32_t* entries = w.lists.entries + std::size_t{r} * SuppressorLists::kRoom;
    Choice mine;
#pragma unroll 1
    for (std::uint32_t first = threadIdx.x % kLanes; first < count; first += kLanes * kAtOnce) {
        Choice others[kAtOnce];
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
            const std::uint32_t at = first + k * kLanes;
            others[k].record = at < count ? entries[at] : kNone;
        }
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
            if (others[k].record == kNone) continue;
            others[k].state = state_of(others[k].record);
            others[k].score = w.grid.records[others[k].record].score;
        }
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
            const bool open = others[k].record != kNone && others[k].state != suppressed;
            if (open && comes_first(w.grid, task.raw, others[k], mine)) mine = others[k];
        }
    }
    return mine;
}

// For a list that is cut: the first suppressor of record r that accept(record) lets pass, or kNone. For whole warps.
// Out of line: rare.
template <PairPath path, class Accept>
__device__ __noinline__ std::uint32_t search_again(const LargeNmsWork& w, const NmsTask& task, const NmsRuleSet& rules,
                                                   std::uint32_t r, Accept accept) {
    TestCounter counter;
    const std::uint32_t found = first_suppressor<path>(w.grid, task, rules, w.quick, load_plan(w.grid), Group<32>(),
                                                       true, r, load_record(w.grid, r), counter, accept);
    counter.report(w.tests);
    return found;
}

// Which records are kept, as bits in shared memory: of few. Of more they are looked up in device memory, where they lie
// close together, too.
template <bool few>
struct KeptRecords {
    static constexpr std::uint32_t kFours = few ? kFew / 128 : 1;
    struct alignas(16) Shared {
        uint4 bits[kFours];
    };
    const Shared& shared;
    const std::uint32_t* d_bits;

    // By all threads; they have to meet before they look up.
    __device__ __forceinline__ void load(Shared& to, std::uint32_t capacity) const {
        static_assert(!few || kFours <= kThreads);
        if constexpr (few) {
            const uint4 its =
                load_now(threadIdx.x * 128 < capacity, reinterpret_cast<const uint4*>(d_bits) + threadIdx.x);
            if (threadIdx.x < kFours) to.bits[threadIdx.x] = its;
        }
    }
    [[nodiscard]] __device__ __forceinline__ bool has(std::uint32_t r) const {
        const std::uint32_t* bits = few ? reinterpret_cast<const std::uint32_t*>(shared.bits) : d_bits;
        return (bits[r / 32] >> r % 32 & 1U) != 0;
    }
};

// The first `writers` blocks put the kept ones in order and write them. Each of the others takes `share` records at a
// time, whole warps of them, at most kShare; those whose first suppressor is not kept itself are shared out among
// groups of its lanes. These wait for places that the first blocks tell, and those wait for nobody: blocks start in the
// order of their numbers.
template <PairPath path, int kLanes>
__global__ void __launch_bounds__(kThreads, blocks_at_once(kThreads, own_blocks(kLanes)))
    own_kernel(const __grid_constant__ LargeNmsWork w, const __grid_constant__ NmsTask task,
               const __grid_constant__ NmsRuleSet rules, std::uint32_t share, std::uint32_t writers) {
    __shared__ KeptBoard board;
    using Kept = KeptRecords<kLanes == kListLanesOfFew>;
    __shared__ typename Kept::Shared kept_bits;
    __shared__ uint2 list[kShare];      // record, length of its list
    __shared__ std::uint32_t waiting;   // so many from the front on
    __shared__ std::uint32_t cut_ones;  // and from the end on those whose list is cut
    __shared__ FrameHead frame;
    if (threadIdx.x == 0) frame.load_count(task.raw);
    __syncthreads();
    const std::uint32_t n = frame.n;
    wait_for_previous(n);
    let_next_start();
    if (n < w.grid.least) return;
    if (blockIdx.x < writers) {
        write_entries<kThreads>(w.order, task, board, blockIdx.x, writers, w.hits);
        return;
    }
    std::uint32_t base = (blockIdx.x - writers) * share;
    std::uint32_t r = base + threadIdx.x;
    const auto load_head = [&](std::uint32_t behind) {
        const bool there = threadIdx.x < share && r < behind;
        const std::uint32_t* at = &w.lists.heads[r].first;
        return SuppressorHead{load_now(there, at, kNone), load_now(there, at + 1, 0)};
    };
    // Before it is known how many there are, to wait once for all.
    SuppressorHead head = load_head(static_cast<std::uint32_t>(task.raw.capacity));
    if (threadIdx.x < 32) frame.load_plan(w.grid);
    const Kept kept_ones{kept_bits, w.order.records};
    kept_ones.load(kept_bits, static_cast<std::uint32_t>(task.raw.capacity));
    __syncthreads();
    const std::uint32_t stored = frame.plan.stored;
    if (r >= stored) head.first = kNone;
    const Group<kLanes> group;
    const auto state_of = [&](std::uint32_t other) { return kept_ones.has(other) ? kept : suppressed; };
    while (base < stored) {
        if (threadIdx.x == 0) waiting = cut_ones = 0;
        __syncthreads();
        std::uint32_t hits = 0;  // that this thread adds to the first suppressor of its record
        if (threadIdx.x < share) {
            const bool owned = head.first != kNone && kept_ones.has(head.first);
            // Neighbors often have the same owner, and hits of a frame lie close together: few additions are much
            // quicker.
            const std::uint32_t same = __match_any_sync(kWholeWarp, owned ? head.first : kNone);
            const int first_of_same = __ffs(static_cast<int>(same)) - 1;
            if (owned && static_cast<int>(threadIdx.x & 31) == first_of_same) hits = __popc(same);
            if (owned) tell_owner(w, task, r, head.first);
            if (head.first != kNone && !owned) {
                const bool cut = head.count > SuppressorLists::kRoom;
                const std::uint32_t at = atomicAdd(cut ? &cut_ones : &waiting, 1U);
                list[cut ? kShare - 1 - at : at] = make_uint2(r, head.count);
            }
        }
        __syncthreads();
        const std::uint32_t first_of_warp = threadIdx.x / 32 * (32 / kLanes);
        for (std::uint32_t first = first_of_warp; first < waiting; first += kThreads / kLanes) {
            const std::uint32_t u = first + group.number;
            const uint2 item = u < waiting ? list[u] : make_uint2(kNone, 0);
            const Choice mine = listed<kLanes, kListedAtOnce>(w, task, item.x, item.y, state_of);
            __syncwarp();
            const int lane = first_lane(w.grid, task.raw, group, mine);
            const std::uint32_t owner = __shfl_sync(kWholeWarp, mine.record, max(lane, 0));
            if (group.lane == 0 && lane >= 0) give_to(w, task, item.x, owner);
            __syncwarp();
        }
        if (hits != 0) add_hits(w, task, head.first, hits);
        // A warp each. Apart from the others, which need no registers for it then.
        for (std::uint32_t u = threadIdx.x / 32; u < cut_ones; u += kThreads / 32) {
            __syncwarp();
            const std::uint32_t its = list[kShare - 1 - u].x;
            const std::uint32_t owner = search_again<path>(
                w, task, rules, its,
                [heads = w.lists.heads](std::uint32_t other) { return heads[other].first == kNone; });
            if (threadIdx.x % 32 == 0 && owner != kNone) give_to(w, task, its, owner);
        }
        __syncthreads();
        base += (gridDim.x - writers) * share;
        r = base + threadIdx.x;
        head = load_head(stored);
    }
}

__device__ std::uint32_t now(const std::uint32_t* state) {
    return *static_cast<const volatile std::uint32_t*>(state);
}

// Of record r, for whole warps: the first suppressor that is not known to be suppressed itself, kNone where there is
// none.
template <PairPath path>
__device__ __forceinline__ std::uint32_t next_in_line(const LargeNmsWork& w, const NmsTask& task,
                                                      const NmsRuleSet& rules, std::uint32_t r, std::uint32_t& seen,
                                                      TestCounter& counter) {
    const std::uint32_t count = w.lists.heads[r].count;
    if (count <= SuppressorLists::kRoom) {
        const Choice mine = listed<32, 1>(
            w, task, r, count, [&](std::uint32_t other) { return static_cast<State>(now(w.state + other)); });
        const int lane = first_lane(w.grid, task.raw, Group<32>(), mine);
        if (lane < 0) return kNone;
        seen = __shfl_sync(kWholeWarp, mine.state, lane);
        return __shfl_sync(kWholeWarp, mine.record, lane);
    }
    // The list is cut: one is searched for, and waited for.
    std::uint32_t best = w.lists.heads[r].first;
    seen = best != r ? now(w.state + best) : suppressed;
    if (__any_sync(kWholeWarp, seen == suppressed)) {
        const Group<32> group;
        best = first_suppressor<path>(w.grid, task, rules, w.quick, load_plan(w.grid), group, true, r,
                                      load_record(w.grid, r), counter,
                                      [&](std::uint32_t other) { return now(w.state + other) != suppressed; });
        if (best != kNone) {
            __syncwarp();
            if (group.lane == 0) w.lists.heads[r].first = best;
            __syncwarp();
            seen = open;  // as far as all lanes know
        }
    } else {
        seen = __shfl_sync(kWholeWarp, seen, 0);
    }
    return best;
}

template <PairPath path>
__global__ void __launch_bounds__(kThreads, kSettleBlocks)
    settle_kernel(const __grid_constant__ LargeNmsWork w, const __grid_constant__ NmsTask task,
                  const __grid_constant__ NmsRuleSet rules) {
    __shared__ FrameHead frame;
    if (threadIdx.x == 0) frame.load_count(task.raw);
    __syncthreads();
    wait_for_previous();
    let_next_start();
    if (frame.n < w.grid.least) return;
    const std::uint32_t stored = load_plan(w.grid).stored;
    const std::uint32_t lane = threadIdx.x & 31;
    TestCounter counter;
    __shared__ std::uint32_t short_list[kShortList];
    __shared__ std::uint32_t listed;
    if (threadIdx.x == 0) listed = 0;
    __syncthreads();
    // Neighbors go to the same block, where answers travel fastest.
    const std::uint32_t share = max((stored + gridDim.x - 1) / gridDim.x, kMinOpen);
    const std::uint32_t first = min(blockIdx.x * share, stored);
    const std::uint32_t last = min(first + share, stored);
    std::uint32_t* list = share <= kShortList ? short_list : w.open + first;
    for (std::uint32_t r = first + threadIdx.x; r < last; r += kThreads) {
        const std::uint32_t best = w.lists.heads[r].first;
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

    for (bool waiting = true; waiting;) {
        waiting = false;
        for (std::uint32_t u = threadIdx.x / 32; u < items; u += kThreads / 32) {
            const std::uint32_t r = list[u];
            if (r == kNone) continue;  // settled
            std::uint32_t seen = open;
            const std::uint32_t best = next_in_line<path>(w, task, rules, r, seen, counter);
            if (best != kNone && seen != kept) {
                waiting = true;
                continue;
            }
            __syncwarp();
            if (lane == 0) {
                *static_cast<volatile std::uint32_t*>(w.state + r) = best == kNone ? kept : suppressed;
                list[u] = kNone;
                if (best == kNone) {
                    keep(w, task, load_plan(w.grid), r, load_record(w.grid, r));
                } else {
                    give_to(w, task, r, best);
                }
            }
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
      heads_(capacity),
      entries_(static_cast<std::size_t>(capacity) * SuppressorLists::kRoom),
      hits_(capacity),
      open_(capacity) {
    fill_bytes(heads_, 0, stream);  // loaded before it is known how many there are
    const int each = std::min(settle_blocks_an_sm<PairPath::plain>(), settle_blocks_an_sm<PairPath::any>());
    settle_blocks_ = static_cast<unsigned>(device.multiprocessors * std::max(each, 1));
}

std::size_t LargeNms::bytes() const {
    return grid_.bytes() + order_.bytes() + state_.bytes() + heads_.bytes() + entries_.bytes() + hits_.bytes() +
           open_.bytes();
}

LargeNmsWork LargeNms::make_work(const NmsRuleSet& rules, std::uint32_t least, unsigned long long* d_tests) const {
    const BoxGrid grid = grid_.view(rules, least);
    return {grid,
            order_.view(grid.header, hits_.data(), rules.min_hits, true, least),
            {heads_.data(), entries_.data()},
            make_quick_rule(rules),
            state_.data(),
            hits_.data(),
            rules.rule == NmsRule::one_pass && rules.min_hits <= 1,
            open_.data(),
            d_tests};
}

GridBuild LargeNms::binning(const NmsRuleSet& rules, std::uint32_t least) const {
    return {grid_.view(rules, least), rules.extent, order_.cleared(), order_.cleared_words()};
}

void LargeNms::launch_order(const NmsTask& task, const NmsRuleSet& rules, std::uint32_t least,
                            StreamView stream) const {
    launch_grid_build(binning(rules, least), task, LaunchChain(device_, stream));
}

void LargeNms::launch_map(const NmsTask& task, const NmsRuleSet& rules, std::uint32_t least,
                          unsigned long long* d_tests, StreamView stream) const {
    const LargeNmsWork work = make_work(rules, least, d_tests);
    const auto launch = [&]<int kLanes>(std::integral_constant<int, kLanes>) {
        const bool plain = pair_path(rules) == PairPath::plain;
        constexpr unsigned kThreadsOfBlock = find_threads(kLanes);
        const unsigned all = blocks_for(task.raw.capacity, kThreadsOfBlock / kLanes);
        const unsigned blocks = kLanes == kFindLanesOfFew ? all : std::min(all, most_blocks());
        LaunchChain(device_, stream)
            .launch("find_kernel", plain ? find_kernel<PairPath::plain, kLanes> : find_kernel<PairPath::any, kLanes>,
                    blocks, kThreadsOfBlock, work, task, rules);
    };
    if (task.raw.capacity <= kFew) {
        launch(std::integral_constant<int, kFindLanesOfFew>());
    } else {
        launch(std::integral_constant<int, kFindLanes>());
    }
}

void LargeNms::launch_reduce(const NmsTask& task, const NmsRuleSet& rules, std::uint32_t least,
                             unsigned long long* d_tests, StreamView stream) const {
    const LargeNmsWork work = make_work(rules, least, d_tests);
    const LaunchChain chain(device_, stream);
    const bool plain = pair_path(rules) == PairPath::plain;
    const std::uint32_t share = task.raw.capacity <= kFew ? kShare / 2 : kShare;
    const unsigned blocks = blocks_for(task.raw.capacity, share);
    if (rules.rule == NmsRule::one_pass) {
        const unsigned writers = work.hits_at_places ? std::min(blocks_for(task.raw.capacity, kShare), kMaxWriters) : 0;
        const auto launch = [&]<int kLanes>(std::integral_constant<int, kLanes>) {
            chain.launch("own_kernel", plain ? own_kernel<PairPath::plain, kLanes> : own_kernel<PairPath::any, kLanes>,
                         writers + std::min(blocks, most_blocks()), kThreads, work, task, rules, share, writers);
        };
        if (task.raw.capacity <= kFew) {
            launch(std::integral_constant<int, kListLanesOfFew>());
        } else {
            launch(std::integral_constant<int, kListLanes>());
        }
        if (work.hits_at_places) return;
    } else {
        const unsigned blocks = std::min(blocks_for(task.raw.capacity, kMinOpen), settle_blocks_);
        chain.launch("settle_kernel", plain ? settle_kernel<PairPath::plain> : settle_kernel<PairPath::any>,
                     LaunchSize{dim3(blocks), kThreads}, LaunchWay{.together = true}, work, task, rules);
    }
    launch_kept_order(work.order, task, kKeptShare, chain);
}

}  // namespace throng::gpu
