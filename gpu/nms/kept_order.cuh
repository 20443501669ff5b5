// Adding to the kept detections from a kernel, and writing them.
#pragma once

#include "gpu/nms/box_grid.cuh"
#include "gpu/nms/kept_order.h"

namespace throng::gpu {

// Never descends as the score falls; never kLeads. best, worst: of all scores.
__device__ __forceinline__ std::uint32_t bucket_of(const KeptOrder& order, float best, float worst, float score) {
    const float most = static_cast<float>(order.buckets - 1);
    // Where the range is 0 or infinite this is not a number for some, and all share a bucket.
    const float place = (best - score) * (most / (best - worst));
    return static_cast<std::uint32_t>(fminf(fmaxf(place, 1.0F), most));
}

// The same for scores from the best down to `lowest` that are products of factors: parts of equal ratios, for most such
// scores are a small part of the best.
__device__ __forceinline__ std::uint32_t bucket_of_product(const KeptOrder& order, float score, float lowest) {
    const std::uint32_t best = order.header->sums.best_key;
    const auto below = [&](float s) { return static_cast<float>(best - min(best, score_key(s))); };
    const float most = static_cast<float>(order.buckets - 1);
    const float place = below(score) * (most / fmaxf(below(lowest), 1.0F));
    return static_cast<std::uint32_t>(fminf(fmaxf(place, 1.0F), most));
}

// Enters a record into the list of a bucket. Returns 1 + the record that was entered before. For one thread.
__device__ __forceinline__ std::uint32_t enter_bucket(const KeptOrder& order, std::uint32_t record,
                                                      std::uint32_t bucket) {
    atomicAdd(order.sums + bucket, 1U);
    atomicAdd(order.group_sums + bucket / KeptOrder::kGroup, 1U);
    return atomicExch(order.last + bucket, record + 1);
}

// Score as it is written. For one thread.
__device__ __forceinline__ void append_kept(const KeptOrder& order, const Candidate& kept, std::uint32_t record,
                                            std::uint32_t bucket) {
    atomicOr(order.records + record / 32, 1U << record % 32);
    // Two numbers that take long to come: the second is asked for before the first is waited for.
    const std::uint32_t before = order.min_hits <= 1 ? enter_bucket(order, record, bucket) : 0;
    const std::uint32_t k = atomicAdd(order.count, 1U);
    auto* to = reinterpret_cast<uint4*>(order.entries + k);
    to[0] = make_uint4(__float_as_uint(kept.box.x), __float_as_uint(kept.box.y), __float_as_uint(kept.box.w),
                       __float_as_uint(kept.box.h));
    to[1] = make_uint4(__float_as_uint(kept.score), kept.index, record, bucket);
    order.scores[k] = kept.score;
    order.filed[record] = {before, k};
}

__device__ __forceinline__ bool stays(const KeptOrder& order, std::uint32_t record) {
    return order.min_hits <= 1 || static_cast<std::int32_t>(order.hits[record]) >= order.min_hits;
}

__device__ __forceinline__ KeptEntry load_entry(const KeptEntry* entries, std::uint32_t k) {
    KeptEntry e;
    const uint4* from = reinterpret_cast<const uint4*>(entries + k);
    reinterpret_cast<uint4*>(&e)[0] = from[0];
    reinterpret_cast<uint4*>(&e)[1] = from[1];
    return e;
}

// By loads that start here.
__device__ __forceinline__ KeptEntry load_entry_now(const KeptEntry* entries, std::uint32_t k, bool there) {
    KeptEntry e;
    const auto* from = reinterpret_cast<const uint4*>(entries + k);
    reinterpret_cast<uint4*>(&e)[0] = load_now(there, from);
    reinterpret_cast<uint4*>(&e)[1] = load_now(there, from + 1);
    return e;
}

// Of two in one bucket, or with equal scores.
static __device__ __noinline__ bool entry_precedes(const KeptEntry* entries, std::uint32_t i, std::uint32_t j) {
    const KeptEntry a = load_entry(entries, i);
    const KeptEntry b = load_entry(entries, j);
    return throng::precedes(a.box, a.score, a.index, b.box, b.score, b.index);
}

// Shared memory of a block that writes.
struct KeptBoard {
    static constexpr std::uint32_t kFew = 2048;  // entries that are compared with each other; measured
    union {
        alignas(16) float scores[kFew];  // of few entries, and behind them what is not a number
        std::uint32_t before_group[KeptOrder::kMaxBuckets / KeptOrder::kGroup];
    };
    std::uint32_t warp_sums[32];
    std::uint32_t count;  // of entries
};

// group_sums become the numbers filed in the groups before each. Returns the number filed in all. early: that of group
// threadIdx.x.
template <unsigned kThreads>
__device__ __forceinline__ std::uint32_t scan_groups(const KeptOrder& order, KeptBoard& board, std::uint32_t early) {
    constexpr std::uint32_t kWarps = kThreads / 32;
    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t warp = threadIdx.x / 32;
    const std::uint32_t groups = order.buckets / KeptOrder::kGroup;
    std::uint32_t total = 0;
#pragma unroll 1
    for (std::uint32_t base = 0; base < groups; base += kThreads) {
        if (base != 0) early = base + threadIdx.x < groups ? order.group_sums[base + threadIdx.x] : 0;
        const std::uint32_t mine = early;
        const std::uint32_t sum = Group<32>().sum_up_to(mine);
        if (lane == 31) board.warp_sums[warp] = sum;
        __syncthreads();
        std::uint32_t start = total;
#pragma unroll
        for (std::uint32_t w = 0; w < kWarps; ++w) {
            const std::uint32_t of_warp = board.warp_sums[w];
            if (w < warp) start += of_warp;
            total += of_warp;
        }
        if (base + threadIdx.x < groups) board.before_group[base + threadIdx.x] = start + sum - mine;
        __syncthreads();
    }
    return total;
}

// Where entry k of `count` belongs, by comparison with all. By a warp, on all lanes.
static __device__ __forceinline__ std::uint32_t place_among_few(const KeptOrder& order, const KeptBoard& board,
                                                                std::uint32_t count, std::uint32_t k, float score) {
    constexpr std::uint32_t kEqual = 1U << 16;
    // Numbers, as floats: without predicates, which the next instruction would wait for.
    float higher[2] = {};
    float equal[2] = {};
#pragma unroll 4
    for (std::uint32_t from = (threadIdx.x & 31) * 4; from < count; from += 128) {
        const float4 v = *reinterpret_cast<const float4*>(board.scores + from);
        higher[0] += one_if_higher(v.x, score) + one_if_higher(v.y, score);
        higher[1] += one_if_higher(v.z, score) + one_if_higher(v.w, score);
        equal[0] += one_if_equal(v.x, score) + one_if_equal(v.y, score);
        equal[1] += one_if_equal(v.z, score) + one_if_equal(v.w, score);
    }
    const std::uint32_t found = warp_sum(static_cast<std::uint32_t>(higher[0] + higher[1]) +
                                         static_cast<std::uint32_t>(equal[0] + equal[1]) * kEqual);
    if (found < 2 * kEqual) return found % kEqual;
    std::uint32_t before = 0;
#pragma unroll 1
    for (std::uint32_t from = threadIdx.x & 31; from < count; from += 128) {
        std::uint32_t same = 0;  // what is behind the last is not a number
#pragma unroll
        for (std::uint32_t i = 0; i < 4; ++i) same |= board.scores[from + i * 32] == score ? 1U << i : 0;
#pragma unroll 1
        for (; same != 0; same &= same - 1) {
            const std::uint32_t other = from + (static_cast<std::uint32_t>(__ffs(static_cast<int>(same))) - 1) * 32;
            if (other != k && entry_precedes(order.entries, other, k)) ++before;
        }
    }
    return found % kEqual + warp_sum(before);
}

// The same by the sums of buckets, and comparison with those of its own.
static __device__ __forceinline__ std::uint32_t place_by_bucket(const KeptOrder& order, const KeptBoard& board,
                                                                std::uint32_t count, std::uint32_t k,
                                                                const KeptEntry& mine) {
    constexpr std::uint32_t kMaxList = 32;  // of a bucket, that is walked; where more share one, all are compared
    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t group = mine.bucket / KeptOrder::kGroup;
    const std::uint32_t within = mine.bucket % KeptOrder::kGroup;
    const uint4 v = reinterpret_cast<const uint4*>(order.sums + group * KeptOrder::kGroup)[lane];
    std::uint32_t link = order.last[mine.bucket];
    const std::uint32_t sums[4] = {v.x, v.y, v.z, v.w};
    std::uint32_t before = 0;
    std::uint32_t same = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
        if (lane * 4 + i < within) before += sums[i];
        if (lane * 4 + i == within) same = sums[i];
    }
    before = warp_sum(before);
    same = warp_max(same);
    std::uint32_t earlier = 0;
    if (same > kMaxList) {
#pragma unroll 1
        for (std::uint32_t other = lane; other < count; other += 32) {
            if (other == k || order.entries[other].bucket != mine.bucket) continue;
            if (stays(order, order.entries[other].record) && entry_precedes(order.entries, other, k)) ++earlier;
        }
    } else if (same > 1) {
        std::uint32_t other = k;
#pragma unroll 1
        for (std::uint32_t step = 0; step < same; ++step) {
            const FiledRecord filed = order.filed[link - 1];
            if (step == lane) other = filed.entry;
            link = filed.before;
        }
        if (other != k && entry_precedes(order.entries, other, k)) earlier = 1;
    }
    if (same > 1) earlier = warp_sum(earlier);
    return board.before_group[group] + before + earlier;
}

