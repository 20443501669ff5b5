#include <cuda_runtime.h>

#include <algorithm>
#include <bit>

#include "gpu/nms/chained.h"
#include "gpu/nms/kept_order.cuh"

namespace throng::gpu {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::int32_t kWarps = kThreads / 32;
constexpr std::int32_t kMaxBlocks = 528;  // of 8 warps: all run at once on a large device
constexpr std::uint32_t kMinBuckets = 2048;

__global__ void __launch_bounds__(kThreads) file_kernel(KeptOrder order, NmsTask task) {
    wait_for_previous();
    let_next_start();
    if (stored_count(task.raw) < order.least) return;
    const std::uint32_t count = *order.count;
    for (std::uint32_t k = blockIdx.x * kThreads + threadIdx.x; k < count; k += gridDim.x * kThreads) {
        const KeptEntry entry = load_entry(order.entries, k);
        if (stays(order, entry.record))
            order.filed[entry.record] = {enter_bucket(order, entry.record, entry.bucket), k};
    }
}

__global__ void __launch_bounds__(kThreads) write_kept_kernel(KeptOrder order, NmsTask task) {
    __shared__ KeptBoard board;
    __shared__ FrameHead frame;
    if (threadIdx.x == 0) frame.load_count(task.raw);
    __syncthreads();
    wait_for_previous();
    let_next_start();
    if (frame.n < order.least) return;
    write_entries<kThreads>(order, task, board, blockIdx.x, gridDim.x, nullptr);
}

}  // namespace

KeptOrderStorage::KeptOrderStorage(std::int32_t capacity, StreamView stream) {
    const auto n = static_cast<std::uint32_t>(capacity);
    buckets_ = std::clamp(std::bit_ceil(n) / 2, kMinBuckets, KeptOrder::kMaxBuckets);
    entries_ = DeviceBuffer<KeptEntry>(n);
    scores_ = DeviceBuffer<float>((std::size_t{n} + 3) / 4 * 4);  // read four at a time
    filed_ = DeviceBuffer<FiledRecord>(n);
    last_ = DeviceBuffer<std::uint32_t>(buckets_);
    // The sums and bits first: they are read sixteen bytes at a time.
    record_words_ = (n + 127) / 128 * 4;
    cleared_ = DeviceBuffer<std::uint32_t>(std::size_t{buckets_} + record_words_ + buckets_ / KeptOrder::kGroup + 1);
    // Loaded before it is known how many there are.
    fill_bytes(entries_, 0, stream);
    fill_bytes(scores_, 0, stream);
    fill_bytes(filed_, 0, stream);
    fill_bytes(last_, 0, stream);
    fill_bytes(cleared_, 0, stream);
}

KeptOrder KeptOrderStorage::view(const GridHeader* header, const std::uint32_t* hits, std::int32_t min_hits,
                                 bool by_score, std::uint32_t least) const {
    KeptOrder order{};
    order.entries = entries_.data();
    order.scores = scores_.data();
    order.by_score = by_score && min_hits <= 1;
    order.filed = filed_.data();
    order.last = last_.data();
    order.sums = cleared_.data();
    order.records = order.sums + buckets_;
    order.group_sums = order.records + record_words_;
    order.count = order.group_sums + buckets_ / KeptOrder::kGroup;
    order.buckets = buckets_;
    order.header = header;
    order.hits = hits;
    order.min_hits = min_hits;
    order.least = least;
    return order;
}

std::size_t KeptOrderStorage::bytes() const {
    return entries_.bytes() + scores_.bytes() + filed_.bytes() + last_.bytes() + cleared_.bytes();
}

void launch_kept_order(const KeptOrder& order, const NmsTask& task, std::int32_t share, const LaunchChain& chain) {
    const auto blocks_for = [](std::int32_t each, std::int32_t items) {
        return static_cast<unsigned>(std::min((items + each - 1) / each, kMaxBlocks));
    };
    if (order.min_hits > 1) {
        chain.launch("file_kernel", file_kernel, blocks_for(kThreads, task.raw.capacity), kThreads, order, task);
    }
    chain.launch("write_kept_kernel", write_kept_kernel, blocks_for(kWarps * share, task.raw.capacity), kThreads, order,
                 task);
}

}  // namespace throng::gpu
