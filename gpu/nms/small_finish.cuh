// Owners, hits and places: the last kernel of the small engine, but for those with too few hits.
#pragma once

#include <cstdint>
#include <type_traits>

#include "gpu/nms/chained.h"
#include "gpu/nms/copy_optional_fields.cuh"
#include "gpu/nms/small_places.cuh"
#include "gpu/nms/small_rows.cuh"
#include "gpu/nms/small_settle.cuh"

namespace throng::gpu {

// A block for some groups of 32 detections, kAtOnce of them together. Each lists all kept ones for itself, and
// meanwhile looks for the first of them that suppresses one of its own: the owner, whose place in the output gets the
// hit. A kept one is its own. rows_made: lose has made rows of bits.
template <std::uint32_t kThreads, std::uint32_t kEach, std::uint32_t kAtOnce, bool greedy, bool rows_made>
struct SmallFinish {
    static constexpr std::uint32_t kWarps = kThreads / 32;
    static constexpr std::uint32_t kLanes = kAtOnce == 1 ? 16 : 8;  // that look for one detection
    static constexpr std::uint32_t kLookers = kAtOnce * 32 * kLanes;
    static_assert(kThreads >= kLookers);
    using Rows = SmallRows<kWarps, kEach>;
    static constexpr std::uint32_t kMost = kThreads * kEach;
    using Places = SmallPlaces<kMost>;
    using Settle = SmallSettle<kMost>;
    struct Nothing {};

    struct Shared {
        typename Places::Shared places;
        std::conditional_t<greedy, typename Settle::Shared, Nothing> settle;
        // The key of the first kept one's score that suppresses each detection of some groups, or 0. Two of them, so
        // that some groups are looked for while others are written.
        std::uint32_t owners[2 * kAtOnce * 32];
        std::uint32_t index[kAtOnce * 32];  // of the owners, where asked for
        std::uint32_t hits[32];             // the places that get one, or kNone
        std::uint32_t number;
    };

    // Whether the frame is not too large; where it is, nobody has waited for the kernel in front.
    [[nodiscard]] __device__ __forceinline__ static bool run(const SmallNmsTask& small, const NmsRuleSet& rules,
                                                             const SmallShape& shape) {
        extern __shared__ __align__(16) unsigned char memory[];
        Shared& s = hold_address(reinterpret_cast<Shared*>(memory));
        const NmsTask& task = small.task;
        const SmallNmsScratch& scratch = small.scratch;
        const std::uint32_t lane = threadIdx.x % 32;
        const std::uint32_t warp = threadIdx.x / 32;
        const Places places{s.places};
        // The detections were there before any kernel in front of this one that may still run: see match. Some are
        // loaded before it is known how many there are.
        const std::uint32_t most = min(shape.capacity, static_cast<std::uint32_t>(task.raw.capacity));
        if (threadIdx.x == 0) s.number = small_count(task.raw);
        float its_scores[kEach];  // of the lane's detections of the warp's words
        const float* scores_at = task.raw.scores + threadIdx.x;
        compute_now(scores_at);
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k)
            its_scores[k] = threadIdx.x + k * kThreads < most ? __ldcg(scores_at + k * kThreads) : 0.0F;
        // The detection that this thread looks for: of which group, and of the group.
        const std::uint32_t its_group = kAtOnce == 1 ? 0 : threadIdx.x / kLanes / 32;
        const std::uint32_t own = threadIdx.x / kLanes - its_group * 32;
        const std::uint32_t part = threadIdx.x % kLanes;
        const bool looks = threadIdx.x < kLookers;
        const std::uint32_t its_first = (blockIdx.x + its_group * gridDim.x) * 32 + own;
        float4 box{};
        if (part == 0 && looks && its_first < most)
            box = __ldcg(reinterpret_cast<const float4*>(task.raw.boxes) + its_first);
        if constexpr (greedy) {
            settle_in(s).prepare();
        } else {
            places.template prepare<kThreads>();
        }
        static_assert(kThreads >= 2 * kAtOnce * 32);
        if (threadIdx.x < 2 * kAtOnce * 32) s.owners[threadIdx.x] = 0;
        __syncthreads();
        const std::uint32_t n = s.number;
        if (n > shape.capacity) return false;
        const std::uint32_t words = words_for(n);
        Rows rows(scratch, shape);
        rows.learn(n);

