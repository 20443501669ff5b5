// Adding to the kept detections from a kernel, and writing them.
#pragma once

#include "gpu/nms/box_grid.cuh"
#include "gpu/nms/kept_order.h"

namespace throng::gpu {

// Never descends as the score falls; never kLeads.
__device__ __forceinline__ std::uint32_t bucket_of(const KeptOrder& order, float score) {
    const float best = score_of_key(order.header->sums.best_key);
    const float worst = score_of_key(~order.header->sums.worst_key);
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

// Files entry k. For one thread.
__device__ __forceinline__ void file_entry(const KeptOrder& order, std::uint32_t k, std::uint32_t bucket) {
    order.next[k] = atomicExch(order.last + bucket, k + 1);
    atomicAdd(order.sums + bucket, 1U);
    atomicAdd(order.group_sums + bucket / KeptOrder::kGroup, 1U);
}

// Score as it is written. For one thread.
__device__ __forceinline__ void append_kept(const KeptOrder& order, const Candidate& kept, std::uint32_t record,
                                            std::uint32_t bucket) {
    const std::uint32_t k = atomicAdd(order.count, 1U);
    auto* to = reinterpret_cast<uint4*>(order.entries + k);
    to[0] = make_uint4(__float_as_uint(kept.box.x), __float_as_uint(kept.box.y), __float_as_uint(kept.box.w),
                       __float_as_uint(kept.box.h));
    to[1] = make_uint4(__float_as_uint(kept.score), kept.index, record, bucket);
    if (order.min_hits <= 1) file_entry(order, k, bucket);
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

// Of two in one bucket.
static __device__ __noinline__ bool entry_precedes(const KeptEntry* entries, std::uint32_t i, std::uint32_t j) {
    const KeptEntry a = load_entry(entries, i);
    const KeptEntry b = load_entry(entries, j);
    return throng::precedes(a.box, a.score, a.index, b.box, b.score, b.index);
}

// Shared memory of a block that writes.
struct KeptBoard {
    std::uint32_t before_group[KeptOrder::kMostBuckets / KeptOrder::kGroup];
    std::uint32_t warp_sums[32];
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

// The share of one of several blocks, a warp an entry: counts those before it and writes it to its place. places, where
// given: told where those of each record are as soon as they are written, with 1 as their hits.
template <unsigned kThreads>
__device__ __forceinline__ void write_entries(const KeptOrder& order, const NmsTask& task, KeptBoard& board,
                                              std::uint32_t block, std::uint32_t blocks,
                                              volatile std::uint32_t* places) {
    constexpr std::uint32_t kLongestList = 32;  // of a bucket, that is walked; where more share one, all are compared
    constexpr std::uint32_t kWarps = kThreads / 32;
    std::uint32_t k = block * kWarps + threadIdx.x / 32;
    // Before it is known how many there are, to wait once for all.
    KeptEntry mine = k < static_cast<std::uint32_t>(task.raw.capacity) ? load_entry(order.entries, k) : KeptEntry{};
    const std::uint32_t early = threadIdx.x < order.buckets / KeptOrder::kGroup ? order.group_sums[threadIdx.x] : 0;
    const std::uint32_t count = *order.count;
    if (stored_count(task.raw) < order.least) return;
    if (block * kWarps >= count && block != 0) return;
    const std::uint32_t total = scan_groups<kThreads>(order, board, early);
    if (block == 0 && threadIdx.x == 0) *task.kept.count = DetectionCount{total, order.header->sums.invalid};

    const std::uint32_t lane = threadIdx.x & 31;
    for (const std::uint32_t first = k; k < count; k += blocks * kWarps) {
        if (k != first) mine = load_entry(order.entries, k);
        if (!stays(order, mine.record)) continue;
        const std::uint32_t group = mine.bucket / KeptOrder::kGroup;
        const std::uint32_t within = mine.bucket % KeptOrder::kGroup;
        const uint4 v = reinterpret_cast<const uint4*>(order.sums + group * KeptOrder::kGroup)[lane];
        std::uint32_t link = order.last[mine.bucket];
        const std::uint32_t hits = places == nullptr && order.hits != nullptr ? order.hits[mine.record] : 1;
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
        if (same > kLongestList) {
            for (std::uint32_t other = lane; other < count; other += 32) {
                if (other == k || order.entries[other].bucket != mine.bucket) continue;
                if (stays(order, order.entries[other].record) && entry_precedes(order.entries, other, k)) ++earlier;
            }
        } else if (same > 1) {
            std::uint32_t other = k;
            for (std::uint32_t step = 0; step < same; ++step) {
                if (step == lane) other = link - 1;
                if (step + 1 < same) link = order.next[link - 1];
            }
            if (other != k && entry_precedes(order.entries, other, k)) earlier = 1;
        }
        if (same > 1) earlier = warp_sum(earlier);
        if (lane != 0) continue;
        const std::uint32_t place = board.before_group[group] + before + earlier;
        write_kept(task, place, mine.box, mine.score, static_cast<std::int32_t>(hits), mine.index);
        if (places != nullptr) {
            __threadfence();
            places[mine.record] = place;
        }
    }
}

}  // namespace throng::gpu