// The share of one of several blocks, a warp an entry: counts those before it and writes it to its place. places, where
// given: of each record, told as soon as it is known; then hits are added at the place, from 0 on, by this one its own.
template <unsigned kThreads>
__device__ __forceinline__ void write_entries(const KeptOrder& order, const NmsTask& task, KeptBoard& board,
                                              std::uint32_t block, std::uint32_t blocks,
                                              volatile std::uint32_t* places) {
    constexpr std::uint32_t kWarps = kThreads / 32;
    constexpr std::uint32_t kEach = KeptBoard::kFew / (4 * kThreads);
    const std::uint32_t lane = threadIdx.x & 31;
    std::uint32_t k = block * kWarps + threadIdx.x / 32;
    const auto capacity = static_cast<std::uint32_t>(task.raw.capacity);
    // Before it is known how many there are, to wait once for all.
    KeptEntry mine = load_entry_now(order.entries, k, k < capacity);
    uint4 scores[kEach];
#pragma unroll
    for (std::uint32_t e = 0; e < kEach; ++e) {
        const std::uint32_t at = threadIdx.x + e * kThreads;
        scores[e] = load_now(order.by_score && at * 4 < capacity, reinterpret_cast<const uint4*>(order.scores) + at);
    }
    const std::uint32_t early =
        load_now(threadIdx.x < order.buckets / KeptOrder::kGroup, order.group_sums + threadIdx.x, 0);
    const bool counts = block == blocks - 1 && threadIdx.x == 0;  // has little else to do
    const std::uint32_t invalid = load_now(counts, &order.header->sums.invalid, 0);
    if (threadIdx.x == 0) board.count = load_now(true, order.count, 0);
    __syncthreads();
    const std::uint32_t count = board.count;
    if (block * kWarps >= count && block != blocks - 1) return;
    const bool few = order.by_score && count <= KeptBoard::kFew;
    std::uint32_t total = count;
    if (few) {
#pragma unroll
        for (std::uint32_t e = 0; e < kEach; ++e) {
            const std::uint32_t at = (threadIdx.x + e * kThreads) * 4;
            const auto or_none = [&](std::uint32_t i, std::uint32_t bits) {
                return i < count ? __uint_as_float(bits) : __int_as_float(0x7FFFFFFF);
            };
            *reinterpret_cast<float4*>(board.scores + at) =
                make_float4(or_none(at, scores[e].x), or_none(at + 1, scores[e].y), or_none(at + 2, scores[e].z),
                            or_none(at + 3, scores[e].w));
        }
        __syncthreads();
    } else {
        total = scan_groups<kThreads>(order, board, early);
    }
    if (counts) *task.kept.count = DetectionCount{total, invalid};

    for (const std::uint32_t first = k; k < count; k += blocks * kWarps) {
        if (k != first) mine = load_entry(order.entries, k);
        if (!stays(order, mine.record)) continue;
        const std::uint32_t hits = places == nullptr && order.hits != nullptr ? order.hits[mine.record] : 1;
        const std::uint32_t place =
            few ? place_among_few(order, board, count, k, mine.score) : place_by_bucket(order, board, count, k, mine);
        if (lane != 0) continue;
        if (places != nullptr) places[mine.record] = place;
        if (!has_permit(task, place)) continue;
        if (places != nullptr) {
            atomicAdd(task.kept.hits + place, 1);
        } else {
            task.kept.hits[place] = static_cast<std::int32_t>(hits);
        }
        write_without_hits(task, place, mine.box, mine.score, mine.index);
    }
}

}  // namespace throng::gpu