        wait_for_previous();
        let_next_start();
        if (blockIdx.x >= words && blockIdx.x != 0) return true;
        std::uint32_t bits[kAtOnce][kEach];
        const auto load_bits = [&](std::uint32_t group) {
#pragma unroll
            for (std::uint32_t a = 0; a < kAtOnce; ++a) {
                const std::uint32_t its = group + a * gridDim.x;
                rows.load_bits(bits[a], its, kAtOnce == 1 || its < words ? words : 0);
            }
        };
        std::uint32_t kept[kEach];
        if constexpr (greedy) {
            // What is requested next is asked for, and cleared, while open ones are being decided.
            const auto meanwhile = [&] {
                load_bits(blockIdx.x);
                places.template prepare<kThreads>();
            };
            if constexpr (rows_made) {
                settle_in(s).template run_with_rows<kWarps, kEach>(scratch, words, kept, meanwhile);
                // For lose, with the next frame.
                if (threadIdx.x < 2 && blockIdx.x < words)
                    scratch.open[blockIdx.x * SmallNmsScratch::kLine + threadIdx.x] = 0;
            } else {
                settle_in(s).template run<kWarps, kEach>(scratch, words, kept, meanwhile);
            }
        } else {
            rows.load_gone();  // first: it is needed first
            load_bits(blockIdx.x);
#pragma unroll
            for (std::uint32_t k = 0; k < kEach; ++k) kept[k] = rows.free(k);
        }
        std::uint32_t all = 0;
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) all += __popc(kept[k]);
        const std::uint32_t taken = places.take(all);
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k)
            places.store(Rows::word(k), kept[k], threadIdx.x + k * kThreads, its_scores[k]);
        __syncwarp();
        const std::uint32_t step = kAtOnce * gridDim.x;
        for (std::uint32_t group = blockIdx.x, turn = 0; group < words; group += step, turn ^= 1) {
            std::uint32_t* const owners = s.owners + turn * (kAtOnce * 32);
            First firsts[kAtOnce];
#pragma unroll
            for (std::uint32_t a = 0; a < kAtOnce; ++a) {
                firsts[a] = first_of(bits[a], kept, s.places.scores);
                if (firsts[a].index != kNone) atomicMax(owners + a * 32 + lane, score_key(firsts[a].score));
            }
            if (group + step < words) load_bits(group + step);
            if (group == blockIdx.x) {
                std::uint32_t at = __shfl_sync(kWholeWarp, taken, 0);
#pragma unroll
                for (std::uint32_t k = 0; k < kEach; ++k) {
                    places.list(at, kept[k], threadIdx.x + k * kThreads, its_scores[k]);
                    at += __popc(kept[k]);
                }
            }
            __syncthreads();

            if (task.owner != nullptr) {
                tell_index(s, owners, firsts);
                __syncthreads();
            }
            if (!looks) continue;
            const std::uint32_t mine = group + its_group * gridDim.x;
            std::uint32_t hit = kNone;
            if (mine < words) {
                const std::uint32_t i = mine * 32 + own;
                if (group != blockIdx.x && part == 0 && i < n) box = reinterpret_cast<const float4*>(task.raw.boxes)[i];
                const bool keeps = (s.places.kept[mine] >> own & 1U) != 0;
                const std::uint32_t key = owners[its_group * 32 + own];
                const bool has = keeps || key != 0;
                const float its = keeps ? s.places.scores[i] : score_of_key(key);
                const std::uint32_t found = places.template compare<kLanes>(its);
                std::uint32_t place = found % Places::kEqual;
                std::uint32_t exactly = keeps ? i : kNone;
                if (has && found >= 2 * Places::kEqual) {  // rare
                    if (!keeps) {
                        exactly = Places::template first_of_equal<kLanes, Rows::kStride>(s.places, task.raw.boxes, its,
                                                                                         scratch.matrix + i);
                    }
                    place += Places::template equal_before<kLanes>(s.places, task.raw.boxes, exactly);
                }
                if (task.owner != nullptr && part == 0 && i < n) {
                    task.owner[i] = static_cast<std::int32_t>(exactly != kNone ? exactly
                                                              : has            ? s.index[its_group * 32 + own]
                                                                               : kNone);
                }
                if (has && rules.min_hits > 1) {
                    hit = place;
                    if (part == 0 && keeps) scratch.source[place] = static_cast<std::int32_t>(i);
                } else if (has && place < static_cast<std::uint32_t>(task.kept.capacity)) {
                    hit = place;
                    if (part == 0 && keeps) {
                        task.kept.source[place] = static_cast<std::int32_t>(i);
                        reinterpret_cast<float4*>(task.kept.boxes)[place] = box;
                        task.kept.scores[place] = its;
                    }
                    if (keeps && shape.optional_fields) copy_optional_fields(task, place, i, part, kLanes);
                }
                if (part == 0) owners[its_group * 32 + own] = 0;  // for the next but one
            }
            if constexpr (kAtOnce > 1) {
                if (part == 0) add(hit, small, rules);
            } else {
                if (part == 0) s.hits[own] = hit;
                meet<kLookers>();  // the other threads have no part in this
                if (warp == 0) add(s.hits[lane], small, rules);
            }
        }
        if (blockIdx.x == 0 && warp == kWarps - 1) {
            std::uint32_t invalid = 0;
#pragma unroll 1
            for (std::uint32_t w = lane; w < words; w += 32) invalid += __ldcg(scratch.invalid + w);
            const DetectionCount count{s.places.count, warp_sum(invalid)};
            if (lane == 0) *task.kept.count = count;
        }
        return true;
    }

