// The device side of PairGate.
#pragma once

#include <cuda_runtime.h>

#include "gpu/nms/pair_gate.h"

namespace throng::gpu {

__device__ __forceinline__ bool same_group(const PairGate& gate, std::uint32_t i, std::uint32_t j) {
    return (gate.class_ids == nullptr || gate.class_ids[i] == gate.class_ids[j]) &&
           (gate.image_ids == nullptr || gate.image_ids[i] == gate.image_ids[j]);
}

// A box by its corners.
template <typename Real>
struct alignas(16) Corners {
    Real x1, y1, x2, y2;
};

template <typename Real>
__device__ __forceinline__ Corners<Real> load_corners(const void* d_corners, std::uint32_t i) {
    if constexpr (sizeof(Real) == 4) {
        const float4 v = static_cast<const float4*>(d_corners)[i];
        return {v.x, v.y, v.z, v.w};
    } else {
        const auto* d_pairs = static_cast<const double2*>(d_corners) + std::size_t{i} * 2;
        const double2 a = d_pairs[0];
        const double2 b = d_pairs[1];
        return {a.x, a.y, b.x, b.y};
    }
}

// IoU >= least, in torchvision's order of operations: i is the suppressor. std::max and std::min return their first
// argument if one is NaN; the areas are NaN then, so that the result is false either way.
template <typename Real>
__device__ __forceinline__ bool corners_suppress(const Corners<Real>& i, const Corners<Real>& j, Real least) {
    const Real left = i.x1 < j.x1 ? j.x1 : i.x1;
    const Real top = i.y1 < j.y1 ? j.y1 : i.y1;
    const Real right = j.x2 < i.x2 ? j.x2 : i.x2;
    const Real bottom = j.y2 < i.y2 ? j.y2 : i.y2;
    const Real width = right - left > 0 ? right - left : Real{0};
    const Real height = bottom - top > 0 ? bottom - top : Real{0};
    const Real common = width * height;
    const Real area_i = (i.x2 - i.x1) * (i.y2 - i.y1);
    const Real area_j = (j.x2 - j.x1) * (j.y2 - j.y1);
    return common / ((area_i + area_j) - common) >= least;
}

// By raw index: i is the suppressor. Out of line: few callers need it.
[[maybe_unused]] static __device__ __noinline__ bool gate_suppresses(const PairGate& gate, std::uint32_t i,
                                                                     std::uint32_t j) {
    if (gate.corners_are_double)
        return corners_suppress(load_corners<double>(gate.corners, i), load_corners<double>(gate.corners, j),
                                gate.least);
    return corners_suppress(load_corners<float>(gate.corners, i), load_corners<float>(gate.corners, j),
                            static_cast<float>(gate.least));
}

}  // namespace throng::gpu
