// Detections as halves, in shared memory: which of 32 others one may reach, told for two of them at once by the signs
// of differences.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

namespace throng::gpu {

struct PairHalves {
    static constexpr std::uint32_t kRun = 32;  // others that are told at once; they begin at a multiple of it

    uint4* edges;          // left, top, right, bottom of two each: those of a run that are half a run apart
    std::uint32_t* score;  // of two each; or null

    // Edges rounded outwards, so that boxes that meet have halves that do. Those that are valid are finite.
    struct Edges {
        __half left, top, right, bottom;
        __device__ __forceinline__ explicit Edges(float4 e)
            : left(__float2half_rd(fmaxf(e.x, -kMost))),
              top(__float2half_rd(fmaxf(e.y, -kMost))),
              right(__float2half_ru(fminf(e.z, kMost))),
              bottom(__float2half_ru(fminf(e.w, kMost))) {}
    };

    __device__ __forceinline__ void store(std::uint32_t place, float4 edges_of_it) const {
        auto* to = reinterpret_cast<__half*>(edges + pair_of(place)) + second(place);
        const Edges halves(edges_of_it);
        to[0] = halves.left;
        to[2] = halves.top;
        to[4] = halves.right;
        to[6] = halves.bottom;
    }
    __device__ __forceinline__ void store_score(std::uint32_t place, float value) const {
        reinterpret_cast<__half*>(score + pair_of(place))[second(place)] = __float2half_ru(between(value));
    }

    // A bit for each of the run at `first` that may meet the edges given.
    [[nodiscard]] __device__ __forceinline__ std::uint32_t meeting(std::uint32_t first, float4 its) const {
        return near<false>(first, its, 0.0F);
    }
    // The same, and whose score may not be lower.
    [[nodiscard]] __device__ __forceinline__ std::uint32_t meeting_above(std::uint32_t first, float4 its,
                                                                         float its_score) const {
        return near<true>(first, its, its_score);
    }

private:
    static constexpr float kMost = 65504.0F;

    __device__ __forceinline__ static float between(float value) { return fminf(fmaxf(value, -kMost), kMost); }
    // So that the bits of a run come out in order.
    __device__ __forceinline__ static std::uint32_t pair_of(std::uint32_t place) {
        return place / kRun * (kRun / 2) + place % (kRun / 2);
    }
    __device__ __forceinline__ static std::uint32_t second(std::uint32_t place) { return place % kRun / (kRun / 2); }

    template <bool scored>
    [[nodiscard]] __device__ __forceinline__ std::uint32_t near(std::uint32_t first, float4 its,
                                                                float its_score) const {
        const Edges mine(its);
        const __half2 left = __half2half2(mine.left);
        const __half2 top = __half2half2(mine.top);
        const __half2 right = __half2half2(mine.right);
        const __half2 bottom = __half2half2(mine.bottom);
        const __half2 least = __half2half2(__float2half_rd(between(its_score)));
        const auto bits = [](__half2 v) { return *reinterpret_cast<const std::uint32_t*>(&v); };
        const auto two = [](std::uint32_t v) { return *reinterpret_cast<const __half2*>(&v); };
        std::uint32_t apart = 0;
#pragma unroll
        for (std::uint32_t k = 0; k < kRun / 2; ++k) {
            const uint4 v = edges[first / 2 + k];
            std::uint32_t signs = bits(__hsub2(right, two(v.x))) | bits(__hsub2(bottom, two(v.y))) |
                                  bits(__hsub2(two(v.z), left)) | bits(__hsub2(two(v.w), top));
            if constexpr (scored) signs |= bits(__hsub2(two(score[first / 2 + k]), least));
            apart = apart >> 1 | (signs & 0x80008000U);
        }
        return ~apart;
    }
};

}  // namespace throng::gpu