private:
    // What waits is not used once scores are stored.
    [[nodiscard]] __device__ __forceinline__ static Settle settle_in(Shared& s) {
        return {s.settle, reinterpret_cast<std::uint32_t*>(s.places.scores)};
    }

    struct First {
        float score;
        std::uint32_t index;
    };

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

    // Of the kept ones in the lane's words one with the highest score.
    [[nodiscard]] __device__ __forceinline__ static First first_of(const std::uint32_t (&bits)[kEach],
                                                                   const std::uint32_t (&kept)[kEach],
                                                                   const float* scores) {
        First first{-INFINITY, kNone};
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
#pragma unroll 1
            for (std::uint32_t by = bits[k] & kept[k]; by != 0; by &= by - 1) {
                const std::uint32_t j = Rows::word(k) * 32 + __ffs(static_cast<int>(by)) - 1;
                const float score = scores[j];
                first.index = score > first.score ? j : first.index;
                first.score = fmaxf(first.score, score);
            }
        }
        return first;
    }

    // Of equal scores one is told.
    __device__ __forceinline__ static void tell_index(Shared& s, const std::uint32_t* owners,
                                                      const First (&firsts)[kAtOnce]) {
        const std::uint32_t lane = threadIdx.x % 32;
#pragma unroll
        for (std::uint32_t a = 0; a < kAtOnce; ++a) {
            const bool told = firsts[a].index != kNone && score_key(firsts[a].score) == owners[a * 32 + lane];
            if (told) s.index[a * 32 + lane] = firsts[a].index;
        }
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
    for (std::uint32_t first = 0; first < all.total; first += kThreads) {
        const std::uint32_t rank = first + threadIdx.x;
        const std::int32_t hits = rank < all.total ? small.scratch.hits[rank] : 0;
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
