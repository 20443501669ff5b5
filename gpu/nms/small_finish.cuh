// Owners, hits and places: the last kernel of the small engine, but for those with too few hits.
#pragma once

#include <cstdint>

#include "gpu/nms/chained.h"
#include "gpu/nms/copy_extras.cuh"
#include "gpu/nms/small_places.cuh"
#include "gpu/nms/small_rows.cuh"
#include "gpu/nms/small_settle.cuh"

namespace throng::gpu {

// A block for some groups of 32 detections, kAtOnce of them together. Each files all kept ones for itself, and
// meanwhile looks for the first of them that suppresses one of its own: the owner, whose place in the output gets the
// hit. A kept one is its own.
template <std::uint32_t kThreads, std::uint32_t kEach, std::uint32_t kAtOnce, bool greedy>
struct SmallFinish {
    static constexpr std::uint32_t kWarps = kThreads / 32;
    static constexpr std::uint32_t kLanes = SmallPlaces::kLanes;  // that look for one detection
    static_assert(kThreads >= kAtOnce * 32 * kLanes && kWarps % kLanes == 0);
    using Rows = SmallRows<kWarps, kEach>;

    static constexpr std::uint32_t kStride = kWarps + 4;  // of what the warps found for one detection
    static_assert(static_cast<std::uint16_t>(kNone) == SmallPlaces::kNobody);
    // What the warps found for the detections of some groups: the first kept one in some words that suppresses each.
    // Two, so that some groups are looked for while others are read. In the memory of SmallSettle, which is done then.
    using Firsts = std::uint16_t[kAtOnce][32 * kStride];
    static_assert(2 * sizeof(Firsts) <= SmallSettle::kLeast * sizeof(std::uint32_t));

    static constexpr std::size_t kDeclaredBytes = sizeof(SmallPlaces::Shared) + 33 * sizeof(std::uint32_t);
    // Beside those.
    static std::uint32_t shared_bytes(std::uint32_t room) {
        return room * static_cast<std::uint32_t>(sizeof(float)) +
               (greedy ? SmallSettle::bytes(room) : static_cast<std::uint32_t>(2 * sizeof(Firsts)));
    }

    // Whether the frame is not too large; where it is, nobody has waited for the kernel in front.
    [[nodiscard]] __device__ __forceinline__ static bool run(const SmallNmsTask& small, const NmsRuleSet& rules,
                                                             const SmallShape& shape) {
        extern __shared__ __align__(16) unsigned char memory[];
        __shared__ SmallPlaces::Shared places_memory;
        __shared__ std::uint32_t hits[32];  // the places that get one, or kNone
        __shared__ std::uint32_t number;
        const NmsTask& task = small.task;
        const SmallNmsScratch& scratch = small.scratch;
        const std::uint32_t lane = threadIdx.x % 32;
        const std::uint32_t warp = threadIdx.x / 32;
        auto* scores = reinterpret_cast<float*>(memory);
        auto* firsts = reinterpret_cast<Firsts*>(scores + shape.room);
        const SmallSettle settle = SmallSettle::in(memory + std::size_t{shape.room} * sizeof(float), shape.room);
        // The detections were there before any kernel in front of this one that may still run: see match.
        const SmallPlaces::Scores<kThreads, kEach> raw_scores(task.raw, shape.capacity);
        if (threadIdx.x == 0) number = small_count(task.raw);
        __syncthreads();
        const std::uint32_t n = number;
        if (n > shape.capacity) return false;
        if constexpr (greedy) settle.prepare<kThreads>();
        const std::uint32_t words = words_for(n);
        const bool works = blockIdx.x < words || blockIdx.x == 0;
        const SmallPlaces places = SmallPlaces::prepare(places_memory, scores, task.raw, raw_scores, works ? n : 0);
        std::uint32_t parts[kEach];  // of the lane's detections of the warp's words, whose scores the thread has
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) parts[k] = places.part_of(raw_scores.value[k]);
        // The detection that this thread looks for: of which group, and of the group.
        const std::uint32_t its_group = kAtOnce == 1 ? 0 : threadIdx.x / kLanes / 32;
        const std::uint32_t own = threadIdx.x / kLanes - its_group * 32;
        const std::uint32_t part = threadIdx.x % kLanes;
        const bool looks = threadIdx.x < kAtOnce * 32 * kLanes;
        // As early as it can be.
        const std::uint32_t its_first = (blockIdx.x + its_group * gridDim.x) * 32 + own;
        float4 box{};
        if (part == 0 && looks && works && its_first < n)
            box = __ldcg(reinterpret_cast<const float4*>(task.raw.boxes) + its_first);

