#include <cuda_runtime.h>

#include <algorithm>
#include <bit>

#include "gpu/nms/chained.h"
#include "gpu/nms/kept_order.cuh"

namespace throng::gpu {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / 32;
constexpr std::int32_t kMostBlocks = 1056;  // of 8 warps: every multiprocessor is full
constexpr std::uint32_t kLeastBuckets = 2048;
constexpr std::uint32_t kMostBuckets = 1U << 18;
constexpr std::uint32_t kMostGroups = kMostBuckets / KeptOrder::kGroup;
constexpr std::uint32_t kLongestList = 32;  // of a bucket, that is walked; where more share one, all are compared

// Of two in one bucket.
__device__ bool entry_precedes(const KeptEntry& a, const KeptEntry& b) {
    return throng::precedes(a.box, a.score, a.index, b.box, b.score, b.index);
}

__device__ bool stays(const KeptOrder& order, std::uint32_t record) {
    return order.min_hits <= 1 || static_cast<std::int32_t>(order.hits[record]) >= order.min_hits;
}

__device__ KeptEntry load_entry(const KeptEntry* entries, std::uint32_t k) {
    KeptEntry e;
    const uint4* from = reinterpret_cast<const uint4*>(entries + k);
    reinterpret_cast<uint4*>(&e)[0] = from[0];
    reinterpret_cast<uint4*>(&e)[1] = from[1];
    return e;
}

__global__ void __launch_bounds__(kThreads) file_kernel(KeptOrder order, NmsTask task) {
    wait_for_previous();
    let_next_start();
    if (stored_count(task.raw) < order.least) return;
    const std::uint32_t count = *order.count;
    for (std::uint32_t k = blockIdx.x * kThreads + threadIdx.x; k < count; k += gridDim.x * kThreads) {
        const KeptEntry entry = load_entry(order.entries, k);
        if (stays(order, entry.record)) file_entry(order, k, entry.bucket);
    }
}

// group_sums become the numbers filed in the groups before each. Returns the number filed in all.
__device__ std::uint32_t scan_groups(const KeptOrder& order, std::uint32_t* before) {
    __shared__ std::uint32_t warp_sums[kWarps];
    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t warp = threadIdx.x / 32;
    const std::uint32_t groups = order.buckets / KeptOrder::kGroup;
    std::uint32_t total = 0;
    for (std::uint32_t base = 0; base < groups; base += kThreads) {
        const std::uint32_t mine = base + threadIdx.x < groups ? order.group_sums[base + threadIdx.x] : 0;
        std::uint32_t sum = mine;
        for (std::uint32_t step = 1; step < 32; step *= 2) {
            const std::uint32_t other = __shfl_up_sync(kAllLanes, sum, step);
            if (lane >= step) sum += other;
        }
        if (lane == 31) warp_sums[warp] = sum;
        __syncthreads();
        std::uint32_t start = total;
        for (std::uint32_t w = 0; w < kWarps; ++w) {
            if (w < warp) start += warp_sums[w];
            total += warp_sums[w];
        }
        if (base + threadIdx.x < groups) before[base + threadIdx.x] = start + sum - mine;
        __syncthreads();
    }
    return total;
}

// A warp an entry: counts those before it.
__global__ void __launch_bounds__(kThreads) write_kept_kernel(KeptOrder order, NmsTask task) {
    __shared__ std::uint32_t before_group[kMostGroups];
    wait_for_previous();
    let_next_start();
    const std::uint32_t count = *order.count;
    if (stored_count(task.raw) < order.least) return;
    if (blockIdx.x * kWarps >= count && blockIdx.x != 0) return;
    std::uint32_t k = blockIdx.x * kWarps + threadIdx.x / 32;
    KeptEntry mine = k < count ? load_entry(order.entries, k) : KeptEntry{};
    const std::uint32_t total = scan_groups(order, before_group);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *task.kept.count = DetectionCount{total, order.header->sums.invalid};
    }

    const std::uint32_t lane = threadIdx.x & 31;
    for (const std::uint32_t first = k; k < count; k += gridDim.x * kWarps) {
        if (k != first) mine = load_entry(order.entries, k);
        if (!stays(order, mine.record)) continue;
        const std::uint32_t group = mine.bucket / KeptOrder::kGroup;
        const std::uint32_t within = mine.bucket % KeptOrder::kGroup;
        const uint4 v = reinterpret_cast<const uint4*>(order.sums + group * KeptOrder::kGroup)[lane];
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
                const KeptEntry theirs = load_entry(order.entries, other);
                if (stays(order, theirs.record) && entry_precedes(theirs, mine)) ++earlier;
            }
        } else if (same > 1) {
            std::uint32_t other = k;
            std::uint32_t link = order.last[mine.bucket];
            for (std::uint32_t step = 0; step < same; ++step) {
                if (step == lane) other = link - 1;
                if (step + 1 < same) link = order.next[link - 1];
            }
            if (other != k && entry_precedes(load_entry(order.entries, other), mine)) earlier = 1;
        }
        if (same > 1) earlier = warp_sum(earlier);
        if (lane == 0) {
            write_kept(task, before_group[group] + before + earlier, mine.box, mine.score,
                       order.hits != nullptr ? static_cast<std::int32_t>(order.hits[mine.record]) : 1, mine.index);
        }
    }
}

}  // namespace

KeptOrderStorage::KeptOrderStorage(std::int32_t capacity, StreamView stream) {
    const auto n = static_cast<std::uint32_t>(capacity);
    buckets_ = std::clamp(std::bit_ceil(n) / 2, kLeastBuckets, kMostBuckets);
    entries_ = DeviceBuffer<KeptEntry>(n);
    lists_ = DeviceBuffer<std::uint32_t>(std::size_t{n} + buckets_);
    // The sums first: they are read sixteen bytes at a time.
    cleared_ = DeviceBuffer<std::uint32_t>(std::size_t{buckets_} + buckets_ / KeptOrder::kGroup + 1);
    fill_bytes(lists_, 0, stream);
    fill_bytes(cleared_, 0, stream);
}

KeptOrder KeptOrderStorage::view(const GridHeader* header, const std::uint32_t* hits, std::int32_t min_hits,
                                 std::uint32_t least) const {
    KeptOrder order{};
    order.entries = entries_.data();
    order.last = lists_.data();
    order.next = lists_.data() + buckets_;
    order.sums = cleared_.data();
    order.group_sums = order.sums + buckets_;
    order.count = order.group_sums + buckets_ / KeptOrder::kGroup;
    order.buckets = buckets_;
    order.header = header;
    order.hits = hits;
    order.min_hits = min_hits;
    order.least = least;
    return order;
}

std::size_t KeptOrderStorage::bytes() const {
    return entries_.bytes() + lists_.bytes() + cleared_.bytes();
}

void launch_kept_order(const KeptOrder& order, const NmsTask& task, const LaunchChain& chain) {
    const auto blocks_for = [](std::int32_t each, std::int32_t items) {
        return static_cast<unsigned>(std::min((items + each - 1) / each, kMostBlocks));
    };
    if (order.min_hits > 1) {
        chain.launch("file_kernel", file_kernel, blocks_for(kThreads, task.raw.capacity), kThreads, order, task);
    }
    chain.launch("write_kept_kernel", write_kept_kernel, blocks_for(kWarps, task.raw.capacity), kThreads, order, task);
}

}  // namespace throng::gpu
