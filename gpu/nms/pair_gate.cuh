// The device side of PairGate.
#pragma once

#include <cuda_runtime.h>

#include "gpu/nms/pair_gate.h"

namespace throng::gpu {

// 0 without ids.
__device__ __forceinline__ std::int64_t load_id(const void* d_ids, bool are_int64, std::size_t i) {
    if (d_ids == nullptr) return 0;
    return are_int64 ? static_cast<const std::int64_t*>(d_ids)[i] : static_cast<const std::int32_t*>(d_ids)[i];
}
__device__ __forceinline__ bool same_group(const PairGate& gate, std::uint32_t i, std::uint32_t j) {
    const auto same = [&](const void* d_ids) {
        return d_ids == nullptr || load_id(d_ids, gate.ids_are_int64, i) == load_id(d_ids, gate.ids_are_int64, j);
    };
    return same(gate.class_ids) && same(gate.image_ids);
}

// Equal within a group; others mostly differ.
__device__ __forceinline__ std::uint32_t group_hash(const PairGate& gate, std::uint32_t i) {
    const auto of_class = static_cast<std::uint64_t>(load_id(gate.class_ids, gate.ids_are_int64, i));
    const auto of_image = static_cast<std::uint64_t>(load_id(gate.image_ids, gate.ids_are_int64, i));
    const std::uint64_t hash = (of_class * 0x9E3779B97F4A7C15ULL ^ of_image) * 0xC2B2AE3D27D4EB4FULL;
    return static_cast<std::uint32_t>(hash >> 32);
}

// A box by its corners.
template <typename Real>
struct alignas(16) Corners {
    Real left, top, right, bottom;
};

template <class Edges>
__device__ __forceinline__ auto area_of(const Edges& box) {
    return (box.right - box.left) * (box.bottom - box.top);
}

// IoU >= least, in torchvision's order of operations: i is the suppressor. std::max and std::min return their first
// argument if one is NaN; the areas are NaN then, so that the result is false either way.
template <class Edges, typename Real>
__device__ __forceinline__ bool corners_suppress(const Edges& i, const Edges& j, Real least) {
    const Real left = i.left < j.left ? j.left : i.left;
    const Real top = i.top < j.top ? j.top : i.top;
    const Real right = j.right < i.right ? j.right : i.right;
    const Real bottom = j.bottom < i.bottom ? j.bottom : i.bottom;
    const Real width = right - left > 0 ? right - left : Real{0};
    const Real height = bottom - top > 0 ? bottom - top : Real{0};
    const Real common = width * height;
    return common / ((area_of(i) + area_of(j)) - common) >= least;
}

// By raw index: i is the suppressor. Out of line: few callers need it, and registers are short where it is inlined.
[[maybe_unused]] static __device__ __noinline__ bool gate_admits(const PairGate& gate, std::uint32_t i,
                                                                 std::uint32_t j) {
    if (!same_group(gate, i, j)) return false;
    const auto* d_corners = reinterpret_cast<const Corners<double>*>(gate.corners);
    return d_corners == nullptr || corners_suppress(d_corners[i], d_corners[j], gate.least);
}

}  // namespace throng::gpu
