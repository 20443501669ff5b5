// Reading a caller's arrays and writing its results.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "gpu/caller_nms/caller_nms.h"
#include "gpu/nms/pair_test.cuh"

namespace throng::gpu {

// Calls visit(Element{}) for the caller's type.
template <class Visit>
auto with_element(CallerType type, const Visit& visit) {
    switch (type) {
        case CallerType::float16: return visit(__half{});
        case CallerType::float64: return visit(double{});
        case CallerType::float32: break;
    }
    return visit(float{});
}

__device__ __forceinline__ float load_real(const float* d_values, std::size_t i) {
    return d_values[i];
}
__device__ __forceinline__ float load_real(const __half* d_values, std::size_t i) {
    return __half2float(d_values[i]);
}
__device__ __forceinline__ double load_real(const double* d_values, std::size_t i) {
    return d_values[i];
}

// The type in which torchvision computes with elements of a type.
template <typename Element>
using RealOf = decltype(load_real(static_cast<const Element*>(nullptr), 0));

// Keys ascend as scores descend; -0 equals +0, NaN comes first.
__device__ __forceinline__ std::uint32_t descending_key(float score) {
    return isnan(score) ? 0 : ~score_key(score);
}
__device__ __forceinline__ std::uint64_t descending_key(double score) {
    if (isnan(score)) return 0;
    const auto bits = static_cast<std::uint64_t>(__double_as_longlong(score + 0.0));
    return ~((bits >> 63) != 0 ? ~bits : bits | 0x8000000000000000ULL);
}

template <typename Element>
__device__ __forceinline__ Corners<RealOf<Element>> load_caller_corners(const CallerNmsTask& task, std::size_t i) {
    const auto* d_elements = static_cast<const Element*>(task.boxes);
    Corners<RealOf<Element>> box{load_real(d_elements, 4 * i), load_real(d_elements, 4 * i + 1),
                                 load_real(d_elements, 4 * i + 2), load_real(d_elements, 4 * i + 3)};
    if (task.xywh) {
        box.right += box.left;
        box.bottom += box.top;
    }
    return box;
}

// False for a box whose IoU with every box is 0 or NaN: without extent, or with a value that is not finite.
template <typename Real>
__device__ __forceinline__ bool may_overlap(const Corners<Real>& box) {
    constexpr Real kMax = sizeof(Real) == 4 ? Real(3.402823466e+38) : Real(1.7976931348623157e+308);
    const Real area = area_of(box);
    return box.right > box.left && box.bottom > box.top && area > 0 && area <= kMax;
}

__device__ __forceinline__ bool same_class(const CallerNmsTask& task, std::uint32_t i, std::uint32_t j) {
    return load_id(task.class_ids, task.ids_are_int64, i) == load_id(task.class_ids, task.ids_are_int64, j);
}

__device__ __forceinline__ void store_number(void* d_to, bool is_int64, std::int64_t at, std::int64_t value) {
    if (is_int64) {
        static_cast<std::int64_t*>(d_to)[at] = value;
    } else {
        static_cast<std::int32_t*>(d_to)[at] = static_cast<std::int32_t>(value);
    }
}

// Writes a kept box to its position in the results.
template <typename Element>
__device__ __forceinline__ void store_kept(const CallerNmsTask& task, std::uint32_t position, std::uint32_t index) {
    if (position >= task.capacity) return;
    if (task.indices != nullptr) store_number(task.indices, task.results_are_int64, position, index);
    if (task.kept_scores != nullptr) {
        task.kept_scores[position] =
            static_cast<float>(load_real(static_cast<const Element*>(task.scores), std::size_t{index}));
    }
}
__device__ __forceinline__ void store_counts(const CallerNmsTask& task, std::uint32_t kept, std::uint32_t invalid) {
    if (task.invalid != nullptr) store_number(task.invalid, task.results_are_int64, 0, invalid);
    if (task.count != nullptr) store_number(task.count, task.results_are_int64, 0, kept);
}

}  // namespace throng::gpu
