// Finding the few rows that a column may overlap without testing each of them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/nms/pair_margin.h"
#include "gpu/nms/pair_test.cuh"

namespace throng::gpu {

// Finds the rows of a block that a column may intersect, from four tables. Edges fall into bins, whose numbers do not
// descend as coordinates ascend: the column may intersect rows that begin in the bin of its end or before, and end in
// the bin of its beginning or after.
template <unsigned kThreads>
class RowBins {
public:
    // By all threads, before a barrier.
    __device__ __forceinline__ void clear() { rows_[threadIdx.x / kBins][threadIdx.x % kBins] = 0; }

    // By the first warp, of which each lane has a row; then a barrier.
    template <typename Real>
    __device__ __forceinline__ void add(const BasicPairBox<Real>& row) {
        const bool overlaps = is_present(row);
        const PairBox box = in_float(row);
        const auto least = [&](float v) {
            return fold_lanes(overlaps ? v : INFINITY, [](float a, float b) { return fminf(a, b); });
        };
        const Axis x(least(box.left), -least(-box.right));
        const Axis y(least(box.top), -least(-box.bottom));
        if (overlaps) {
            const std::uint32_t bit = 1U << threadIdx.x;
            atomicOr(&rows_[0][x.bin(box.left)], bit);
            atomicOr(&rows_[1][y.bin(box.top)], bit);
            atomicOr(&rows_[2][kBins - 1 - x.bin(box.right)], bit);
            atomicOr(&rows_[3][kBins - 1 - y.bin(box.bottom)], bit);
        }
        if (threadIdx.x == 0) {
            x_ = x;
            y_ = y;
        }
    }

    // By all threads, between barriers: each entry gets the rows of those before it. A warp has a table, a lane 8 entries.
    __device__ __forceinline__ void accumulate() {
        if (threadIdx.x >= 4 * kLanes) return;
        const std::uint32_t lane = threadIdx.x % kLanes;
        auto* const own = reinterpret_cast<uint4*>(&rows_[threadIdx.x / kLanes][lane * 8]);
        uint4 a = own[0];
        uint4 b = own[1];
        a.y |= a.x, a.z |= a.y, a.w |= a.z;
        b.x |= a.w, b.y |= b.x, b.z |= b.y, b.w |= b.z;
        std::uint32_t before = __shfl_up_sync(0xFFFFFFFFU, b.w, 1);
        if (lane == 0) before = 0;
#pragma unroll
        for (unsigned step = 1; step < kLanes; step *= 2) {
            const std::uint32_t other = __shfl_up_sync(0xFFFFFFFFU, before, step);
            if (lane >= step) before |= other;
        }
        own[0] = {a.x | before, a.y | before, a.z | before, a.w | before};
        own[1] = {b.x | before, b.y | before, b.z | before, b.w | before};
    }

    // Returns a bit per row.
    template <typename Real>
    __device__ __forceinline__ std::uint32_t near(const BasicPairBox<Real>& column) const {
        if (!is_present(column)) return 0;
        const PairBox box = in_float(column);
        return rows_[0][x_.bin(box.right)] & rows_[1][y_.bin(box.bottom)] & rows_[2][kBins - 1 - x_.bin(box.left)] &
               rows_[3][kBins - 1 - y_.bin(box.top)];
    }

private:
    static constexpr std::uint32_t kLanes = 32;
    static constexpr std::uint32_t kBins = 256;  // of each table
    static_assert(kThreads == 4 * kBins && kBins == 8 * kLanes);

    struct Axis {
        float low, high, scale;

        Axis() = default;
        __device__ __forceinline__ Axis(float least, float most)
            : low(least), high(most), scale(static_cast<float>(kBins) / (most - least)) {}
        // 0 if the product is not a number: for one coordinate, for all of an axis, or where none is limited.
        __device__ __forceinline__ std::uint32_t bin(float v) const {
            return min(__float2uint_rd((fminf(fmaxf(v, low), high) - low) * scale), kBins - 1);
        }
    };

    // Rounding keeps the order of coordinates.
    template <typename Real>
    __device__ __forceinline__ static PairBox in_float(const BasicPairBox<Real>& box) {
        return {static_cast<float>(box.left), static_cast<float>(box.top), static_cast<float>(box.right),
                static_cast<float>(box.bottom), static_cast<float>(box.share)};
    }
    // Holds the tables of x1, y1, x2 and y2; the last two begin with the highest bin.
    __align__(16) std::uint32_t rows_[4][kBins];
    Axis x_, y_;
};

}  // namespace throng::gpu
