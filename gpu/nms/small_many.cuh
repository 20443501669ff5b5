// Greedy, where more are open than have rows of bits, or a list of edges is cut.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/nms/small_edges.cuh"

namespace throng::gpu {

// Edges of so many detections that have room while they wait.
__host__ __device__ constexpr std::uint32_t most_waiting(std::uint32_t most) {
    return std::max(2 * most, 5120U);
}

// A state for each detection, and edges that wait until their suppressor is decided; where not all of those have room,
// the rows of the matrix. Shared: of SmallSettle. kMost: detections.
template <std::uint32_t kMost, class Shared>
struct SmallMany {
    static constexpr std::uint32_t kMaxEdges = most_waiting(kMost);

    // Every block for itself. shared_waits: [kMost], for how many open ones each still waits. Ends with all threads
    // there; no state is open then. Out of line, and so without the address of what should stay in registers.
    template <std::uint32_t kWarps, std::uint32_t kEach>
    __device__ __noinline__ static void decide(Shared& shared, std::uint32_t* shared_waits,
                                               const std::uint32_t* d_lists, const std::uint32_t* d_matrix,
                                               std::uint32_t words) {
        Shared& s = hold_address(&shared);
        std::uint32_t* const waits = &hold_address(shared_waits);
        const std::uint32_t lane = threadIdx.x % 32;
        const std::uint32_t warp = threadIdx.x / 32;
        EdgeLists<kWarps, kEach> lists;
        lists.load(d_lists, words);
        lists.read_heads();
        std::uint32_t states[kEach];
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            const bool is_open = (lists.open[k] >> lane & 1U) != 0;
            const bool stays = (lists.stays[k] >> lane & 1U) != 0;
            states[k] = is_open ? SmallState::open : stays ? SmallState::stays : SmallState::lost;
            s.state[EdgeLists<kWarps, kEach>::word(k) * 32 + lane] = states[k];
            waits[EdgeLists<kWarps, kEach>::word(k) * 32 + lane] = 0;
        }
        __syncthreads();
        bool listed = true;
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) listed = listed && lists.count[k] <= SmallNmsScratch::kEdges;
        // The edges given, if from open ones: the others are lost.
        const auto for_each_open = [&](const auto& put) {
            lists.for_each(d_lists, [&](std::uint32_t k, bool given, std::uint32_t edge) {
                const Edge its(edge);
                const std::uint32_t i = EdgeLists<kWarps, kEach>::word(k) * 32 + its.lane;
                const bool from_open = given && s.state[its.by] == SmallState::open;
                const std::uint32_t votes = __ballot_sync(kWholeWarp, from_open);
                put(from_open, __popc(votes & lowest_bits(lane)), __popc(votes), i << 16 | its.by);
            });
        };
        // Each warp has its part, where those of neighbors are; where that is too small for some, all are dealt out.
        constexpr std::uint32_t kPart = kMaxEdges / kWarps;
        std::uint32_t taken = 0;  // by the warp
        for_each_open([&](bool given, std::uint32_t at, std::uint32_t number, std::uint32_t edge) {
            if (given) atomicAdd(waits + (edge >> 16), 1U);
            if (given && taken + at < kPart) s.edges[warp * kPart + taken + at] = edge;
            taken += number;
        });
        std::uint32_t begin = 0;
        if (lane == 0) begin = atomicAdd(&s.taken, taken);
        begin = __shfl_sync(kWholeWarp, begin, 0);
        const bool in_parts = __syncthreads_and(taken <= kPart ? 1 : 0) != 0;
        const bool fits = __syncthreads_and(listed ? 1 : 0) != 0 && s.taken <= kMaxEdges;
        if (fits) {
            if (in_parts) {
                begin = warp * kPart;
            } else {
                for_each_open([&](bool given, std::uint32_t at, std::uint32_t number, std::uint32_t edge) {
                    if (given) s.edges[begin + at] = edge;
                    begin += number;
                });
                __syncthreads();
                const std::uint32_t share = (s.taken + kWarps - 1) / kWarps;
                begin = min(warp * share, s.taken);
                taken = warp_max(min(share, s.taken - begin));  // so that it is known to be the same for all lanes
            }
            std::uint32_t left[kEach];
#pragma unroll
            for (std::uint32_t k = 0; k < kEach; ++k)
                left[k] = look(waits + EdgeLists<kWarps, kEach>::word(k) * 32 + lane);
#pragma unroll
            for (std::uint32_t k = 0; k < kEach; ++k) {
                if (states[k] == SmallState::open && left[k] == 0)
                    conclude(s.state + EdgeLists<kWarps, kEach>::word(k) * 32 + lane, SmallState::stays);
            }
            resolve(s, waits, s.edges + begin, taken);
        } else {
#pragma unroll
            for (std::uint32_t k = 0; k < kEach; ++k) {
                if (lane == 0) s.open[EdgeLists<kWarps, kEach>::word(k)] = make_uint2(lists.open[k], lists.stays[k]);
            }
            __syncthreads();
            look_at_rows<kWarps>(s, d_matrix, words);
        }
        __syncthreads();
    }

