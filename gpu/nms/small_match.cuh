// Who suppresses whom: the first kernel of the small engine.
#pragma once

#include <cstdint>
#include <type_traits>

#include "gpu/nms/chained.h"
#include "gpu/nms/pair_bins.cuh"
#include "gpu/nms/pair_columns.cuh"
#include "gpu/nms/pair_halves.cuh"
#include "gpu/nms/small_shape.cuh"

namespace throng::gpu {

// A block has two tiles of detections, the pairs between which it tests: one of the triangle of all pairs of tiles. A
// lane has one of the first tile, a warp goes along some of the second. What suppresses the lane's own is a word of the
// matrix at once; what it suppresses itself is put into shared memory, and written when all are done.
template <std::uint32_t kTile, std::uint32_t kThreads>
struct SmallMatch {
    static constexpr std::uint32_t kTileSize = kTile;
    static constexpr std::uint32_t kGroups = kTile / 32;
    static constexpr std::uint32_t kWarps = kThreads / 32;
    static constexpr std::uint32_t kSpan = kTile * kGroups / kWarps;  // others that a warp goes along
    // Which others to test: bins take fewer instructions than halves, but longer until the first is known; measured.
    static constexpr bool kBinned = kTile > 96;
    using Near = std::conditional_t<kBinned, PairBins, PairHalves>;
    static constexpr std::uint32_t kRun = Near::kRun;  // of them at a time
    static_assert(kWarps >= 2 * kGroups && kTile * kGroups % kWarps == 0 && kSpan % kRun == 0 && kTile % kSpan == 0);
    static_assert(kGroups * kTile / 4 <= kThreads);

    struct Shared {
        float4 edges[2 * kTile];  // as in PairColumns, these two
        float2 more[2 * kTile];
        std::conditional_t<kBinned, PairBins::Run[kGroups], uint4[kTile / 2]> others;  // of the second tile
        // [g][q] bit k: 32 g + k of the first tile suppresses q of the second.
        alignas(16) std::uint32_t turned[kGroups][kTile];
        std::uint32_t gone[2 * kGroups];  // bits by place: none, invalid, or suppressed by the second tile
    };

    // Block to pair of tiles, first <= second.
    __device__ __forceinline__ static uint2 tiles_of(std::uint32_t block) {
        const float square = static_cast<float>(8 * block + 1);
        auto second = static_cast<std::uint32_t>((sqrtf(square) - 1.0F) * 0.5F + 0.01F);  // too large by one at most
        if (second * (second + 1) / 2 > block) --second;
        return make_uint2(block - second * (second + 1) / 2, second);
    }

    // Whether the frame is not too large. Calls load() as soon as anything of the frame may be loaded.
    template <bool plain, typename Load>
    [[nodiscard]] __device__ __forceinline__ static bool run(Shared& s, const SmallNmsTask& small,
                                                             const NmsRuleSet& rules, const SmallShape& shape,
                                                             const Load& load) {
        __builtin_assume(threadIdx.x < kThreads);  // or the compiler looks for the end of loops that have one pass
        const NmsTask& task = small.task;
        const SmallNmsScratch& scratch = small.scratch;
        const DetectionSpan& raw = task.raw;
        const std::uint32_t lane = threadIdx.x % 32;
        const std::uint32_t warp = threadIdx.x / 32;
        const uint2 tile = tiles_of(blockIdx.x);
        const bool diagonal = tile.x == tile.y;
        if (threadIdx.x < kGroups * kTile / 4) reinterpret_cast<uint4*>(s.turned)[threadIdx.x] = uint4{};
        constexpr std::uint32_t kEach = (2 * kTile + kThreads - 1) / kThreads;
        std::uint32_t indices[kEach];  // of the detections that this thread loads; kNone where there is none
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            const std::uint32_t place = threadIdx.x + k * kThreads;
            const std::uint32_t i = place < kTile ? tile.x * kTile + place : tile.y * kTile + place - kTile;
            indices[k] = place < 2 * kTile && i < static_cast<std::uint32_t>(raw.capacity) ? i : kNone;
            compute_now(indices[k]);
            if constexpr (kBinned) {
                if (place >= kTile && place < 2 * kTile) Near{s.others}.clear(place - kTile);
            }
        }

        wait_for_previous();
        let_next_start();  // not earlier: the kernels behind look at the detections before they wait
        // Before their number is known.
        load();
        float4 boxes[kEach];
        float scores[kEach];
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            const bool there = indices[k] != kNone;
            boxes[k] = there ? reinterpret_cast<const float4*>(raw.boxes)[indices[k]] : float4{};
            scores[k] = there ? raw.scores[indices[k]] : 0.0F;
        }
        const std::uint32_t n = stored_count(raw);
        if (n > shape.capacity) return false;
        if (tile.y * kTile >= n) return true;
        const PairColumns columns{s.edges, s.more};
        const Near others{s.others};
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            const std::uint32_t place = threadIdx.x + k * kThreads;
            if (place >= 2 * kTile) continue;
            const std::uint32_t i = indices[k];
            const Entry e = i < n ? make_entry(rules, boxes[k], scores[k], i) : no_entry();
            columns.store(place, e, plain);
            if (place >= kTile) others.store(place - kTile, e.edges);
            const bool first = diagonal && place < kTile;
            const std::uint32_t invalid = __ballot_sync(kWholeWarp, first && !e.valid());
            if (lane == 0) s.gone[place / 32] = invalid;
            if (!first) continue;
            const bool drops = rules.min_hits > 1;
            const std::uint32_t hit_room = drops ? shape.capacity : static_cast<std::uint32_t>(task.kept.capacity);
            if (i < min(n, hit_room)) (drops ? scratch.hits : task.kept.hits)[i] = 0;
            if (lane == 0 && i < n) scratch.invalid[i / 32] = __popc(invalid & lowest_bits(n - i));
        }
        __syncthreads();

        const PairRules pairs{rules, raw, shape.plan};
        const std::uint32_t group = warp % kGroups;
        const std::uint32_t place = group * 32 + lane;
        const std::uint32_t i = tile.x * kTile + place;
        const Entry mine = columns.load(place, i);
        std::uint32_t lane_bit = 1U << lane;
        compute_now(lane_bit);
        const typename Near::Reach reach(narrow_edges(mine.edges, pairs.plan.least_share));
        std::uint32_t gone = 0;  // not 0: somebody suppresses the lane's