        Rows rows(scratch, shape);

        wait_for_previous();
        let_next_start();
        if (!works) return true;
        std::uint32_t bits[kAtOnce][kEach];
        const auto load_bits = [&](std::uint32_t group) {
#pragma unroll
            for (std::uint32_t a = 0; a < kAtOnce; ++a) rows.load_bits(bits[a], group + a * gridDim.x, words);
        };
        if constexpr (!greedy) rows.load_gone(n);  // first: it is needed first
        load_bits(blockIdx.x);
        if constexpr (greedy) {
            settle.run<kWarps, kEach>(scratch, words);
            // For lose, with the next frame.
            if (shape.together && threadIdx.x < 2 && blockIdx.x < words)
                scratch.open[blockIdx.x * SmallNmsScratch::kLine + threadIdx.x] = 0;
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
        const std::uint32_t step = kAtOnce * gridDim.x;
        for (std::uint32_t group = blockIdx.x, turn = 0; group < words; group += step, turn ^= 1) {
#pragma unroll
            for (std::uint32_t a = 0; a < kAtOnce; ++a) {
                std::uint32_t first = look<false>(bits[a], kept, words, scores, task.raw.boxes);
                if (__any_sync(kWholeWarp, first == kAgain))
                    first = look<true>(bits[a], kept, words, scores, task.raw.boxes);
                firsts[turn][a][lane * kStride + warp] = static_cast<std::uint16_t>(first);  // kNobody for kNone
            }
            if (group + step < words) load_bits(group + step);
            __syncthreads();

            if (!looks) continue;
            const std::uint32_t mine = group + its_group * gridDim.x;
            std::uint32_t hit = kNone;
            if (mine < words) {
                const std::uint32_t i = mine * 32 + own;
                if (group != blockIdx.x && part == 0 && i < n) box = reinterpret_cast<const float4*>(task.raw.boxes)[i];
                const bool keeps = (places_memory.kept[mine] >> own & 1U) != 0 && i < n;
                std::uint32_t its = places.first_of<kWarps / kLanes>(firsts[turn][its_group] + own * kStride);
                if (keeps) its = i;
                const std::uint32_t place = places.place_of(its != kNone ? its : 0);
                if (i < n) {
                    if (part == 0 && task.owner != nullptr) task.owner[i] = static_cast<std::int32_t>(its);
                    if (its != kNone && rules.min_hits > 1) {
                        hit = place;
                        if (part == 0 && keeps) scratch.source[place] = static_cast<std::int32_t>(i);
                    } else if (its != kNone && place < static_cast<std::uint32_t>(task.kept.capacity)) {
                        hit = place;
                        if (part == 0 && keeps) {
                            task.kept.source[place] = static_cast<std::int32_t>(i);
                            reinterpret_cast<float4*>(task.kept.boxes)[place] = box;
                            task.kept.scores[place] = scores[i];
                        }
                        if (keeps && shape.extras) copy_extras(task, place, i, part, kLanes);
                    }
                }
            }
            if constexpr (kAtOnce > 1) {
                if (part == 0) add(hit, small, rules);
            } else {
                if (part == 0) hits[own] = hit;
                meet<32 * kLanes>();  // the other threads have no part in this
                if (warp == 0) add(hits[lane], small, rules);
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
    // By so many threads of the block, whole warps.
    template <std::uint32_t threads>
    __device__ __forceinline__ static void meet() {
        asm volatile("bar.sync 1, %0;" ::"n"(threads) : "memory");
    }
    // A hit at the place of each lane, if any. Those of one frame lie side by side, where 32 with one instruction take
    // far less time than one by one. For 64 frames it took longer to gather them first.
    __device__ __forceinline__ static void add(std::uint32_t place, const SmallNmsTask& small,
                                               const NmsRuleSet& rules) {
        if (place != kNone) atomicAdd((rules.min_hits > 1 ? small.scratch.hits : small.task.kept.hits) + place, 1);
    }

    static constexpr std::uint32_t kAgain = kNone - 1;

    // The first kept one in the lane's words; kAgain where scores are equal and that was not asked for.
    template <bool exact>
    __device__ __forceinline__ static std::uint32_t look(const std::uint32_t (&bits)[kEach],
                                                         const std::uint32_t (&kept)[kEach], std::uint32_t words,
                                                         const float* scores, const Box* d_boxes) {
        SmallPlaces::First<exact> first{d_boxes};
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            if (Rows::word(k) >= words) break;
#pragma unroll 1
            for (std::uint32_t by = bits[k] & kept[k]; by != 0; by &= by - 1) {
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
