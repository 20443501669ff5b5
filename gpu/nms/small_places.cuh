// Places of the kept detections in the output, from the shared memory of one block that has all scores.
#pragma once

#include <cstdint>

#include "gpu/nms/small_shape.cuh"

namespace throng::gpu {

// The kept ones are filed by score, into equal parts of the range of scores. The place of one is then a sum over the
// parts before its own, and a comparison with the few that share it.
struct SmallPlaces {
    static constexpr std::uint32_t kGroups = 32;
    static constexpr std::uint32_t kParts = kGroups * 32;
    static constexpr std::uint32_t kSlots = 4;  // of a part; where more share one, all kept ones are looked at
    static constexpr std::uint32_t kLanes = 8;  // that look for one detection
    static constexpr std::uint32_t kMostWords = kSmallNmsLimit / 32;

    struct Shared {
        alignas(16) std::uint32_t in_group[kGroups];  // kept ones, of 32 parts
        alignas(16) std::uint32_t in_part[kParts];
        std::uint16_t slots[kParts][kSlots];
        std::uint32_t kept[kMostWords];  // bits by index
        std::uint32_t range[2][32];      // of scores, by warp
    };
    Shared& s;
    const float* score;  // [n] in shared memory
    const Box* d_boxes;
    std::uint32_t n;
    float best;
    float scale;

    // Scores, kThreads apart: loaded before it is known how many there are, to wait once for both.
    template <std::uint32_t kThreads, std::uint32_t kEach>
    struct Scores {
        float value[kEach];

        __device__ __forceinline__ Scores(const DetectionSpan& raw, std::uint32_t most) {
#pragma unroll
            for (std::uint32_t k = 0; k < kEach; ++k) {
                const std::uint32_t i = threadIdx.x + k * kThreads;
                value[k] = i < most && i < static_cast<std::uint32_t>(raw.capacity) ? __ldcg(raw.scores + i) : 0.0F;
            }
        }
    };

    // Clears, copies the scores and finds their range; begins and ends with all threads there.
    template <std::uint32_t kThreads, std::uint32_t kEach>
    __device__ __forceinline__ static SmallPlaces prepare(Shared& s, float* score, const DetectionSpan& raw,
                                                          const Scores<kThreads, kEach>& scores, std::uint32_t n) {
        constexpr float kLargest = 3.402823466e+38F;
        std::uint32_t high = 0;
        std::uint32_t low = 0;  // of the complement, so that both are maxima
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            const std::uint32_t i = threadIdx.x + k * kThreads;
            const float value = scores.value[k];
            if (i >= n) break;
            score[i] = value;
            if (!(fabsf(value) <= kLargest)) continue;
            high = max(high, score_key(value));
            low = max(low, ~score_key(value));
        }
        for (std::uint32_t k = threadIdx.x; k < kParts; k += kThreads) s.in_part[k] = 0;
        if (threadIdx.x < kGroups) s.in_group[threadIdx.x] = 0;
        high = warp_max(high);
        low = warp_max(low);
        const std::uint32_t lane = threadIdx.x % 32;
        if (lane == 0) {
            s.range[0][threadIdx.x / 32] = high;
            s.range[1][threadIdx.x / 32] = low;
        }
        __syncthreads();
        const float best = score_of_key(warp_max(lane < kThreads / 32 ? s.range[0][lane] : 0));
        const float worst = score_of_key(~warp_max(lane < kThreads / 32 ? s.range[1][lane] : 0));
        return {s, score, raw.boxes, n, best, static_cast<float>(kParts - 1) / (best - worst)};
    }

    // Never ascends with the score. Where the range is 0 or infinite all may share a part.
    [[nodiscard]] __device__ __forceinline__ std::uint32_t part_of(float its) const {
        const float part = (best - its) * scale;
        return static_cast<std::uint32_t>(fminf(fmaxf(part, 0.0F), static_cast<float>(kParts - 1)));
    }

    // By the whole warp: bit k says whether detection 32 word + k is kept. part: of the lane's.
    __device__ __forceinline__ void file(std::uint32_t word, std::uint32_t kept, std::uint32_t part) const {
        const std::uint32_t lane = threadIdx.x % 32;
        if (lane == 0) s.kept[word] = kept;
        if ((kept >> lane & 1U) == 0) return;
        const std::uint32_t i = word * 32 + lane;
        const std::uint32_t slot = atomicAdd(s.in_part + part, 1U);
        atomicAdd(s.in_group + part / 32, 1U);
        if (slot < kSlots) s.slots[part][slot] = static_cast<std::uint16_t>(i);
    }

    // By the whole warp, once all are filed: how many there are.
    [[nodiscard]] __device__ __forceinline__ std::uint32_t count() const {
        return warp_sum(s.in_group[threadIdx.x % 32]);
    }

