// Owners, hits and places: the last kernel of the small engine, but for those with too few hits.
#pragma once

#include <cstdint>

#include "gpu/nms/chained.h"
#include "gpu/nms/copy_extras.cuh"
#include "gpu/nms/small_places.cuh"
#include "gpu/nms/small_rows.cuh"
#include "gpu/nms/small_settle.cuh"

namespace throng::gpu {

// A block for some groups of 32 detections. Each files all kept ones for itself, and meanwhile looks for the first of
// them that suppresses one of its own: the owner, whose place in the output gets the hit. A kept one is its own.
template <std::uint32_t kThreads, std::uint32_t kEach, bool greedy>
struct SmallFinish {
    static constexpr std::uint32_t kWarps = kThreads / 32;
    static constexpr std::uint32_t kLanes = SmallPlaces::kLanes;  // that look for one detection
    static_assert(kThreads >= 32 * kLanes && kWarps % kLanes == 0);
    using Rows = SmallRows<kWarps, kEach>;

    static constexpr std::uint32_t kStride = kWarps + 4;  // of what the warps found for one detection
    static_assert(static_cast<std::uint16_t>(kNone) == SmallPlaces::kNobody);
    // What the warps found for the detections of a group. Two, so that one group is looked for while the other is read.
    using Firsts = std::uint16_t[32 * kStride];
    static constexpr std::size_t kDeclaredBytes = sizeof(SmallPlaces::Shared) + 2 * sizeof(Firsts);

    // Beside those.
    static std::uint32_t shared_bytes(std::uint32_t room) {
        return room * static_cast<std::uint32_t>(sizeof(float)) + (greedy ? SmallSettle::bytes(room) : 0);
    }

    // Whether the frame is not too large; where it is, nobody has waited for the kernel in front.
    [[nodiscard]] __device__ __forceinline__ static bool run(const SmallNmsTask& small, const NmsRuleSet& rules,
                                                             const SmallShape& shape) {
        extern __shared__ __align__(16) unsigned char memory[];
        __shared__ SmallPlaces::Shared places_memory;
        __shared__ __align__(8) Firsts firsts[2];  // kept ones that suppress each: the first in some words
        const NmsTask& task = small.task;
        const SmallNmsScratch& scratch = small.scratch;
        const std::uint32_t lane = threadIdx.x % 32;
        const std::uint32_t warp = threadIdx.x / 32;
        auto* scores = reinterpret_cast<float*>(memory);
        const SmallSettle settle = SmallSettle::in(memory + std::size_t{shape.room} * sizeof(float), shape.room);
        // The detections were there before the kernel in front of this one began.
        const std::uint32_t n = small_count(task.raw);
        if (n > shape.capacity) return false;
        if constexpr (greedy) settle.prepare<kThreads>();
        const std::uint32_t words = words_for(n);
        const bool works = blockIdx.x < words || blockIdx.x == 0;
        const SmallPlaces places = SmallPlaces::prepare<kThreads>(places_memory, scores, task.raw, works ? n : 0);
        std::uint32_t parts[kEach];
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k)
            parts[k] = places.part_of(min(Rows::word(k) * 32 + lane, shape.room - 1));
        const std::uint32_t own = threadIdx.x / kLanes;  // the detection of the group that this thread looks for
        const std::uint32_t part = threadIdx.x % kLanes;
        // As early as it can be.
        const std::uint32_t its_first = blockIdx.x * 32 + own;
        float4 box{};
        if (part == 0 && own < 32 && works && its_first < n)
            box = __ldcg(reinterpret_cast<const float4*>(task.raw.boxes) + its_first);

        Rows rows(scratch, shape);

