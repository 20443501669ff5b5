// Adding to the kept detections from a kernel.
#pragma once

#include "gpu/nms/box_grid.h"
#include "gpu/nms/kept_order.h"
#include "gpu/nms/pair_test.cuh"

namespace throng::gpu {

// Never descends in the order of detections; never kLeads.
__device__ __forceinline__ std::uint32_t bucket_of(const KeptOrder& order, const NmsTask& task, const PairGate& gate,
                                                   const SearchPlan& plan, float score, std::uint32_t index) {
    const float most = static_cast<float>(order.buckets - 1);
    // Where the range is 0 or infinite this is not a number for some, and all share a bucket, unless the index orders them.
    float place = (plan.best - score) * (most / (plan.best - plan.worst));
    const bool by_index = gate.order != nullptr && gate.corners == nullptr;  // the keys of equal scores are equal
    if (by_index && plan.best == plan.worst && score == plan.best) {
        place = 2 + (most - 3) * (static_cast<float>(index) / static_cast<float>(task.raw.capacity));
    }
    return static_cast<std::uint32_t>(fminf(fmaxf(place, 1.0F), most));
}

// The same for scores from the best down to `lowest` that are products of factors: parts of equal ratios, for most such
// scores are a small part of the best.
__device__ __forceinline__ std::uint32_t bucket_of_product(const KeptOrder& order, float score, float lowest) {
    const std::uint32_t best = order.plan->best_key;
    const auto below = [&](float s) { return static_cast<float>(best - min(best, score_key(s))); };
    const float most = static_cast<float>(order.buckets - 1);
    const float place = below(score) * (most / fmaxf(below(lowest), 1.0F));
    return static_cast<std::uint32_t>(fminf(fmaxf(place, 1.0F), most));
}

// Adds a record to the list of a bucket. Returns 1 + the record that was added before. For one thread.
__device__ __forceinline__ std::uint32_t add_to_bucket(const KeptOrder& order, std::uint32_t record,
                                                       std::uint32_t bucket) {
    atomicAdd(order.sums + bucket, 1U);
    atomicAdd(order.group_sums + bucket / KeptOrder::kGroup, 1U);
    return atomicExch(order.last + bucket, record + 1);
}

// Adds a kept detection with its final score. For one thread.
__device__ __forceinline__ void append_kept(const KeptOrder& order, const GridRecord& kept, std::uint32_t record,
                                            std::uint32_t bucket) {
    const std::uint32_t next = order.min_hits <= 1 ? add_to_bucket(order, record, bucket) : 0;
    const std::uint32_t k = atomicAdd(order.count, 1U);
    order.entries[k] = {kept.score, kept.index, record, bucket};
    order.links[record] = {next, k};
}

}  // namespace throng::gpu
