// The work of the blocks on one frame, step by step; small_nms.cu calls the steps.
#pragma once

#include <cstdint>

#include "gpu/nms/copy_extras.cuh"
#include "gpu/nms/small_entries.cuh"
#include "gpu/nms/small_nms.h"
#include "gpu/nms/small_settle.cuh"
#include "gpu/nms/small_team.cuh"

namespace throng::gpu::small {

struct Shape {
    std::uint32_t capacity;     // of the scratch
    std::uint32_t room;         // entries in shared memory
    std::uint32_t matrix_rows;  // that have room, too
    std::uint32_t copied;       // detections whose boxes and scores have room, too; 0 or as many as may come
    std::uint32_t most_rows;    // of tiles
    Tiling guess;               // for a full buffer,
    std::uint32_t guess_from;   // and for any with so many
    std::uint32_t copy_at;      // bytes into shared memory
    SmallNmsPart part;
    PairPlan plan;
    bool extras;  // that are copied
    bool early;   // the next kernel may start before this one has ended
};

// What a block does in find: two tiles, [first, first + tile) and the second.
struct Job {
    std::uint32_t a;  // rows of tiles
    std::uint32_t b;
    bool diagonal;
    std::uint32_t tiles;

    __device__ __forceinline__ Job(std::uint32_t job, const Tiling& tiling) {
        const std::uint32_t off_diagonal = tiling.rows * (tiling.rows - 1) / 2;
        diagonal = job >= off_diagonal;
        a = (job - off_diagonal) * 2;
        b = a + 1;
        if (!diagonal) {
            const float square = static_cast<float>(8 * job + 1);
            b = static_cast<std::uint32_t>(square * rsqrtf(square) * 0.5F + 0.51F);  // too large by one at most
            if (b * (b - 1) / 2 > job) --b;
            a = job - b * (b - 1) / 2;
        }
        tiles = b < tiling.rows ? 2 : 1;
    }
    // The detection at a place in shared memory.
    [[nodiscard]] __device__ __forceinline__ std::uint32_t index(std::uint32_t place, const Tiling& tiling) const {
        return place < tiling.tile ? a * tiling.tile + place : (b - 1) * tiling.tile + place;
    }
};

// Where hits and sources go: to the output, or to scratch as long as those with too few hits are still among them.
struct Places {
    std::int32_t* hits;
    std::int32_t* source;
    std::uint32_t room;
    bool last;
};

constexpr std::uint32_t kFewLeft = 320;  // up to so many are decided by every block for itself
constexpr std::uint32_t kCopied = 2048;  // up to so many detections are copied to shared memory while blocks wait

__device__ __forceinline__ bool has(SmallNmsPart whole, SmallNmsPart part) {
    return (static_cast<std::uint32_t>(whole) & static_cast<std::uint32_t>(part)) != 0;
}

struct Frame {
    const NmsTask& task;
    const SmallNmsScratch& scratch;
    const Shape& shape;
    PairRules pairs;
    std::uint32_t n;
    Team team;
    Entries entries;
    std::uint32_t* matrix;
    Bits suppressed;  // and invalid; those that greedy keeps later are cleared
    Bits left;        // that greedy has not decided
    Bits fresh;
    std::uint32_t* counters;  // [5]: general use, invalid of the job, invalid of all, two for gather
    std::uint32_t* queues;
    Source source;        // of all detections
    std::uint32_t width;  // lanes for each of the share
    std::uint32_t gathers = 0;

    // The block's share: the words of bits rank, rank + blocks, …
    template <typename Do>
    __device__ __forceinline__ void for_own(const Do& act) const {
        const Search search(width);
        for (std::uint32_t k = 0;; ++k) {
            const std::uint32_t group = threadIdx.x / width + k * (kThreads / width);
            const std::uint32_t i = (team.rank + group / 32 * team.blocks) * 32 + group % 32;
            // The word of the warp's first lane is the lowest: whole warps leave together.
            if (i / 32 * 32 >= round_up(n, 32)) break;
            const bool active = i < n;
            const Loaded d = active ? source.load(i) : Loaded{};
            act(search, i, active, d);
        }
    }

