#include <cuda_runtime.h>

#include "gpu/nms/kept_order.h"
#include "gpu/nms/pair_test.cuh"

namespace throng::gpu {
namespace {

constexpr int kThreads = 256;
constexpr std::uint32_t kWholeWarp = 0xFFFFFFFFU;
// Up to here every kept detection is compared with every other one, a warp each: few are kept. Beyond, scores are
// binned by their upper 16 bits first.
constexpr std::int32_t kDirectCapacity = 131072;
constexpr std::uint32_t kBuckets = 65536;
constexpr int kScanThreads = 1024;

__device__ bool entry_precedes(const KeptEntry& a, const KeptEntry& b) {
    if (a.leads != b.leads) return a.leads != 0;
    return throng::precedes(a.box, a.score, a.index, b.box, b.score, b.index);
}

__device__ bool stays(const KeptList& list, const KeptEntry& entry, std::int32_t min_hits) {
    return min_hits <= 1 || list.hits == nullptr || static_cast<std::int32_t>(list.hits[entry.record]) >= min_hits;
}

__device__ KeptEntry load_entry(const KeptEntry* entries, std::uint32_t k) {
    KeptEntry e;
    const uint4* from = reinterpret_cast<const uint4*>(entries + k);
    reinterpret_cast<uint4*>(&e)[0] = from[0];
    reinterpret_cast<uint4*>(&e)[1] = from[1];
    return e;
}

__device__ void write_entry(const KeptList& list, const NmsTask& task, const KeptEntry& entry, std::uint32_t place) {
    write_kept(task, place, entry.box, entry.score,
               list.hits != nullptr ? static_cast<std::int32_t>(list.hits[entry.record]) : 1, entry.index);
}

// A warp a kept detection: counts those before it.
__global__ void __launch_bounds__(kThreads) order_direct_kernel(KeptList list, NmsTask task, std::int32_t min_hits) {
    if (stored_count(task.raw) < list.least) return;
    const std::uint32_t count = *list.count;
    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t first = (blockIdx.x * kThreads + threadIdx.x) / 32;
    if (first == 0 && lane == 0) {
        task.kept.count->invalid = *list.invalid;
        if (min_hits <= 1) task.kept.count->wanted = count;
    }
    for (std::uint32_t k = first; k < count; k += gridDim.x * (kThreads / 32)) {
        const KeptEntry mine = load_entry(list.entries, k);
        if (!stays(list, mine, min_hits)) continue;
        std::uint32_t before = 0;
        for (std::uint32_t other = lane; other < count; other += 32) {
            if (list.entries[other].score < mine.score && list.entries[other].leads == 0) continue;
            const KeptEntry theirs = load_entry(list.entries, other);
            if (stays(list, theirs, min_hits) && other != k && entry_precedes(theirs, mine)) ++before;
        }
        for (int step = 16; step > 0; step /= 2) before += __shfl_xor_sync(kWholeWarp, before, step);
        if (lane == 0) write_entry(list, task, mine, before);
        if (lane == 0 && min_hits > 1) atomicAdd(&task.kept.count->wanted, 1U);
    }
}

__device__ std::uint32_t bucket_of(const KeptEntry& entry) {
    return entry.leads != 0 ? 0 : kBuckets - 1 - (score_key(entry.score) >> 16);
}

__global__ void __launch_bounds__(kThreads) bin_scores_kernel(KeptList list, NmsTask task, std::int32_t min_hits,
                                                              std::uint32_t* d_buckets, std::uint32_t* d_slots) {
    if (stored_count(task.raw) < list.least) return;
    const std::uint32_t count = *list.count;
    for (std::uint32_t k = blockIdx.x * kThreads + threadIdx.x; k < count; k += gridDim.x * kThreads) {
        const KeptEntry mine = load_entry(list.entries, k);
        if (stays(list, mine, min_hits)) d_slots[k] = atomicAdd(&d_buckets[bucket_of(mine)], 1U);
    }
}

// One block: counts become starts, and the sum is the number written.
__global__ void __launch_bounds__(kScanThreads)
    scan_buckets_kernel(KeptList list, NmsTask task, std::uint32_t* d_buckets) {
    if (stored_count(task.raw) < list.least) return;
    constexpr std::uint32_t kEach = kBuckets / kScanThreads;
    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t warp = threadIdx.x / 32;
    uint4* mine = reinterpret_cast<uint4*>(d_buckets + threadIdx.x * kEach);
    std::uint32_t total = 0;
    for (std::uint32_t k = 0; k < kEach / 4; ++k) {
        const uint4 v = mine[k];
        total += v.x + v.y + v.z + v.w;
    }
    std::uint32_t sum = total;
    for (std::uint32_t step = 1; step < 32; step *= 2) {
        const std::uint32_t other = __shfl_up_sync(kWholeWarp, sum, step);
        if (lane >= step) sum += other;
    }
    __shared__ std::uint32_t sums[kScanThreads / 32];
    if (lane == 31) sums[warp] = sum;
    __syncthreads();
    std::uint32_t start = sum - total;
    for (std::uint32_t w = 0; w < warp; ++w) start += sums[w];
    if (threadIdx.x == kScanThreads - 1) {
        task.kept.count->wanted = start + total;
        task.kept.count->invalid = *list.invalid;
    }
    for (std::uint32_t k = 0; k < kEach / 4; ++k) {
        const uint4 v = mine[k];
        mine[k] = make_uint4(start, start + v.x, start + v.x + v.y, start + v.x + v.y + v.z);
        start += v.x + v.y + v.z + v.w;
    }
}

__global__ void __launch_bounds__(kThreads)
    fill_buckets_kernel(KeptList list, NmsTask task, std::int32_t min_hits, const std::uint32_t* d_starts,
                        const std::uint32_t* d_slots, std::uint32_t* d_sorted) {
    if (stored_count(task.raw) < list.least) return;
    const std::uint32_t count = *list.count;
    for (std::uint32_t k = blockIdx.x * kThreads + threadIdx.x; k < count; k += gridDim.x * kThreads) {
        const KeptEntry mine = load_entry(list.entries, k);
        if (stays(list, mine, min_hits)) d_sorted[d_starts[bucket_of(mine)] + d_slots[k]] = k;
    }
}

// A warp a kept detection: its place within its bucket.
__global__ void __launch_bounds__(kThreads)
    order_buckets_kernel(KeptList list, NmsTask task, std::int32_t min_hits, const std::uint32_t* d_starts,
                         const std::uint32_t* d_sorted) {
    if (stored_count(task.raw) < list.least) return;
    const std::uint32_t count = *list.count;
    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t total = task.kept.count->wanted;
    for (std::uint32_t k = (blockIdx.x * kThreads + threadIdx.x) / 32; k < count; k += gridDim.x * (kThreads / 32)) {
        const KeptEntry mine = load_entry(list.entries, k);
        if (!stays(list, mine, min_hits)) continue;
        const std::uint32_t bucket = bucket_of(mine);
        const std::uint32_t first = d_starts[bucket];
        const std::uint32_t last = bucket + 1 < kBuckets ? d_starts[bucket + 1] : total;
        std::uint32_t before = 0;
        for (std::uint32_t at = first + lane; at < last; at += 32) {
            const std::uint32_t other = d_sorted[at];
            if (other != k && entry_precedes(load_entry(list.entries, other), mine)) ++before;
        }
        for (int step = 16; step > 0; step /= 2) before += __shfl_xor_sync(kWholeWarp, before, step);
        if (lane == 0) write_entry(list, task, mine, first + before);
    }
}

}  // namespace

KeptOrderStorage::KeptOrderStorage(std::int32_t capacity) : capacity_(capacity) {
    const auto n = static_cast<std::size_t>(capacity);
    entries_ = DeviceBuffer<KeptEntry>(n);
    if (capacity > kDirectCapacity) {
        buckets_ = DeviceBuffer<std::uint32_t>(kBuckets);
        slots_ = DeviceBuffer<std::uint32_t>(n);
        sorted_ = DeviceBuffer<std::uint32_t>(n);
    }
}

std::size_t KeptOrderStorage::bytes() const {
    return entries_.bytes() + buckets_.bytes() + slots_.bytes() + sorted_.bytes();
}

void KeptOrderStorage::launch(const KeptList& list, const NmsTask& task, std::int32_t min_hits,
                              StreamView stream) const {
    constexpr int kMostBlocks = 2048;  // of 8 warps: every multiprocessor is full
    const int warps = (capacity_ + kThreads / 32 - 1) / (kThreads / 32);
    const auto blocks = static_cast<unsigned>(warps < kMostBlocks ? warps : kMostBlocks);
    if (buckets_.size() == 0) {
        order_direct_kernel<<<blocks, kThreads, 0, stream>>>(list, task, min_hits);
        check_launch("order_direct_kernel", stream);
        return;
    }
    fill_bytes(buckets_, 0, stream);
    bin_scores_kernel<<<blocks, kThreads, 0, stream>>>(list, task, min_hits, buckets_.data(), slots_.data());
    check_launch("bin_scores_kernel", stream);
    scan_buckets_kernel<<<1, kScanThreads, 0, stream>>>(list, task, buckets_.data());
    check_launch("scan_buckets_kernel", stream);
    fill_buckets_kernel<<<blocks, kThreads, 0, stream>>>(list, task, min_hits, buckets_.data(), slots_.data(),
                                                         sorted_.data());
    check_launch("fill_buckets_kernel", stream);
    order_buckets_kernel<<<blocks, kThreads, 0, stream>>>(list, task, min_hits, buckets_.data(), sorted_.data());
    check_launch("order_buckets_kernel", stream);
}

}  // namespace throng::gpu
