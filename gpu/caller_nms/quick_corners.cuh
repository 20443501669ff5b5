// Ruling out nearly all pairs of corners by a product, without a division. Used by the single launches.
#pragma once

#include <type_traits>

#include "gpu/caller_nms/caller_values.cuh"
#include "gpu/caller_nms/convert.h"

namespace throng::gpu {

template <typename Element>
using KeyOf = std::conditional_t<sizeof(typename RealOf<Element>::type) == 8, std::uint64_t, std::uint32_t>;

template <typename Real>
struct CornerRule {
    Real least;   // IoU that suppresses
    Real factor;  // an intersection below factor * (sum of the areas) - tiny cannot reach it
    Real tiny;
};

template <typename Real>
CornerRule<Real> make_corner_rule(double theta) {
    // Rounding is far below the part by which the factor is lower.
    return {least_above<Real>(theta), static_cast<Real>(theta / (1 + theta) * (1 - 3e-5)),
            sizeof(Real) == 8 ? Real(1e-300) : Real(1e-37)};
}

// A box as the test reads it.
template <typename Real>
struct QuickBox {
    Corners<Real> box;
    Real share;  // factor * area - tiny; infinite for a box that overlaps no other
};

template <typename Real>
__device__ __forceinline__ QuickBox<Real> no_quick_box() {
    return {{}, static_cast<Real>(INFINITY)};
}
template <typename Real>
__device__ __forceinline__ QuickBox<Real> make_quick_box(const Corners<Real>& box, const CornerRule<Real>& rule) {
    if (!may_overlap(box)) return no_quick_box<Real>();
    return {box, rule.factor * area_of(box) - rule.tiny};
}

__device__ __forceinline__ float smaller(float a, float b) {
    return fminf(a, b);
}
__device__ __forceinline__ double smaller(double a, double b) {
    return fmin(a, b);
}
__device__ __forceinline__ float larger(float a, float b) {
    return fmaxf(a, b);
}
__device__ __forceinline__ double larger(double a, double b) {
    return fmax(a, b);
}

// Decides nearly all pairs by a product.
template <typename Real>
struct QuickPair {
    Real common;  // the intersection; negative or 0 if there is none
    Real shares;

    __device__ __forceinline__ QuickPair(const QuickBox<Real>& a, const QuickBox<Real>& b) : shares(a.share + b.share) {
        // If only one of the two sides is negative, so is the product.
        const Real width = larger(smaller(a.box.x2, b.box.x2) - larger(a.box.x1, b.box.x1), Real{0});
        common = width * (smaller(a.box.y2, b.box.y2) - larger(a.box.y1, b.box.y1));
    }
    [[nodiscard]] __device__ __forceinline__ bool may_suppress() const { return common >= shares; }
    // By more than the factor was lowered; not where products are so small or large that they are inexact.
    [[nodiscard]] __device__ __forceinline__ bool surely_suppresses() const {
        return common > shares * Real(1.0001) && shares > Real(1e-25) && shares < Real(1e30);
    }
};

__device__ __forceinline__ bool same_class(const CallerNmsTask& task, std::uint32_t i, std::uint32_t j) {
    return task.class_ids == nullptr || load_id(task, task.class_ids, i) == load_id(task, task.class_ids, j);
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
__device__ __forceinline__ void store_counts(const CallerNmsTask& task, std::uint32_t kept) {
    if (task.invalid != nullptr) store_number(task.invalid, task.results_are_int64, 0, 0);
    if (task.count != nullptr) store_number(task.count, task.results_are_int64, 0, kept);
}

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

}  // namespace throng::gpu
