// Greedy: decides those that the step before left open. Every block does it for itself.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/nms/small_shape.cuh"

namespace throng::gpu {

// kMost: detections.
template <std::uint32_t kMost>
struct SmallSettle {
    static constexpr std::uint32_t kMostEdges = std::max(2 * kMost, 5120U);
    struct Shared {
        std::uint32_t edges[kMostEdges];  // as in SmallNmsScratch, between open ones; each warp has its part
        std::uint32_t waits[kMost];       // for how many open ones each still waits
        std::uint32_t state[kMost];       // a SmallState each; by atomics as long as some are open
    };
    Shared& s;

    // By all threads, before they next meet.
    template <std::uint32_t kThreads>
    __device__ __forceinline__ void prepare() const {
#pragma unroll
        for (std::uint32_t k = 0; k < kMost / 4; k += kThreads) {
            if (k + threadIdx.x < kMost / 4) reinterpret_cast<uint4*>(s.waits)[k + threadIdx.x] = uint4{};
        }
    }

    // Ends with all threads there; no state is open then.
    template <std::uint32_t kWarps, std::uint32_t kEach>
    __device__ __forceinline__ void run(const SmallNmsScratch& scratch, std::uint32_t words) const {
        constexpr std::uint32_t kAhead = 2;  // loads of a list, 32 words each, that need not know how long it is
        constexpr std::uint32_t kHead = SmallNmsScratch::kHead;
        const std::uint32_t lane = threadIdx.x % 32;
        const std::uint32_t warp = threadIdx.x / 32;
        const auto list = [&](std::uint32_t word) { return scratch.edges + word * SmallNmsScratch::kSegment + lane; };
        std::uint32_t first[kEach][kAhead];
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            const std::uint32_t word = warp + k * kWarps;
            if (word >= words) break;
#pragma unroll
            for (std::uint32_t a = 0; a < kAhead; ++a) first[k][a] = __ldcg(list(word) + a * 32);
        }
        std::uint32_t states[kEach];
        std::uint32_t counts[kEach];
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            const std::uint32_t word = warp + k * kWarps;
            if (word >= words) break;
            counts[k] = __shfl_sync(kWholeWarp, first[k][0], 0);
            const bool is_open = (__shfl_sync(kWholeWarp, first[k][0], 1) >> lane & 1U) != 0;
            const bool stays = (__shfl_sync(kWholeWarp, first[k][0], 2) >> lane & 1U) != 0;
            states[k] = is_open ? SmallState::open : stays ? SmallState::stays : SmallState::lost;
            s.state[word * 32 + lane] = states[k];
        }
        __syncthreads();
        bool fits = true;
        std::uint32_t taken = 0;  // by the warp
        constexpr std::uint32_t kOurs = kMostEdges / kWarps;
        std::uint32_t* const ours = s.edges + warp * kOurs;
        // The edges given, if from open ones: the others are lost.
        const auto take = [&](bool given, std::uint32_t edge) {
            given = given && s.state[edge & 0xFFFFU] == SmallState::open;
            const std::uint32_t votes = __ballot_sync(kWholeWarp, given);
            const std::uint32_t at = taken + __popc(votes & lowest_bits(lane));
            taken += __popc(votes);
            if (given) atomicAdd(s.waits + (edge >> 16), 1U);
            if (given && at < kOurs) ours[at] = edge;
        };
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            const std::uint32_t word = warp + k * kWarps;
            if (word >= words) break;
            if (counts[k] == 0) continue;
            fits = fits && counts[k] <= SmallNmsScratch::kEdges;
            const std::uint32_t end = kHead + min(counts[k], SmallNmsScratch::kEdges);
#pragma unroll
            for (std::uint32_t a = 0; a < kAhead; ++a) {
                if (a * 32 < end) take((a > 0 || lane >= kHead) && a * 32 + lane < end, first[k][a]);
            }
#pragma unroll 2
            for (std::uint32_t e = kAhead * 32; e < end; e += 32) take(e + lane < end, __ldcg(list(word) + e));
        }
        fits = __syncthreads_and(fits && taken <= kOurs ? 1 : 0) != 0;
        if (fits) {
            std::uint32_t left[kEach];
#pragma unroll
            for (std::uint32_t k = 0; k < kEach; ++k) {
                const std::uint32_t word = warp + k * kWarps;
                left[k] = look(s.waits, (word < words ? word : 0) * 32 + lane);
            }
#pragma unroll
            for (std::uint32_t k = 0; k < kEach; ++k) {
                const std::uint32_t word = warp + k * kWarps;
                if (word < words && states[k] == SmallState::open && left[k] == 0)
                    tell(s.state, word * 32 + lane, SmallState::stays);
            }
            resolve(ours, taken);
        } else {
            look_at_rows<kWarps * 32>(scratch.matrix, words, s.state);
        }
        __syncthreads();
    }

