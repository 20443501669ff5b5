// The device side of core/algo/nms_rules.h: whether j, which precedes i, suppresses it under any rule; and the keys
// that stand for the order of detections.
#pragma once

#include <cstdint>

#include "core/algo/nms_rules.h"
#include "gpu/nms/nms_task.h"
#include "gpu/nms/pair_gate.cuh"

namespace throng::gpu {

// plain: overlap alone decides, and boxes that do not meet never suppress; gated: and PairGate.
enum class PairPath { plain, gated, any };

inline PairPath pair_path(const NmsRuleSet& rules) {
    if (rules.pair != PairRule::overlap || rules.disjoint) return PairPath::any;
    return rules.gate.active() ? PairPath::gated : PairPath::plain;
}

// A detection as the kernels hold it: 16 + 8 bytes.
struct Candidate {
    Box box;
    float score;
    std::uint32_t index;  // in the raw buffer
};

__device__ __forceinline__ Box load_box(const Box* d_boxes, std::uint32_t i) {
    const float4 v = reinterpret_cast<const float4*>(d_boxes)[i];
    return Box{v.x, v.y, v.z, v.w};
}

__device__ __forceinline__ void store_box(Box* d_boxes, std::uint32_t i, Box b) {
    reinterpret_cast<float4*>(d_boxes)[i] = make_float4(b.x, b.y, b.w, b.h);
}

// Whether j suppresses i under any pair rule, given that j precedes it, and their intersection and areas.
__device__ __forceinline__ bool suppresses_with(const NmsRuleSet& rules, const DetectionSpan& raw, float intersection,
                                                float area_i, std::uint32_t i, float area_j, std::uint32_t j) {
    if (!(intersection > 0.0F) && !rules.disjoint) return false;
    if (!same_group(rules.gate, i, j)) return false;
    const float overlap = overlap_ratio(rules.overlap, intersection, area_i, area_j);
    switch (rules.pair) {
        case PairRule::overlap: return overlap >= rules.theta;
        case PairRule::adaptive: return overlap >= adaptive_threshold(rules.theta, raw.density[j]);
        case PairRule::feature: {
            const auto size = static_cast<std::size_t>(raw.feature_size);
            return feature_suppresses(overlap, rules.feature_low, rules.feature_high, rules.feature_distance,
                                      raw.features + i * size, raw.features + j * size, raw.feature_size);
        }
    }
    return false;
}

// The same for two detections.
__device__ __forceinline__ bool suppresses(const NmsRuleSet& rules, const DetectionSpan& raw, const Candidate& i,
                                           const Candidate& j) {
    return may_suppress(rules.ties, i.score, j.score) &&
           suppresses_with(rules, raw, intersection_area(i.box, j.box, rules.extent), box_area(i.box, rules.extent),
                           i.index, box_area(j.box, rules.extent), j.index);
}

// No detection, record or position.
constexpr std::uint32_t kNone = 0xFFFFFFFFU;

// The order of two detections with one score. Out of line: rare, and code costs time to fetch.
[[maybe_unused]] static __device__ __noinline__ bool precedes_at_equal_scores(const Box* d_boxes,
                                                                              const std::uint64_t* d_order, float score,
                                                                              std::uint32_t a, std::uint32_t b) {
    if (d_order != nullptr) return d_order[a] != d_order[b] ? d_order[a] < d_order[b] : a < b;
    return throng::precedes(load_box(d_boxes, a), score, a, load_box(d_boxes, b), score, b);
}
__device__ __forceinline__ bool precedes_at_equal_scores(const NmsTask& task, float score, std::uint32_t a,
                                                         std::uint32_t b) {
    return precedes_at_equal_scores(task.raw.boxes, task.order, score, a, b);
}

__device__ __forceinline__ bool precedes(const Candidate& a, const Candidate& b) {
    return throng::precedes(a.box, a.score, a.index, b.box, b.score, b.index);
}

// Keys that descend with the scores; no number has a key of 0.
__device__ __forceinline__ std::uint32_t score_key(float score) {
    const std::uint32_t bits = __float_as_uint(score + 0.0F);  // one key for -0 and +0
    return (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
}

__device__ __forceinline__ float score_of_key(std::uint32_t key) {
    return __uint_as_float((key >> 31) != 0 ? key & 0x7FFFFFFFU : ~key);
}

__device__ __forceinline__ std::uint32_t stored_count(const DetectionSpan& span) {
    const std::uint32_t requested = span.count->total;
    return requested < static_cast<std::uint32_t>(span.capacity) ? requested
                                                                 : static_cast<std::uint32_t>(span.capacity);
}

// False for a frame that is left to the other engine.
__device__ __forceinline__ bool is_own_frame(const NmsTask& task) {
    const std::uint32_t total = task.raw.count->total;
    return total >= task.fewest && total <= task.most;
}
// Of a frame that is left to the other engine none.
__device__ __forceinline__ std::uint32_t own_count(const NmsTask& task) {
    return is_own_frame(task) ? stored_count(task.raw) : 0;
}

constexpr std::uint32_t kWholeWarp = 0xFFFFFFFFU;

// fold(a, b) over groups of kLanes lanes, on each of them.
template <int kLanes = 32, typename Value, typename Fold>
__device__ __forceinline__ Value fold_lanes(Value value, const Fold& fold) {
#pragma unroll
    for (int step = kLanes / 2; step > 0; step /= 2) value = fold(value, __shfl_xor_sync(kWholeWarp, value, step));
    return value;
}

// The sum and the greatest over the warp, on all lanes.
__device__ __forceinline__ std::uint32_t warp_sum(std::uint32_t value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(kWholeWarp, value);
#else
    return fold_lanes(value, [](std::uint32_t a, std::uint32_t b) { return a + b; });
#endif
}
// Of words with a sign or without.
template <typename Word>
__device__ __forceinline__ Word warp_max(Word value) {
    static_assert(sizeof(Word) == sizeof(std::uint32_t));
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(kWholeWarp, value);
#else
    return fold_lanes(value, [](Word a, Word b) { return max(a, b); });
#endif
}

// Returns true if a kept detection of that position is stored. The caller counts all.
__device__ __forceinline__ bool fits(const NmsTask& task, std::uint32_t position) {
    return position < static_cast<std::uint32_t>(task.kept.capacity);
}
// Writes the number of kept detections, including those that are not stored. By all threads of the grid.
__device__ __forceinline__ void write_count(const NmsTask& task, std::uint32_t total, std::uint32_t invalid) {
    if (blockIdx.x == 0 && threadIdx.x == 0 && is_own_frame(task)) *task.kept.count = DetectionCount{total, invalid};
}
// Writes all but the hits, to a position that fits.
__device__ __forceinline__ void write_without_hits(const NmsTask& task, std::uint32_t position, Box box, float score,
                                                   std::uint32_t source) {
    store_box(task.kept.boxes, position, box);
    task.kept.scores[position] = score;
    task.kept.source[position] = static_cast<std::int32_t>(source);
    const DetectionSpan& kept = task.kept;
    const DetectionSpan& raw = task.raw;
    const auto copy = [&](float* d_to, const float* d_from, std::size_t size) {
        if (d_to == nullptr || d_from == nullptr) return;
        for (std::size_t k = 0; k < size; ++k) d_to[position * size + k] = d_from[source * size + k];
    };
    copy(kept.density, raw.density, 1);
    if (kept.feature_size == raw.feature_size)
        copy(kept.features, raw.features, static_cast<std::size_t>(raw.feature_size));
    copy(kept.landmarks, raw.landmarks, 10);
}
__device__ __forceinline__ void write_kept(const NmsTask& task, std::uint32_t position, Box box, float score,
                                           std::int32_t hits, std::uint32_t source) {
    if (!fits(task, position)) return;
    task.kept.hits[position] = hits;
    write_without_hits(task, position, box, score, source);
}

}  // namespace throng::gpu