#pragma unroll 1
        for (std::uint32_t from = warp / kGroups * kSpan; from < (warp / kGroups + 1) * kSpan; from += kRun) {
            const std::uint32_t first = kTile + from;
            std::uint32_t rest = others.near(from, reach);
            // Each pair once.
            if (diagonal) rest &= ~lowest_bits(place + 1 > from ? place + 1 - from : 0);
            std::uint32_t found = 0;
            std::uint32_t* const turned = &s.turned[group][from];  // of the others
            if constexpr (plain) {
                std::uint32_t close = 0;  // not certain: later
#pragma unroll 1
                while (rest != 0) {
                    const std::uint32_t j = highest_bit(rest);
                    const std::uint32_t bit = 1U << j;
                    rest ^= bit;
                    const PairColumns::Test test = columns.test(pairs.plan, mine, first + j);
                    decide(test, mine.score, bit, found, close, turned + j, lane_bit);
                }
                __syncwarp();  // or the lanes go on one after the other
                rest = close;
            }
#pragma unroll 1
            for (; rest != 0; rest &= rest - 1) {
                const std::uint32_t j = __ffs(static_cast<int>(rest)) - 1;
                const Entry other = columns.load(first + j, tile.y * kTile + from + j);
                const bool wins = ahead(raw.boxes, other.score, other.index, mine.score, mine.index);
                // By value, so that neither lies in memory.
                const Entry loser = either(wins, mine, other);
                const Entry winner = either(wins, other, mine);
                if (!entry_suppresses(pairs, loser, winner)) continue;
                if (wins) {
                    found |= 1U << j;
                } else {
                    atomicOr(turned + j, lane_bit);
                }
            }
            gone |= found;
            const std::uint32_t word = from / 32;
            if (diagonal) {
                if (found != 0) atomicOr(&s.turned[word][place], found);
            } else {
                scratch.matrix[(tile.y * kGroups + word) * shape.stride + i] = found;
            }
        }
        const std::uint32_t votes = __ballot_sync(kWholeWarp, gone != 0);
        if (lane == 0 && votes != 0) atomicOr(&s.gone[group], votes);
        __syncthreads();
#pragma unroll
        for (std::uint32_t k = threadIdx.x; k < kGroups * kTile; k += kThreads) {
            const std::uint32_t word = tile.x * kGroups + k / kTile;
            scratch.matrix[word * shape.stride + tile.y * kTile + k % kTile] = s.turned[k / kTile][k % kTile];
        }
        if (warp < kGroups) {
            std::uint32_t by = 0;  // who suppresses it
#pragma unroll
            for (std::uint32_t g = 0; g < kGroups; ++g) by |= s.turned[g][warp * 32 + lane];
            const std::uint32_t votes = __ballot_sync(kWholeWarp, by != 0);
            if (lane == 0) {
                const std::uint32_t more = diagonal ? s.gone[warp] : 0;
                scratch.gone[(tile.y * kGroups + warp) * SmallNmsScratch::kTiles + tile.x] = votes | more;
            }
        } else if (warp < 2 * kGroups && lane == 0 && !diagonal) {
            const std::uint32_t g = warp - kGroups;
            scratch.gone[(tile.x * kGroups + g) * SmallNmsScratch::kTiles + tile.y] = s.gone[g];
        }
        return true;
    }

private:
    // With a pair of detections whose bits are `its`, of the other, and `lane`: found gets its bit if it surely
    // suppresses this one, *turned the lane's if this one surely suppresses it, close its bit if neither is sure.
    // In instructions told here, because the compiler takes more: 44 instead of 36 for all that is done with a pair. A
    // lane that does not suppress the other adds no bit to it, rather than branch.
    __device__ __forceinline__ static void decide(const PairColumns::Test& test, float score, std::uint32_t its,
                                                  std::uint32_t& found, std::uint32_t& close, std::uint32_t* turned,
                                                  std::uint32_t lane) {
        asm volatile(
            "{\n\t.reg .pred sure, wins, loses, close;\n\t.reg .b32 bit;\n\t"
            "setp.gt.f32 sure, %2, %4;\n\t"
            "setp.gt.and.f32 wins, %5, %6, sure;\n\t"
            "setp.lt.and.f32 loses, %5, %6, sure;\n\t"
            "setp.eq.or.f32 close, %5, %6, !sure;\n\t"
            "setp.geu.and.f32 close, %3, %4, close;\n\t"
            "@wins or.b32 %0, %0, %7;\n\t"
            "@close or.b32 %1, %1, %7;\n\t"
            "selp.b32 bit, %9, 0, loses;\n\tred.shared.or.b32 [%8], bit;\n\t}"
            : "+r"(found), "+r"(close)
            : "f"(test.over), "f"(test.under), "f"(test.sum), "f"(test.score), "f"(score), "r"(its),
              "r"(shared_address(turned)), "r"(lane)
            : "memory");
    }
};

}  // namespace throng::gpu