    // The one of several that precedes the others. Not exact: without a branch, but it may have to be done again.
    template <bool exact>
    struct First {
        const Box* d_boxes;
        std::uint32_t index = kNone;
        float score = -INFINITY;
        bool again = false;  // equal scores

        __device__ __forceinline__ void offer(std::uint32_t i, float its) {
            bool better = its > score;
            const bool tie = its == score && i != index;
            if constexpr (exact) {
                if (tie) better = precedes_at_equal_scores(d_boxes, its, i, index);
            } else {
                again = again || tie;
            }
            index = better ? i : index;
            score = better ? its : score;
        }
    };

    // By kLanes lanes side by side: the first of kLanes * kShare, of which kNobody are none.
    static constexpr std::uint16_t kNobody = 0xFFFF;
    template <std::uint32_t kShare, bool exact = false>
    [[nodiscard]] __device__ __forceinline__ std::uint32_t first_of(const std::uint16_t* kept) const {
        First<exact> first{d_boxes};
#pragma unroll
        for (std::uint32_t k = 0; k < kShare; ++k) {
            const std::uint32_t i = kept[threadIdx.x % kLanes * kShare + k];
            const float its = score[i != kNobody ? i : 0];
            first.offer(i != kNobody ? i : kNone, i != kNobody ? its : -INFINITY);
        }
#pragma unroll
        for (std::uint32_t step = kLanes / 2; step > 0; step /= 2) {
            const std::uint32_t i = __shfl_xor_sync(kWholeWarp, first.index, step, kLanes);
            first.offer(i, __shfl_xor_sync(kWholeWarp, first.score, step, kLanes));
        }
        if constexpr (!exact) {
            if (__any_sync(kWholeWarp, first.again)) return first_of<kShare, true>(kept);
        }
        return first.index;
    }

    // By kLanes lanes side by side, once all are filed, for one of the kept: how many precede it. Whole warps.
    [[nodiscard]] __device__ __forceinline__ std::uint32_t place_of(std::uint32_t i) const {
        static_assert(kLanes >= kSlots);
        const std::uint32_t lane = threadIdx.x % kLanes;
        const float its = score[i];
        const std::uint32_t part = part_of(its);
        const std::uint32_t same = s.in_part[part];
        const std::uint32_t other = lane < same && lane < kSlots ? s.slots[part][lane % kSlots] : i;
        const float others = score[other];
        std::uint32_t before = sum_below(s.in_group, part / 32) + sum_below(s.in_part + part / 32 * 32, part % 32);
        before += others > its ? 1 : 0;
        const bool look_again = same > kSlots || (others == its && other != i);
        if (__any_sync(kWholeWarp, look_again)) {
            const std::uint32_t group = ((1U << kLanes) - 1) << threadIdx.x % 32 / kLanes * kLanes;
            if ((__ballot_sync(kWholeWarp, look_again) & group) != 0)
                before = all_before(s.kept, score, d_boxes, words_for(n), i);
            __syncwarp();
        }
#pragma unroll
        for (std::uint32_t step = kLanes / 2; step > 0; step /= 2)
            before += __shfl_xor_sync(kWholeWarp, before, step, kLanes);
        return before;
    }

private:
    // A lane's share of all that precede i. Out of line, and so without the address of what should stay in registers.
    [[nodiscard]] __device__ __noinline__ static std::uint32_t all_before(const std::uint32_t* kept, const float* score,
                                                                          const Box* d_boxes, std::uint32_t words,
                                                                          std::uint32_t i) {
        std::uint32_t before = 0;
        for (std::uint32_t w = threadIdx.x % kLanes; w < words; w += kLanes) {
            for (std::uint32_t bits = kept[w]; bits != 0; bits &= bits - 1) {
                const std::uint32_t j = w * 32 + __ffs(static_cast<int>(bits)) - 1;
                if (ahead(d_boxes, score[j], j, score[i], i)) ++before;
            }
        }
        return before;
    }
    // A lane's share of the sum of the first `count` of 32.
    [[nodiscard]] __device__ __forceinline__ static std::uint32_t sum_below(const std::uint32_t* values,
                                                                            std::uint32_t count) {
        static_assert(kLanes == 8);
        const std::uint32_t first = threadIdx.x % kLanes * 4;
        const uint4 v = *reinterpret_cast<const uint4*>(values + first);
        const std::uint32_t four[4] = {v.x, v.y, v.z, v.w};
        std::uint32_t sum = 0;
#pragma unroll
        for (std::uint32_t k = 0; k < 4; ++k) sum += first + k < count ? four[k] : 0;
        return sum;
    }
};

}  // namespace throng::gpu
