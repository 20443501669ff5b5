#include "core/cpu/nms_kernels.h"

#include "core/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/nms_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace throng::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::CappedTag<float, kPairPadding>;
using DI = hn::RebindToSigned<DF>;
using DU = hn::RebindToUnsigned<DF>;
using Floats = hn::Vec<DF>;

// Returns true if low < value < high for all values; low and high repeat every four values. False for NaN.
HWY_INLINE bool all_between(const float* values, std::size_t count, const float* low, const float* high) {
    const DF d;
    const std::size_t lanes = hn::Lanes(d);
    const Floats lows = hn::LoadDup128(d, low);
    const Floats highs = hn::LoadDup128(d, high);
    auto between = hn::Eq(lows, lows);
    std::size_t at = 0;
    for (; at + lanes <= count; at += lanes) {
        const Floats v = hn::LoadU(d, values + at);
        between = hn::And(between, hn::And(hn::Lt(lows, v), hn::Lt(v, highs)));
    }
    bool all = hn::AllTrue(d, between);
    for (; at < count; ++at) all = all && low[at % 4] < values[at] && values[at] < high[at % 4];
    return all;
}

bool certainly_valid(const Box* boxes, const float* scores, std::uint32_t count) {
    constexpr float kMost = 1e15F;
    alignas(16) constexpr float kLow[4] = {-kMost, -kMost, 1e-15F, 1e-15F};
    alignas(16) constexpr float kHigh[4] = {kMost, kMost, kMost, kMost};
    alignas(16) constexpr float kLowScore[4] = {-kMost, -kMost, -kMost, -kMost};
    if (count == 0) return true;
    return all_between(&boxes->x, std::size_t{4} * count, kLow, kHigh) && all_between(scores, count, kLowScore, kHigh);
}

enum class Divisor { sum, query, candidate, smaller };

template <Divisor kDivisor>
HWY_INLINE Floats divisor_of(Floats intersection, Floats query, Floats candidate) {
    if constexpr (kDivisor == Divisor::sum) return hn::Sub(hn::Add(query, candidate), intersection);
    if constexpr (kDivisor == Divisor::query) return query;
    if constexpr (kDivisor == Divisor::candidate) return candidate;
    return hn::Min(query, candidate);
}

template <Divisor kDivisor>
std::uint32_t find_pairs_with(const BoxColumns& boxes, const std::int32_t* order, std::uint32_t begin,
                              std::uint32_t end, const PairQuery& query, std::uint32_t* found) {
    const DF d;
    const DI di;
    const DU du;
    const auto lanes = static_cast<std::uint32_t>(hn::Lanes(d));
    const float right_edge = query.box.x + query.box.w;
    const float bottom_edge = query.box.y + query.box.h;
    const Floats left = hn::Set(d, query.box.x);
    const Floats top = hn::Set(d, query.box.y);
    const Floats right = hn::Set(d, right_edge);
    const Floats bottom = hn::Set(d, bottom_edge);
    const Floats area = hn::Set(d, throng::box_area(query.box, query.extent));
    const Floats extent = hn::Set(d, query.extent);
    const Floats threshold = hn::Set(d, query.threshold);
    const Floats zero = hn::Zero(d);
    // A box beyond these bounds is disjoint, whatever the rounding of its edges.
    const Floats left_bound = hn::Set(d, query.box.x - 2 * query.extent);
    const Floats top_bound = hn::Set(d, query.box.y - 2 * query.extent);
    const Floats right_bound = hn::Set(d, right_edge + 2 * query.extent);
    const Floats bottom_bound = hn::Set(d, bottom_edge + 2 * query.extent);
    // A product rejects most of the other candidates, and the quotient decides. The product is a thousandth too small,
    // which is far more than all rounding. Denormal thresholds have no such margin.
    const Floats factor = hn::Set(d, query.threshold > 1e-30F ? query.threshold * 0.999F : 0.0F);
    std::uint32_t count = 0;
    for (std::uint32_t at = begin; at < end; at += lanes) {
        const Floats box_left = hn::LoadU(d, boxes.left + at);
        const Floats box_top = hn::LoadU(d, boxes.top + at);
        const Floats box_width = hn::LoadU(d, boxes.width + at);
        const Floats box_height = hn::LoadU(d, boxes.height + at);
        const Floats box_right = hn::Add(box_left, box_width);
        const Floats box_bottom = hn::Add(box_top, box_height);
        const auto near = hn::And(hn::And(hn::Le(box_left, right_bound), hn::Le(left_bound, box_right)),
                                  hn::And(hn::Le(box_top, bottom_bound), hn::Le(top_bound, box_bottom)));
        if (HWY_LIKELY(hn::AllFalse(d, near))) continue;

        const Floats width = hn::Add(hn::Sub(hn::Min(right, box_right), hn::Max(left, box_left)), extent);
        const Floats height = hn::Add(hn::Sub(hn::Min(bottom, box_bottom), hn::Max(top, box_top)), extent);
        const Floats intersection = hn::Mul(hn::Max(width, zero), hn::Max(height, zero));
        const Floats box_area = hn::Mul(hn::Add(box_width, extent), hn::Add(box_height, extent));
        const Floats divisor = divisor_of<kDivisor>(intersection, area, box_area);
        if (hn::AllFalse(d, hn::Ge(intersection, hn::Mul(factor, divisor)))) continue;

        const auto orders = hn::LoadU(di, order + at);
        const auto in_range =
            hn::And(hn::Gt(orders, hn::Set(di, query.first - 1)), hn::Lt(orders, hn::Set(di, query.last)));
        const auto reaches =
            hn::And(hn::And(hn::Ge(hn::Div(intersection, divisor), threshold), hn::RebindMask(d, in_range)),
                    hn::FirstN(d, end - at));
        // Not CompressStore: it is slow on processors that compress to memory in microcode.
        const auto mask = hn::RebindMask(du, reaches);
        hn::StoreU(hn::Compress(hn::Iota(du, at), mask), du, found + count);
        count += static_cast<std::uint32_t>(hn::CountTrue(du, mask));
    }
    return count;
}

std::uint32_t find_pairs(const BoxColumns& boxes, const std::int32_t* order, std::uint32_t begin, std::uint32_t end,
                         const PairQuery& query, std::uint32_t* found) {
    switch (query.overlap) {
        case Overlap::iou: return find_pairs_with<Divisor::sum>(boxes, order, begin, end, query, found);
        case Overlap::min: return find_pairs_with<Divisor::smaller>(boxes, order, begin, end, query, found);
        case Overlap::suppressor: break;
    }
    return query.is_suppressor ? find_pairs_with<Divisor::query>(boxes, order, begin, end, query, found)
                               : find_pairs_with<Divisor::candidate>(boxes, order, begin, end, query, found);
}

}  // namespace throng::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace throng {

HWY_EXPORT(certainly_valid);
HWY_EXPORT(find_pairs);

bool certainly_valid(const Box* boxes, const float* scores, std::uint32_t count) {
    return HWY_DYNAMIC_DISPATCH(certainly_valid)(boxes, scores, count);
}

std::uint32_t find_pairs(const BoxColumns& boxes, const std::int32_t* order, std::uint32_t begin, std::uint32_t end,
                         const PairQuery& query, std::uint32_t* found) {
    return HWY_DYNAMIC_DISPATCH(find_pairs)(boxes, order, begin, end, query, found);
}

}  // namespace throng
#endif
