// Who suppresses whom: the first kernel of the small engine.
#pragma once

#include <cstdint>

#include "gpu/nms/chained.h"
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
    static constexpr std::uint32_t kRun = PairHalves::kRun;           // of them at a time
    static constexpr int kAtOnce = 1;                                 // pairs that a lane tests
    static_assert(kWarps >= 2 * kGroups && kTile * kGroups % kWarps == 0 && kSpan % kRun == 0 && kTile % kSpan == 0);

    struct Shared {
        float4 edges[2 * kTile];  // as in PairColumns, these two
        float2 more[2 * kTile];
        uint4 halves[kTile / 2];               // of the second tile
        std::uint32_t turned[kGroups][kTile];  // [g][q] bit k: 32 g + k of the first tile suppresses q of the second
        std::uint32_t gone[2 * kGroups];       // bits by place: invalid, or suppressed by the second tile
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
    [[nodiscard]] __device__ __forceinline__ static bool run(const SmallNmsTask& small, const NmsRuleSet& rules,
                                                             const SmallShape& shape, const Load& load) {
        __shared__ Shared s;
        const NmsTask& task = small.task;
        const SmallNmsScratch& scratch = small.scratch;
        const DetectionSpan& raw = task.raw;
        const std::uint32_t lane = threadIdx.x % 32;
        const std::uint32_t warp = threadIdx.x / 32;
        const uint2 tile = tiles_of(blockIdx.x);
        const bool diagonal = tile.x == tile.y;
        for (std::uint32_t k = threadIdx.x; k < kGroups * kTile; k += kThreads) s.turned[k / kTile][k % kTile] = 0;
        constexpr std::uint32_t kEach = (2 * kTile + kThreads - 1) / kThreads;
        std::uint32_t indices[kEach];  // of the detections that this thread loads; kNone where there is none
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            const std::uint32_t place = threadIdx.x + k * kThreads;
            const std::uint32_t i = place < kTile ? tile.x * kTile + place : tile.y * kTile + place - kTile;
            indices[k] = place < 2 * kTile && i < static_cast<std::uint32_t>(raw.capacity) ? i : kNone;
            compute_now(indices[k]);
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
        const PairHalves halves{s.halves, nullptr};
        std::int32_t* hits = rules.min_hits > 1 ? scratch.hits : task.kept.hits;
        const std::uint32_t hit_room =
            min(n, rules.min_hits > 1 ? shape.capacity : static_cast<std::uint32_t>(task.kept.capacity));
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            const std::uint32_t place = threadIdx.x + k * kThreads;
            if (place >= 2 * kTile) continue;
            const std::uint32_t i = indices[k];
            const Entry e = i < n ? make_entry(rules, boxes[k], scores[k], i) : no_entry();
            columns.store(place, e, plain);
            if (place >= kTile) halves.store(place - kTile, e.edges);
            const bool first = diagonal && place < kTile;
            const std::uint32_t invalid = __ballot_sync(kWholeWarp, first && i < n && !e.valid());
            if (lane == 0) s.gone[place / 32] = invalid;
            if (!first) continue;
            if (i < hit_room) hits[i] = 0;
            if (lane == 0 && i < n) scratch.invalid[i / 32] = __popc(invalid);
        }
        __syncthreads();

        const PairRules pairs{rules, raw, shape.plan};
        const std::uint32_t group = warp % kGroups;
        const std::uint32_t place = group * 32 + lane;
        const std::uint32_t i = tile.x * kTile + place;
        const Entry mine = columns.load(place, i);
        const PairHalves::Reach reach(narrow_edges(mine.edges, pairs.plan.least_share));
#pragma unroll 1
        for (std::uint32_t from = warp / kGroups * kSpan; from < (warp / kGroups + 1) * kSpan; from += kRun) {
            const std::uint32_t first = kTile + from;
            std::uint32_t rest = halves.near<false>(from, reach);
            // Each pair once.
            if (diagonal) rest &= ~lowest_bits(place + 1 > from ? place + 1 - from : 0);
            std::uint32_t found = 0;
            const auto suppressed = [&](std::uint32_t q) { atomicOr(&s.turned[group][q], 1U << lane); };  // the other
            if constexpr (plain) {
                std::uint32_t close = 0;  // not certain: later
                for_each_plain<kAtOnce>(columns, pairs.plan, mine, first, rest,
                                        [&](std::uint32_t j, std::uint32_t bit, float score, bool over, bool under) {
                                            const bool tie = score == mine.score;
                                            if (over && score > mine.score) found |= bit;
                                            if (over && score < mine.score && bit != 0) suppressed(j - kTile);
                                            if (!under && (!over || tie)) close |= bit;
                                        });
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
                    suppressed(from + j);
                }
            }
            const std::uint32_t votes = __ballot_sync(kWholeWarp, found != 0);
            if (lane == 0 && votes != 0) atomicOr(&s.gone[group], votes);
            const std::uint32_t word = from / 32;
            if (diagonal) {
                if (found != 0) atomicOr(&s.turned[word][place], found);
            } else {
                scratch.matrix[(tile.y * kGroups + word) * shape.stride + i] = found;
            }
        }
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
};

}  // namespace throng::gpu
