#include "gpu/nms/kept_order.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>

#include "gpu/nms/kept_order.cuh"
#include "gpu/nms/lane_group.cuh"
#include "gpu/runtime/array_layout.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::int32_t kWarps = kThreads / 32;
constexpr unsigned kMaxBlocks = 528;  // of 8 warps: all are resident at once on a large device
constexpr std::uint32_t kMinBuckets = 2048;
constexpr std::uint32_t kMaxGroups = KeptOrder::kMaxBuckets / KeptOrder::kGroup;
// The list of a bucket is followed if it is short, or shorter than a part of all entries, which are compared otherwise: a
// warp reads 32 of them in the time of a link.
constexpr std::uint32_t kMaxList = 32;

__device__ __forceinline__ bool has_enough_hits(const KeptOrder& order, std::uint32_t record) {
    return order.min_hits <= 1 || static_cast<std::int32_t>(order.hits[record]) >= order.min_hits;
}

__device__ __forceinline__ bool entry_precedes(const NmsTask& task, const KeptEntry& a, const KeptEntry& b) {
    // Soft-NMS has other scores than the raw buffer, but the same boxes.
    return a.score != b.score ? a.score > b.score : precedes_at_equal_scores(task, a.score, a.index, b.index);
}

// Adds the entries with enough hits to their buckets.
__global__ void __launch_bounds__(kThreads) fill_buckets_kernel(KeptOrder order) {
    start_kernel();
    const std::uint32_t count = *order.count;
    for (std::uint32_t k = blockIdx.x * kThreads + threadIdx.x; k < count; k += gridDim.x * kThreads) {
        const KeptEntry entry = order.entries[k];
        if (has_enough_hits(order, entry.record))
            order.links[entry.record] = {add_to_bucket(order, entry.record, entry.bucket), k};
    }
}

// Writes the number of records in the groups before each group to shared memory. Returns the number in all groups.
__device__ std::uint32_t sum_groups(const KeptOrder& order, std::uint32_t (&before_group)[kMaxGroups]) {
    __shared__ BlockSum<kThreads> sums;
    const std::uint32_t groups = order.buckets / KeptOrder::kGroup;
    std::uint32_t total = 0;
    for (std::uint32_t base = 0; base < groups; base += kThreads) {
        const std::uint32_t group = base + threadIdx.x;
        std::uint32_t sum = 0;
        const std::uint32_t before = sums.exclusive(group < groups ? order.group_sums[group] : 0, sum);
        if (group < groups) before_group[group] = total + before;
        total += sum;
        __syncthreads();  // before_group is complete, and `sums` is used again
    }
    return total;
}

// The number of entries that precede entry k: those in buckets before its own, and some of its own. By a warp.
__device__ std::uint32_t position_of(const KeptOrder& order, const NmsTask& task,
                                     const std::uint32_t (&before_group)[kMaxGroups], std::uint32_t count,
                                     std::uint32_t k, const KeptEntry& mine) {
    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t group = mine.bucket / KeptOrder::kGroup;
    const uint4 v = reinterpret_cast<const uint4*>(order.sums + group * KeptOrder::kGroup)[lane];
    const std::uint32_t sums[4] = {v.x, v.y, v.z, v.w};
    std::uint32_t before = 0;
    std::uint32_t same = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
        const std::uint32_t bucket = group * KeptOrder::kGroup + lane * 4 + i;
        if (bucket < mine.bucket) before += sums[i];
        if (bucket == mine.bucket) same = sums[i];
    }
    same = warp_max(same);
    if (same > max(kMaxList, count / 32)) {
        for (std::uint32_t other = lane; other < count; other += 32) {
            const KeptEntry entry = order.entries[other];
            if (other != k && entry.bucket == mine.bucket && has_enough_hits(order, entry.record) &&
                entry_precedes(task, entry, mine))
                ++before;
        }
    } else if (same > 1) {
        std::uint32_t link = order.last[mine.bucket];
        for (std::uint32_t first = 0; first < same; first += 32) {
            std::uint32_t other = k;
            for (std::uint32_t step = 0; step < min(32U, same - first); ++step) {
                const BucketLink of = order.links[link - 1];
                if (step == lane) other = of.entry;
                link = of.next;
            }
            if (other != k && entry_precedes(task, order.entries[other], mine)) ++before;
        }
    }
    return before_group[group] + warp_sum(before);
}

// A warp per entry.
__global__ void __launch_bounds__(kThreads) write_kept_kernel(KeptOrder order, const __grid_constant__ NmsTask task) {
    __shared__ std::uint32_t before_group[kMaxGroups];
    start_kernel();
    const std::uint32_t count = *order.count;
    const std::uint32_t total = sum_groups(order, before_group);
    write_count(task, total, order.plan->invalid);
    for (std::uint32_t k = blockIdx.x * kWarps + threadIdx.x / 32; k < count; k += gridDim.x * kWarps) {
        const KeptEntry mine = order.entries[k];
        if (!has_enough_hits(order, mine.record)) continue;
        const Box box = load_box(task.raw.boxes, mine.index);  // overlaps with the search for the position
        const std::uint32_t position = position_of(order, task, before_group, count, k, mine);
        if (threadIdx.x % 32 != 0) continue;
        const std::uint32_t hits = order.hits != nullptr ? order.hits[mine.record] : 1;
        write_kept(task, position, box, mine.score, static_cast<std::int32_t>(hits), mine.index);
    }
}

}  // namespace

KeptOrderStorage::KeptOrderStorage(std::int32_t capacity, std::size_t further) : further_(further) {
    const auto n = static_cast<std::uint32_t>(capacity);
    order_.buckets = std::clamp(std::bit_ceil(n) / 2, kMinBuckets, KeptOrder::kMaxBuckets);
    memory_ = allocate_arrays([&](ArrayLayout& layout) {
        layout.take(order_.entries, n);
        layout.take(order_.links, n);
        layout.take(order_.last, order_.buckets);
        layout.take(order_.sums, cleared().count);
    });
    order_.group_sums = order_.sums + order_.buckets;
    order_.count = order_.group_sums + order_.buckets / KeptOrder::kGroup;
}

KeptOrder KeptOrderStorage::view(const SearchPlan* plan, const std::uint32_t* hits, std::int32_t min_hits) const {
    KeptOrder order = order_;
    order.plan = plan;
    order.hits = hits;
    order.min_hits = min_hits;
    return order;
}

void launch_kept_order(const KeptOrder& order, const NmsTask& task, std::int32_t share, const LaunchChain& chain) {
    const auto size_for = [](std::int32_t each, std::int32_t items) {
        return LaunchSize{std::min(blocks_for(items, static_cast<unsigned>(each)), kMaxBlocks), kThreads};
    };
    if (order.min_hits > 1) {
        chain.launch("fill_buckets_kernel", fill_buckets_kernel, size_for(kThreads, task.raw.capacity), order);
    }
    chain.launch("write_kept_kernel", write_kept_kernel, size_for(kWarps * share, task.raw.capacity), order, task);
}

}  // namespace throng::gpu
