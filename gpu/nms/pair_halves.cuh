// Detections as halves, in shared memory: which of 32 others one may reach, told for two of them at once by the signs
// of differences.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

namespace throng::gpu {

struct PairHalves {
    static constexpr std::uint32_t kRun = 32;  // others that are told at once; they begin at a multiple of it

    uint4* edges;                    // left, top, right, bottom of two each: those of a run that are half a run apart
    std::uint32_t* score = nullptr;  // of two each; or null

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
    // With one 0 only: differences are told by their signs.
    __device__ __forceinline__ void store_score(std::uint32_t place, float value) const {
        reinterpret_cast<__half*>(score + pair_of(place))[second(place)] = __float2half_ru(between(value + 0.0F));
    }

    // What a lane looks for.
    struct Reach {
        __half2 left, top, right, bottom, least;
        __device__ __forceinline__ explicit Reach(float4 its_edges, float its_score = 0.0F)
            : least(__half2half2(__float2half_rd(between(its_score)))) {
            const Edges halves(its_edges);
            left = __half2half2(halves.left);
            top = __half2half2(halves.top);
            right = __half2half2(halves.right);
            bottom = __half2half2(halves.bottom);
        }
    };
    // A bit for each of the run at `first` that may meet the edges looked for. scored: and whose score may not be
    // lower.
    template <bool scored = false>
    [[nodiscard]] __device__ __forceinline__ std::uint32_t near(std::uint32_t first, const Reach& reach) const {
        const auto bits = [](__half2 v) { return *reinterpret_cast<const std::uint32_t*>(&v); };
        const auto two = [](std::uint32_t v) { return *reinterpret_cast<const __half2*>(&v); };
        std::uint32_t apart = 0;
#pragma unroll
        for (std::uint32_t k = 0; k < kRun / 2; ++k) {
            const uint4 v = edges[first / 2 + k];
            std::uint32_t signs = bits(__hsub2(reach.right, two(v.x))) | bits(__hsub2(reach.bottom, two(v.y))) |
                                  bits(__hsub2(two(v.z), reach.left)) | bits(__hsub2(two(v.w), reach.top));
            if constexpr (scored) signs |= bits(__hsub2(two(score[first / 2 + k]), reach.least));
            apart = apart >> 1 | (signs & 0x80008000U);
        }
        return ~apart;
    }

private:
    static constexpr float kMost = 65504.0F;

    __device__ __forceinline__ static float between(float value) {
        return fminf(fmaxf(value, -kMost), kMost);
    }
    // So that the bits of a run come out in order.
    __device__ __forceinline__ static std::uint32_t pair_of(std::uint32_t place) {
        return place / kRun * (kRun / 2) + place % (kRun / 2);
    }
    __device__ __forceinline__ static std::uint32_t second(std::uint32_t place) {
        return place % kRun / (kRun / 2);
    }
};

}  // namespace throng::gpu
