// Places of the kept detections in the output, from the shared memory of one block.
#pragma once

#include <cstdint>

#include "gpu/nms/shared_address.cuh"
#include "gpu/nms/small_shape.cuh"

namespace throng::gpu {

// The scores of the kept ones are listed, in no order. The place of one is how many of them are higher: some lanes
// compare it with all, for there are few. kMost: detections.
template <std::uint32_t kMost>
struct SmallPlaces {
    static constexpr std::uint32_t kFour = 4;  // of the list, that a lane compares at once

    struct Shared {
        alignas(16) float listed[kMost];  // scores of the kept ones in a row, and behind them what is not a number
        float scores[kMost];              // by index: those of the kept ones
        std::uint16_t who[kMost];         // beside the list: their indices
        std::uint32_t kept[kMost / 32];   // bits by index
        std::uint32_t count;              // kept ones
    };
    Shared& s;

    // By all threads, before they next meet.
    template <std::uint32_t kThreads>
    __device__ __forceinline__ void prepare() const {
        const float none = __int_as_float(0x7FFFFFFF);
#pragma unroll
        for (std::uint32_t k = 0; k < kMost / kFour; k += kThreads) {
            if (k + threadIdx.x < kMost / kFour)
                reinterpret_cast<float4*>(s.listed)[k + threadIdx.x] = make_float4(none, none, none, none);
        }
        if (threadIdx.x == 0) s.count = 0;
    }

    // By the whole warp: bit k of `kept` says whether detection 32 word + k is kept. i, its: the lane's, and its score.
    __device__ __forceinline__ void store(std::uint32_t word, std::uint32_t kept, std::uint32_t i, float its) const {
        const std::uint32_t lane = threadIdx.x % 32;
        if (lane == 0) s.kept[word] = kept;
        if ((kept >> lane & 1U) != 0) s.scores[i] = its;
    }

    // By the whole warp: where so many are listed; known to its first lane.
    [[nodiscard]] __device__ __forceinline__ std::uint32_t take(std::uint32_t count) const {
        return threadIdx.x % 32 == 0 ? add_alone(&s.count, count) : 0;
    }
    __device__ __forceinline__ void list(std::uint32_t at, std::uint32_t kept, std::uint32_t i, float its) const {
        const std::uint32_t lane = threadIdx.x % 32;
        if ((kept >> lane & 1U) == 0) return;
        at += __popc(kept & lowest_bits(lane));
        s.listed[at] = its;
        s.who[at] = static_cast<std::uint16_t>(i);
    }

    // By kLanes lanes side by side, once all are listed: how many have a higher score, and above kEqual how many the
    // same. Whole warps.
    static constexpr std::uint32_t kEqual = 1U << 16;
    template <std::uint32_t kLanes>
    [[nodiscard]] __device__ __forceinline__ std::uint32_t compare(float its) const {
        const std::uint32_t count = s.count;
        // Numbers, as floats: without predicates, which the next instruction would wait for. Their last bits count.
        constexpr float kNothing = 1U << 23;
        float higher[2] = {kNothing, kNothing};
        float equal[2] = {kNothing, kNothing};
        std::uint32_t k = threadIdx.x % kLanes * kFour;
#pragma unroll 1
        do {  // once at least: behind the list there is what is not a number
            const float4 v = *reinterpret_cast<const float4*>(s.listed + k);
            k += kLanes * kFour;
            higher[0] += one_if_higher(v.x, its);
            higher[1] += one_if_higher(v.y, its);
            equal[0] += one_if_equal(v.x, its);
            equal[1] += one_if_equal(v.y, its);
            higher[0] += one_if_higher(v.z, its);
            higher[1] += one_if_higher(v.w, its);
            equal[0] += one_if_equal(v.z, its);
            equal[1] += one_if_equal(v.w, its);
        } while (k < count);
        const auto number = [](const float(&of)[2]) {
            return __float_as_uint(of[0]) + __float_as_uint(of[1]) - 2 * __float_as_uint(kNothing);
        };
        std::uint32_t found = number(higher) + number(equal) * kEqual;
        __syncwarp();
#pragma unroll
        for (std::uint32_t step = kLanes / 2; step > 0; step /= 2)
            found += __shfl_xor_sync(kWholeWarp, found, step, kLanes);
        return found;
    }

    // Where kept ones have equal scores. By kLanes lanes side by side; out of line, and without the address of what
    // should stay in registers.

    // How many kept ones of the score of i, which is one, precede it.
    template <std::uint32_t kLanes>
    [[nodiscard]] __device__ __noinline__ static std::uint32_t equal_before(Shared& shared, const Box* d_boxes,
                                                                            std::uint32_t i) {
        const Shared& s = hold_address(&shared);
        const float score = s.scores[i];
        const Box box = load_box(d_boxes, i);
        std::uint32_t count = 0;
        for_each_listed<kLanes>(s, score, [&](std::uint32_t j) {
            if (j != i && throng::precedes(load_box(d_boxes, j), score, j, box, score, i)) ++count;
        });
        for (std::uint32_t step = kLanes / 2; step > 0; step /= 2)
            count += __shfl_xor_sync(lanes<kLanes>(), count, step);
        return count;
    }
    // Of the kept ones of that score that suppress a detection the one that precedes the others. d_row: its row of the
    // matrix, words a stride apart.
    template <std::uint32_t kLanes, std::uint32_t kStride>
    [[nodiscard]] __device__ __noinline__ static std::uint32_t first_of_equal(Shared& shared, const Box* d_boxes,
                                                                              float score, const std::uint32_t* d_row) {
        const Shared& s = hold_address(&shared);
        std::uint32_t first = kNone;
        const auto offer = [&](std::uint32_t j) {
            if (j == kNone || j == first) return;
            if (first == kNone || precedes_at_equal_scores(d_boxes, score, j, first)) first = j;
        };
        for_each_listed<kLanes>(s, score, [&](std::uint32_t j) {
            if ((__ldcg(d_row + j / 32 * kStride) >> j % 32 & 1U) != 0) offer(j);
        });
        for (std::uint32_t step = kLanes / 2; step > 0; step /= 2) offer(__shfl_xor_sync(lanes<kLanes>(), first, step));
        return first;
    }

private:
    // Those of that score; each of the lanes has some.
    template <std::uint32_t kLanes, typename Visit>
    __device__ __forceinline__ static void for_each_listed(const Shared& s, float score, const Visit& visit) {
        const std::uint32_t count = s.count;
        for (std::uint32_t k = threadIdx.x % kLanes; k < count; k += kLanes) {
            if (s.listed[k] == score) visit(s.who[k]);
        }
    }
    template <std::uint32_t kLanes>
    [[nodiscard]] __device__ __forceinline__ static std::uint32_t lanes() {
        return ((1U << kLanes) - 1) << threadIdx.x % 32 / kLanes * kLanes;
    }
};

}  // namespace throng::gpu
