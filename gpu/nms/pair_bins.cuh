// Which of 32 others one may meet, looked up: tables in shared memory tell who starts before an edge, and who ends
// after it.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>

#include "gpu/nms/chained.h"
#include "gpu/nms/pair_test.cuh"
#include "gpu/nms/shared_address.cuh"

namespace throng::gpu {

// An edge has a bin by where it is between the outermost edges of the others, the first or the last where it is
// outside. No rounding changes the order of edges, nor does overflow: all that it does is to put more of them into one
// bin. So boxes that meet have bins that do.
struct PairBins {
    static constexpr std::uint32_t kRun = 32;  // others that are told at once; they begin at a multiple of it
    static constexpr std::uint32_t kBins = 64;

    // Of an axis: an edge times gain, less start, is from 0 to 1.
    struct Scale {
        float gain;
        float start;
    };
    // Bits of the others: by bins, who starts in one or before; by bins from the last on, who ends in one or after.
    struct alignas(16) Run {
        std::uint32_t left[kBins], top[kBins], right[kBins], bottom[kBins];
        Scale x, y;
    };

    Run* runs;

    // Both by the warp that has a run, a lane for each place. They need no barrier between them.
    __device__ __forceinline__ void clear(std::uint32_t place) const {
        uint4* const eight = eight_of(place);
        eight[0] = eight[1] = uint4{};
    }
    __device__ __forceinline__ void store(std::uint32_t place, float4 edges) const {
        __syncwarp();
        Run& run = runs[place / kRun];
        const Scale x = scale_of(edges.x, edges.z);
        const Scale y = scale_of(edges.y, edges.w);
        run.x = x;
        run.y = y;
        const Slots slots(run, x, y, edges);
        const std::uint32_t bit = there(edges) ? 1U << place % kRun : 0;
        atomicOr(&slots.left(), bit);
        atomicOr(&slots.top(), bit);
        atomicOr(&slots.right(), bit);
        atomicOr(&slots.bottom(), bit);
        __syncwarp();
        // From who is in a bin to who is in one up to it: eight lanes for a table.
        uint4* const eight = eight_of(place);
        uint4 a = eight[0];
        uint4 b = eight[1];
        std::uint32_t up_to = a.x | a.y | a.z | a.w | b.x | b.y | b.z | b.w;
#pragma unroll
        for (std::uint32_t step = 1; step < 8; step *= 2) up_to |= __shfl_up_sync(kWholeWarp, up_to, step, 8);
        const std::uint32_t before = __shfl_up_sync(kWholeWarp, up_to, 1, 8);
        if (place % 8 != 0) a.x |= before;
        a.y |= a.x;
        a.z |= a.y;
        a.w |= a.z;
        b.x |= a.w;
        b.y |= b.x;
        b.z |= b.y;
        b.w |= b.z;
        eight[0] = a;
        eight[1] = b;
    }

    // What a lane looks for. With the edges of no_entry(), nothing.
    struct Reach {
        float4 edges;
        std::uint32_t all;
        __device__ __forceinline__ explicit Reach(float4 its_edges)
            : edges(its_edges), all(there(its_edges) ? kWholeWarp : 0) {
            compute_now(all);
        }
    };
    // A bit for each of the run at `first` that may meet the edges looked for.
    [[nodiscard]] __device__ __forceinline__ std::uint32_t near(std::uint32_t first, const Reach& reach) const {
        const Run& run = runs[first / kRun];
        // Who starts before these end, and ends after they start.
        const float4 e = reach.edges;
        const Slots slots(run, run.x, run.y, make_float4(e.z, e.w, e.x, e.y));
        return slots.left() & slots.top() & slots.right() & slots.bottom() & reach.all;
    }

private:
    // The four tables as one, of which each lane has eight.
    [[nodiscard]] __device__ __forceinline__ uint4* eight_of(std::uint32_t place) const {
        return reinterpret_cast<uint4*>(&runs[place / kRun]) + 2 * (place % kRun);
    }
    __device__ __forceinline__ static bool there(float4 edges) {
        return edges.x < INFINITY;
    }

    // Of edges that are all the same the gain is infinite, of those too far apart it is 0. Both keep the order.
    __device__ __forceinline__ static Scale scale_of(float start, float end) {
        const float low = __int_as_float(in_order(warp_min(in_order(__float_as_int(start)))));
        const float high = __int_as_float(in_order(warp_max(in_order(__float_as_int(end)))));
        float gain;
        asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(gain) : "f"(high - low));
        return {gain, low * gain};
    }
    // The bits of a float as an integer of the same order, and back.
    __device__ __forceinline__ static std::int32_t in_order(std::int32_t bits) {
        return bits ^ (bits >> 31 & INT_MAX);
    }

    // A slot in each table, by four edges. As addresses, so that a slot takes three instructions.
    struct Slots {
        std::uint32_t to_left, to_top, to_right, to_bottom;

        __device__ __forceinline__ Slots(const Run& run, Scale x, Scale y, float4 edges) {
            const std::uint32_t tables = shared_address(&run);
            to_left = tables + from_first(x, edges.x);
            to_top = tables + from_first(y, edges.y);
            to_right = tables + from_last(x, edges.z);
            to_bottom = tables + from_last(y, edges.w);
        }
        __device__ __forceinline__ std::uint32_t& left() const { return at(to_left + offsetof(Run, left)); }
        __device__ __forceinline__ std::uint32_t& top() const { return at(to_top + offsetof(Run, top)); }
        __device__ __forceinline__ std::uint32_t& right() const { return at(to_right + offsetof(Run, right)); }
        __device__ __forceinline__ std::uint32_t& bottom() const { return at(to_bottom + offsetof(Run, bottom)); }

    private:
        // In bytes: the last bits of a float from 2 on are the bin, and the others are shifted out.
        static constexpr float kLast = static_cast<float>(kBins - 1) / (1U << 22);
        __device__ __forceinline__ static std::uint32_t from_first(Scale scale, float edge) {
            return __float_as_uint(__fmaf_rn(part(scale, edge), kLast, 2.0F)) << 2;
        }
        __device__ __forceinline__ static std::uint32_t from_last(Scale scale, float edge) {
            return __float_as_uint(__fmaf_rn(part(scale, edge), -kLast, 2.0F + kLast)) << 2;
        }
        // NaN becomes 0.
        __device__ __forceinline__ static float part(Scale scale, float edge) {
            return __saturatef(__fmaf_rn(edge, scale.gain, -scale.start));
        }
        __device__ __forceinline__ static std::uint32_t& at(std::uint32_t address) {
            return *static_cast<std::uint32_t*>(__cvta_shared_to_generic(address));
        }
    };
};

}  // namespace throng::gpu
