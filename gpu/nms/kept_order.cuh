// Adding to the kept detections from a kernel.
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

// Files entry k. For one thread.
__device__ __forceinline__ void file_entry(const KeptOrder& order, std::uint32_t k, std::uint32_t bucket) {
    order.next[k] = atomicExch(order.last + bucket, k + 1);
    atomicAdd(order.sums + bucket, 1U);
    atomicAdd(order.group_sums + bucket / KeptOrder::kGroup, 1U);
}

// Score as it is written. For one thread.
__device__ __forceinline__ void append_kept(const KeptOrder& order, const Candidate& kept, std::uint32_t record,
                                            bool leads = false) {
    const std::uint32_t k = atomicAdd(order.count, 1U);
    const std::uint32_t bucket = leads ? KeptOrder::kLeads : bucket_of(order, kept.score);
    auto* to = reinterpret_cast<uint4*>(order.entries + k);
    to[0] = make_uint4(__float_as_uint(kept.box.x), __float_as_uint(kept.box.y), __float_as_uint(kept.box.w),
                       __float_as_uint(kept.box.h));
    to[1] = make_uint4(__float_as_uint(kept.score), kept.index, record, bucket);
    if (order.min_hits <= 1) file_entry(order, k, bucket);
}

}  // namespace throng::gpu