    // For the group of places of the lanes' i and the 32 places from `first` on: which need no test.
    __device__ __forceinline__ std::uint32_t both_suppressed(std::uint32_t group, std::uint32_t first) const {
        const std::uint32_t lane = threadIdx.x & 31;
        std::uint32_t word = 0;
        if (lane < 3) word = atomicOr(fresh.words + (lane == 0 ? group : first / 32 + lane - 1), 0U);
        const std::uint32_t mine = __shfl_sync(kWholeWarp, word, 0);
        const std::uint32_t low = __shfl_sync(kWholeWarp, word, 1);
        const std::uint32_t high = __shfl_sync(kWholeWarp, word, 2);
        return (mine >> lane & 1U) != 0 ? __funnelshift_r(low, high, first % 32) : 0;
    }
    __device__ __forceinline__ void stage(const Job& job, const Tiling& tiling, bool guessed, const Loaded& guess);
    __device__ __forceinline__ void tell_suppressed(const Job& job, const Tiling& tiling, bool through_board) const;
    __device__ __forceinline__ std::uint32_t gather(std::uint32_t first, const Bits& bits, std::uint32_t flip);
    __device__ __forceinline__ std::uint32_t settle(std::uint32_t kept);
    __device__ __forceinline__ std::uint32_t settle_here(std::uint32_t kept, std::uint32_t count) const;
    __device__ __forceinline__ std::uint32_t settle_by_one(std::uint32_t kept, std::uint32_t count);
    __device__ __forceinline__ void finish(std::uint32_t kept, const Places& places) const;
    __device__ __forceinline__ std::uint32_t drop_few_hits(std::uint32_t kept, const Places& places) const;
};

// A job's detections into shared memory. The bits of the invalid ones are set by place, in `fresh`.
__device__ __forceinline__ void Frame::stage(const Job& job, const Tiling& tiling, bool guessed, const Loaded& guess) {
    for (std::uint32_t p = threadIdx.x; p < tiling.tile * job.tiles; p += kThreads) {
        const std::uint32_t i = job.index(p, tiling);
        Entry e = no_entry();
        if (i < n) {
            const Loaded d = guessed && p < kThreads ? guess : source.load(i);
            e = make_entry(pairs.rules, d.box, d.score, i);
            if (job.diagonal && !e.valid()) {
                fresh.set(p);
                atomicAdd(counters + 1, 1U);
            }
        }
        entries.store(p, e);
    }
}

// Slots of find: word w of the tiles as row c of tiles sees them. By the last warp, after what it wrote to memory.
__device__ __forceinline__ void Frame::tell_suppressed(const Job& job, const Tiling& tiling, bool through_board) const {
    const std::uint32_t words = tiling.tile / 32;
    for (std::uint32_t w = threadIdx.x & 31; w < words * job.tiles; w += 32) {
        const bool second = w >= words;
        const std::uint32_t tile = second ? job.b : job.a;
        const std::uint32_t witness = job.diagonal ? tile : second ? job.a : job.b;
        const std::uint32_t word = tile * words + (second ? w - words : w);
        if (through_board) {
            team.write(witness * tiling.rows * words + word, fresh.words[w]);
        } else {
            suppressed.words[word] = fresh.words[w];
        }
    }
    if (job.diagonal && through_board && (threadIdx.x & 31) == 0)
        team.write(SmallNmsBoard::kSlots - 1 - job.a / 2, counters[1]);
}

// Puts the detections with a bit (flip 0) or without one (flip ~0) into entries from `first` on, in no order, and
// returns how many there are.
__device__ __forceinline__ std::uint32_t Frame::gather(std::uint32_t first, const Bits& bits, std::uint32_t flip) {
    const std::uint32_t lane = threadIdx.x & 31;
    std::uint32_t* counter = counters + 3 + gathers % 2;
    ++gathers;
    // For the next time. Nobody looks at it any more: the block has met since.
    if (threadIdx.x == 0) counters[3 + gathers % 2] = 0;
#pragma unroll 1
    for (std::uint32_t i = threadIdx.x; i - lane < n; i += kThreads) {
        const std::uint32_t in_range = n - (i - lane) >= 32 ? kWholeWarp : (1U << n % 32) - 1;
        const std::uint32_t word = (bits.words[i / 32] ^ flip) & in_range;
        if (word == 0) continue;
        std::uint32_t at = 0;
        if (lane == 0) at = atomicAdd(counter, static_cast<std::uint32_t>(__popc(word)));
        at = first + __shfl_sync(kWholeWarp, at, 0) + __popc(word & ((1U << lane) - 1));
        if ((word >> lane & 1U) != 0) entries.index[at] = i;
    }
    __syncthreads();
    const std::uint32_t count = *counter;
#pragma unroll 1
    for (std::uint32_t p = first + threadIdx.x; p < first + count; p += kThreads) {
        const std::uint32_t i = entries.index[p];
        const Loaded d = source.load(i);
        entries.store(p, make_valid_entry(pairs.rules, d.box, d.score, i));
    }
    __syncthreads();
    return count;
}

// Greedy. entries [0, kept) are those that nobody suppresses. Adds to them what else is kept, clears their bits and
// returns the new number.
__device__ __forceinline__ std::uint32_t Frame::settle(std::uint32_t kept) {
    std::uint32_t looked_at = 0;  // of the kept
    std::uint32_t before = n;
    bool first = true;
    while (true) {
        for_own([&](const Search& search, std::uint32_t i, bool active, const Loaded& d) {
            const Entry mine = active ? make_entry(pairs.rules, d.box, d.score, i) : no_entry();
            const bool asks = mine.valid() && (first ? suppressed : left).test(i);
            const bool settled = search.any_suppressor(pairs, entries, looked_at, asks ? kept : 0, mine);
            if (asks && !settled && search.lane == 0) fresh.set(i);
        });
        team.exchange(fresh, left, n);
        fresh.clear();
        first = false;
        const std::uint32_t count = gather(kept, left, 0);
        if (count == 0) return kept;
        const bool helps = count < before - before / 4;
        if (count <= min(kFewLeft, shape.matrix_rows) || (!helps && count <= shape.matrix_rows))
            return settle_here(kept, count);
        if (!helps) return settle_by_one(kept, count);
        before = count;
        for_own([&](const Search& search, std::uint32_t i, bool active, const Loaded& d) {
            const bool asks = active && left.test(i);
            const Entry mine = asks ? make_entry(pairs.rules, d.box, d.score, i) : no_entry();
            const bool waits = search.any_suppressor(pairs, entries, kept, asks ? kept + count : 0, mine);
            if (asks && !waits && search.lane == 0) fresh.set(i);
        });
        const Bits late{fresh.words + kBitWords + SmallNmsBoard::kRows};
        team.exchange(fresh, late, n);
        fresh.clear();
        looked_at = kept;
        kept += gather(kept, late, 0);
        for (std::uint32_t w = threadIdx.x; w < (n + 31) / 32; w += kThreads) {
            suppressed.words[w] &= ~late.words[w];
            left.words[w] &= ~late.words[w];
        }
        __syncthreads();
    }
}

__device__ __forceinline__ std::uint32_t Frame::settle_here(std::uint32_t kept, std::uint32_t count) const {
    const BitMatrix suppressors(matrix, count);
    const Entries undecided = entries.from(kept);
    suppressors.clear();
    if (threadIdx.x >= count && threadIdx.x < suppressors.rows) undecided.store(threadIdx.x, no_entry());
    if (threadIdx.x == 0) counters[0] = 0;
    __syncthreads();
    for_each_suppression(
        pairs, undecided, queues, PairRange{0, 0, suppressors.rows, 1, true},
        [](std::uint32_t, std::uint32_t) { return 0U; },
        [&](std::uint32_t i, std::uint32_t j) { suppressors.set(i, j); });
    __syncthreads();
    const bool stays = settle_by_rounds(suppressors);
    const Entry e = threadIdx.x < count ? undecided.load(threadIdx.x) : no_entry();
    __syncthreads();
    if (stays) {
        atomicAnd(suppressed.words + e.index / 32, ~(1U << e.index % 32));
        undecided.store(atomicAdd(counters, 1U), e);
    }
    __syncthreads();
    return kept + counters[0];
}

// All blocks rank, the first decides.
__device__ __forceinline__ std::uint32_t Frame::settle_by_one(std::uint32_t kept, std::uint32_t count) {
    const std::uint32_t words = (n + 31) / 32;
    for_own([&](const Search& search, std::uint32_t i, bool active, const Loaded& d) {
        const bool asks = active && left.test(i);
        const std::uint32_t place = search.rank(pairs, entries.from(kept), asks ? count : 0, d.score, i);
        if (asks && search.lane == 0) scratch.order[place] = i;
    });
    team.meet();
    if (team.rank == 0) {
        for (std::uint32_t p = threadIdx.x; p < count; p += kThreads) {
            const std::uint32_t i = __ldcg(scratch.order + p);
            const Loaded d = source.load(i);
            entries.store(p, make_entry(pairs.rules, d.box, d.score, i));
        }
        __syncthreads();
        settle_in_turn(pairs, entries, count, [&](std::uint32_t p) {
            const std::uint32_t i = entries.index[p];
            atomicAnd(suppressed.words + i / 32, ~(1U << i % 32));
        });
        __syncthreads();
        for (std::uint32_t w = threadIdx.x; w < words; w += kThreads) scratch.order[w] = suppressed.words[w];
    }
    team.meet();
    for (std::uint32_t w = threadIdx.x; w < words; w += kThreads) suppressed.words[w] = __ldcg(scratch.order + w);
    __syncthreads();
    return gather(0, suppressed, kWholeWarp);
}

__device__ __forceinline__ void Frame::finish(std::uint32_t kept, const Places& places) const {
    for_own([&](const Search& search, std::uint32_t i, bool active, const Loaded& d) {
        const Entry mine = active ? make_entry(pairs.rules, d.box, d.score, i) : no_entry();
        const bool keeps = active && !suppressed.test(i);
        std::uint32_t owner = kNone;
        if (mine.valid() && !keeps) owner = search.first_suppressor(pairs, entries, kept, mine);
        float score = d.score;
        std::uint32_t index = i;
        if (owner != kNone) {
            score = entries.area_score[owner].y;
            index = entries.index[owner];
        }
        const bool owned = keeps || owner != kNone;
        if (active && search.lane == 0 && task.owner != nullptr)
            task.owner[i] = owned ? static_cast<std::int32_t>(index) : -1;
        if (!owned) return;
        const std::uint32_t place = search.rank(pairs, entries, kept, score, index);
        if (place >= places.room) return;
        if (search.lane == 0) atomicAdd(places.hits + place, 1);
        if (!keeps) return;
        if (search.lane == 0) places.source[place] = static_cast<std::int32_t>(i);
        if (!places.last) return;
        if (search.lane == 0) {
            reinterpret_cast<float4*>(task.kept.boxes)[place] = d.box;
            task.kept.scores[place] = d.score;
        }
        if (shape.extras) copy_extras(task, place, i, search.lane, search.width);
    });
}

// One block. Returns how many stay.
__device__ __forceinline__ std::uint32_t Frame::drop_few_hits(std::uint32_t kept, const Places& places) const {
    __shared__ std::uint32_t sums[kWarps];
    const std::uint32_t lane = threadIdx.x & 31;
    std::uint32_t before = 0;
    for (std::uint32_t first = 0; first < kept; first += kThreads) {
        const std::uint32_t p = first + threadIdx.x;
        const std::int32_t hits = p < kept ? __ldcg(places.hits + p) : 0;
        const bool stays = p < kept && hits >= pairs.rules.min_hits;
        const std::uint32_t votes = __ballot_sync(kWholeWarp, stays);
        if (lane == 0) sums[threadIdx.x / 32] = __popc(votes);
        __syncthreads();
        const std::uint32_t sum = lane < kWarps ? sums[lane] : 0;
        const std::uint32_t place =
            before + warp_sum(lane < threadIdx.x / 32 ? sum : 0) + __popc(votes & ((1U << lane) - 1));
        if (stays && place < static_cast<std::uint32_t>(task.kept.capacity)) {
            const auto source = static_cast<std::uint32_t>(__ldcg(places.source + p));
            const Loaded d = this->source.load(source);
            reinterpret_cast<float4*>(task.kept.boxes)[place] = d.box;
            task.kept.scores[place] = d.score;
            task.kept.hits[place] = hits;
            task.kept.source[place] = static_cast<std::int32_t>(source);
            if (shape.extras) copy_extras(task, place, source, 0, 1);
        }
        before += warp_sum(sum);
        __syncthreads();
    }
    return before;
}

}  // namespace throng::gpu::small