private:
    __device__ __forceinline__ static void conclude(std::uint32_t* state, SmallState value) {
        atomicExch(state, value);
    }

    // A lane has some edges, and waits until the suppressor of each is decided. Whoever precedes all other open ones
    // waits for nobody, so all get an answer.
    __device__ __forceinline__ static void resolve(Shared& s, std::uint32_t* waits, std::uint32_t* ours,
                                                   std::uint32_t count) {
        const std::uint32_t lane = threadIdx.x % 32;
        if (count <= 32) {
            // As few steps as can be: those that wait take them from those that they wait for.
            std::uint32_t edge = lane < count ? ours[lane] : kNone;
            const bool alone = edge != kNone && look(waits + (edge >> 16)) == 1;
            while (true) {
                const bool ready = edge != kNone && look(s.state + (edge & 0xFFFFU)) != SmallState::open;
                if (__any_sync(kWholeWarp, ready)) {
                    if (ready) static_cast<void>(settle(s, waits, edge, alone));
                    if (ready) edge = kNone;
                    __syncwarp();
                } else if (!__any_sync(kWholeWarp, edge != kNone)) {
                    return;
                }
            }
        }
        for (bool again = true; again;) {
            again = false;
            for (std::uint32_t e = lane; e < count; e += 32) {
                const std::uint32_t edge = ours[e];
                if (edge == kNone) continue;
                if (settle(s, waits, edge, false)) {
                    ours[e] = kNone;
                } else {
                    again = true;
                }
            }
        }
    }
    // Whether an edge is done with. alone: the suppressed one waits for no other.
    __device__ __forceinline__ static bool settle(Shared& s, std::uint32_t* waits, std::uint32_t edge, bool alone) {
        const std::uint32_t seen = look(s.state + (edge & 0xFFFFU));
        if (seen == SmallState::open) return false;
        const std::uint32_t i = edge >> 16;
        if (seen == SmallState::stays) {
            conclude(s.state + i, SmallState::lost);
        } else if (alone || atomicSub(waits + i, 1U) == 1) {
            conclude(s.state + i, SmallState::stays);
        }
        return true;
    }

    // By the rows of the matrix, where there are too many edges: a lane has one of a word, and goes along all words.
    // shared.open: of each word who is open, and who stays. Out of line, too.
    template <std::uint32_t kWarps>
    __device__ __noinline__ static void look_at_rows(Shared& shared, const std::uint32_t* d_matrix,
                                                     std::uint32_t words) {
        Shared& s = hold_address(&shared);
        const std::uint32_t lane = threadIdx.x % 32;
        for (bool again = true; again;) {
            again = false;
            for (std::uint32_t w = threadIdx.x / 32; w < words; w += kWarps) {
                const uint2 own = look_at_two(s.open + w);
                if (own.x == 0) continue;
                const bool asks = (own.x >> lane & 1U) != 0;
                const std::uint32_t* row = d_matrix + w * 32 + lane;
                std::uint32_t by_open = 0;
                std::uint32_t by_kept = 0;
#pragma unroll 8
                for (std::uint32_t v = 0; v < words; ++v) {
                    const std::uint32_t bits = asks ? __ldcg(row + v * kMost) : 0;
                    const uint2 known = look_at_two(s.open + v);
                    by_open |= bits & known.x;
                    by_kept |= bits & known.y;
                }
                const std::uint32_t lost = __ballot_sync(kWholeWarp, by_kept != 0);
                const std::uint32_t stays = __ballot_sync(kWholeWarp, asks && (by_kept | by_open) == 0);
                const std::uint32_t left = own.x & ~(lost | stays);
                if (lane == 0 && left != own.x) tell(s.open + w, make_uint2(left, own.y | stays));
                again = again || left != 0;
                __syncwarp();
            }
        }
        for (std::uint32_t w = threadIdx.x / 32; w < words; w += kWarps)
            s.state[w * 32 + lane] = (s.open[w].y >> lane & 1U) != 0 ? SmallState::stays : SmallState::lost;
    }
};

}  // namespace throng::gpu