private:
    // Other warps write meanwhile.
    [[nodiscard]] __device__ __forceinline__ static std::uint32_t look(const std::uint32_t* values, std::uint32_t i) {
        std::uint32_t value;
        asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];"
                     : "=r"(value)
                     : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(values + i)))
                     : "memory");
        return value;
    }
    __device__ __forceinline__ static void tell(std::uint32_t* state, std::uint32_t i, SmallState value) {
        atomicExch(state + i, value);
    }

    // A lane has some edges, and waits until the suppressor of each is decided. Whoever precedes all other open ones
    // waits for nobody, so all get an answer.
    __device__ __forceinline__ void resolve(std::uint32_t* ours, std::uint32_t count) const {
        const std::uint32_t lane = threadIdx.x % 32;
        if (count <= 32) {
            // As few steps as can be: those that wait take them from those that they wait for.
            std::uint32_t edge = lane < count ? ours[lane] : kNone;
            const bool alone = edge != kNone && look(s.waits, edge >> 16) == 1;
            while (true) {
                const bool ready = edge != kNone && look(s.state, edge & 0xFFFFU) != SmallState::open;
                if (__any_sync(kWholeWarp, ready)) {
                    if (ready) static_cast<void>(decide(edge, alone));
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
                if (decide(edge, false)) {
                    ours[e] = kNone;
                } else {
                    again = true;
                }
            }
        }
    }
    // Whether an edge is done with. alone: the suppressed one waits for no other.
    __device__ __forceinline__ bool decide(std::uint32_t edge, bool alone) const {
        const std::uint32_t seen = look(s.state, edge & 0xFFFFU);
        if (seen == SmallState::open) return false;
        const std::uint32_t i = edge >> 16;
        if (seen == SmallState::stays) {
            tell(s.state, i, SmallState::lost);
        } else if (alone || atomicSub(s.waits + i, 1U) == 1) {
            tell(s.state, i, SmallState::stays);
        }
        return true;
    }

    // The same by the rows of the matrix, where there are too many edges. Out of line, and so without the address of
    // what should stay in registers.
    template <std::uint32_t kThreads>
    __device__ __noinline__ static void look_at_rows(const std::uint32_t* d_matrix, std::uint32_t words,
                                                     std::uint32_t* state) {
        for (bool again = true; again;) {
            again = false;
            for (std::uint32_t i = threadIdx.x; i < words * 32; i += kThreads) {
                if (look(state, i) != SmallState::open) continue;
                std::uint32_t seen = SmallState::lost;
                for (std::uint32_t w = 0; w < words; ++w) {
                    for (std::uint32_t bits = __ldcg(d_matrix + w * kMost + i); bits != 0; bits &= bits - 1)
                        seen = max(seen, look(state, w * 32 + __ffs(static_cast<int>(bits)) - 1));
                }
                if (seen == SmallState::open) {
                    again = true;
                } else {
                    tell(state, i, seen == SmallState::stays ? SmallState::lost : SmallState::stays);
                }
            }
        }
    }
};

}  // namespace throng::gpu