        wait_for_previous();
        let_next_start();
        if (!works) return true;
        rows.load_bits(blockIdx.x, words);
        if constexpr (greedy) {
            settle.run<kWarps, kEach>(scratch, words);
        } else {
            rows.load_gone(n);
        }
        std::uint32_t kept[kEach];
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            const std::uint32_t word = Rows::word(k);
            if (word >= words) break;
            if constexpr (greedy) {
                const bool stays = word * 32 + lane < n && settle.state[word * 32 + lane] == SmallState::stays;
                kept[k] = __ballot_sync(kWholeWarp, stays);
            } else {
                kept[k] = rows.free(k, n);
            }
            places.file(word, kept[k], parts[k]);
        }
        for (std::uint32_t group = blockIdx.x, turn = 0; group < words; group += gridDim.x, turn ^= 1) {
            const std::uint32_t i = group * 32 + own;
            if (group != blockIdx.x) {
                rows.load_bits(group, words);
                if (part == 0 && own < 32 && i < n) box = reinterpret_cast<const float4*>(task.raw.boxes)[i];
            }
            std::uint32_t first = look<false>(rows, kept, words, scores, task.raw.boxes);
            if (__any_sync(kWholeWarp, first == kAgain)) first = look<true>(rows, kept, words, scores, task.raw.boxes);
            firsts[turn][lane * kStride + warp] = static_cast<std::uint16_t>(first);  // kNobody for kNone
            __syncthreads();

            if (own < 32) {
                const bool keeps = (places_memory.kept[group] >> own & 1U) != 0 && i < n;
                std::uint32_t its = places.first_of<kWarps / kLanes>(firsts[turn] + own * kStride);
                if (keeps) its = i;
                const std::uint32_t place = places.place_of(its != kNone ? its : 0);
                if (i < n) {
                    if (part == 0 && task.owner != nullptr) task.owner[i] = static_cast<std::int32_t>(its);
                    if (its != kNone && rules.min_hits > 1) {
                        if (part == 0) atomicAdd(scratch.hits + place, 1);
                        if (part == 0 && keeps) scratch.source[place] = static_cast<std::int32_t>(i);
                    } else if (its != kNone && place < static_cast<std::uint32_t>(task.kept.capacity)) {
                        if (part == 0) atomicAdd(task.kept.hits + place, 1);
                        if (part == 0 && keeps) {
                            task.kept.source[place] = static_cast<std::int32_t>(i);
                            reinterpret_cast<float4*>(task.kept.boxes)[place] = box;
                            task.kept.scores[place] = scores[i];
                        }
                        if (keeps && shape.extras) copy_extras(task, place, i, part, kLanes);
                    }
                }
            }
        }
        if (blockIdx.x == 0 && warp == kWarps - 1) {
            std::uint32_t invalid = 0;
            for (std::uint32_t w = lane; w < words; w += 32) invalid += __ldcg(scratch.invalid + w);
            const DetectionCount count{places.count(), warp_sum(invalid)};
            if (lane == 0) *task.kept.count = count;
        }
        return true;
    }

private:
    static constexpr std::uint32_t kAgain = kNone - 1;

    // The first kept one in the lane's words; kAgain where scores are equal and that was not asked for.
    template <bool exact>
    __device__ __forceinline__ static std::uint32_t look(const Rows& rows, const std::uint32_t (&kept)[kEach],
                                                         std::uint32_t words, const float* scores, const Box* d_boxes) {
        SmallPlaces::First<exact> first{d_boxes};
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            if (Rows::word(k) >= words) break;
#pragma unroll 1
            for (std::uint32_t by = rows.bits[k] & kept[k]; by != 0; by &= by - 1) {
                const std::uint32_t j = Rows::word(k) * 32 + __ffs(static_cast<int>(by)) - 1;
                first.offer(j, scores[j]);
            }
        }
        return first.again ? kAgain : first.index;
    }
};

// Drops the kept detections with too few hits, and writes the others: one block a frame.
template <std::uint32_t kThreads>
__device__ __forceinline__ void drop_few_hits(const SmallNmsTask& small, const NmsRuleSet& rules,
                                              const SmallShape& shape) {
    __shared__ std::uint32_t sums[kThreads / 32];
    const NmsTask& task = small.task;
    wait_for_previous();
    let_next_start();
    if (stored_count(task.raw) > shape.capacity) return;
    const std::uint32_t lane = threadIdx.x % 32;
    const std::uint32_t warp = threadIdx.x / 32;
    const DetectionCount all = *task.kept.count;
    std::uint32_t before = 0;
    for (std::uint32_t first = 0; first < all.wanted; first += kThreads) {
        const std::uint32_t rank = first + threadIdx.x;
        const std::int32_t hits = rank < all.wanted ? small.scratch.hits[rank] : 0;
        const bool enough = hits >= rules.min_hits;
        const std::uint32_t votes = __ballot_sync(kWholeWarp, enough);
        if (lane == 0) sums[warp] = __popc(votes);
        __syncthreads();
        const std::uint32_t of_warp = lane < kThreads / 32 ? sums[lane] : 0;
        const std::uint32_t place = before + warp_sum(lane < warp ? of_warp : 0) + __popc(votes & lowest_bits(lane));
        before += warp_sum(of_warp);
        if (enough) {
            const auto i = static_cast<std::uint32_t>(small.scratch.source[rank]);
            write_kept(task, place, load_box(task.raw.boxes, i), task.raw.scores[i], hits, i);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) *task.kept.count = DetectionCount{before, all.invalid};
}

}  // namespace throng::gpu
