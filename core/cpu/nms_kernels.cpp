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

ScoreRange range_of_scores(const float* scores, std::uint32_t count) {
    const DF d;
    const auto lanes = static_cast<std::uint32_t>(hn::Lanes(d));
    float highest = scores[0];
    float lowest = scores[0];
    std::uint32_t at = 0;
    if (count >= lanes) {
        Floats high = hn::LoadU(d, scores);
        Floats low = high;
        for (; at + lanes <= count; at += lanes) {
            const Floats v = hn::LoadU(d, scores + at);
            high = hn::Max(high, v);
            low = hn::Min(low, v);
        }
        highest = hn::GetLane(hn::MaxOfLanes(d, high));
        lowest = hn::GetLane(hn::MinOfLanes(d, low));
    }
    for (; at < count; ++at) {
        highest = highest < scores[at] ? scores[at] : highest;
        lowest = scores[at] < lowest ? scores[at] : lowest;
    }
    return {highest, lowest};
}

// Calls work(first, left, top, width, height) for vectors of boxes; the last one may overlap the one before.
template <class Work>
HWY_INLINE void for_box_vectors(const Box* boxes, std::uint32_t count, Work&& work) {
    const DF d;
    const auto lanes = static_cast<std::uint32_t>(hn::Lanes(d));
    for (std::uint32_t at = 0; at < count; at += lanes) {
        const std::uint32_t first = HWY_MIN(at, count - lanes);
        Floats left;
        Floats top;
        Floats width;
        Floats height;
        hn::LoadInterleaved4(d, &boxes[first].x, left, top, width, height);
        work(first, left, top, width, height);
    }
}

BoxExtremes find_levels(const Box* boxes, std::uint32_t count, float extent, std::uint32_t* levels) {
    const DF d;
    const DU du;
    const Floats extents = hn::Set(d, extent);
    // Sides are rounded up, far more than their own rounding.
    const Floats up = hn::Set(d, 1 + 0x1p-20F);
    Floats least = hn::Set(d, boxes[0].w);
    Floats most = hn::Zero(d);
    for_box_vectors(boxes, count, [&](std::uint32_t first, Floats left, Floats top, Floats w, Floats h) HWY_ATTR {
        const Floats across = hn::Sub(hn::Add(left, w), left);
        const Floats down = hn::Sub(hn::Add(top, h), top);
        const Floats side = hn::Mul(hn::Add(hn::Max(across, down), extents), up);
        const auto exponent = hn::ShiftRight<23>(hn::BitCast(du, side));  // a side below 2^(exponent - 126)
        hn::StoreU(hn::ShiftRight<1>(hn::Add(exponent, hn::Set(du, 1))), du, levels + first);
        least = hn::Min(least, hn::Min(w, h));
        most = hn::Max(most, hn::Max(hn::Max(hn::Abs(left), hn::Abs(top)), hn::Max(w, h)));
    });
    return {hn::GetLane(hn::MinOfLanes(d, least)), hn::GetLane(hn::MaxOfLanes(d, most))};
}

void find_cells(const Box* boxes, const std::uint32_t* levels, std::uint32_t count, int column_bits, int row_bits,
                std::uint32_t* cells) {
    const DF d;
    const DI di;
    const DU du;
    const auto column_mask = hn::Set(du, (1U << column_bits) - 1);
    const auto row_mask = hn::Set(du, (1U << row_bits) - 1);
    const Floats most = hn::Set(d, kMaxCell);
    for_box_vectors(boxes, count, [&](std::uint32_t first, Floats left, Floats top, Floats, Floats) HWY_ATTR {
        const auto level = hn::LoadU(du, levels + first);
        // 2^(126 - 2 level): the exponent of a float is stored plus 127.
        const Floats inverse = hn::BitCast(d, hn::ShiftLeft<23>(hn::Sub(hn::Set(du, 253), hn::ShiftLeft<1>(level))));
        const auto cell_of = [&](Floats position) HWY_ATTR {
            const Floats cell = hn::Max(hn::Min(hn::Mul(position, inverse), most), hn::Neg(most));
            const auto negative = hn::VecFromMask(di, hn::RebindMask(di, hn::Lt(position, hn::Zero(d))));
            return hn::BitCast(du, hn::Add(hn::ConvertTo(di, cell), negative));
        };
        const auto column = hn::And(cell_of(left), column_mask);
        const auto row = hn::And(cell_of(top), row_mask);
        hn::StoreU(hn::Or(hn::ShiftLeftSame(row, column_bits), column), du, cells + first);
    });
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
HWY_EXPORT(range_of_scores);
HWY_EXPORT(find_levels);
HWY_EXPORT(find_cells);
HWY_EXPORT(find_pairs);

bool certainly_valid(const Box* boxes, const float* scores, std::uint32_t count) {
    return HWY_DYNAMIC_DISPATCH(certainly_valid)(boxes, scores, count);
}

ScoreRange range_of_scores(const float* scores, std::uint32_t count) {
    return HWY_DYNAMIC_DISPATCH(range_of_scores)(scores, count);
}

BoxExtremes find_levels(const Box* boxes, std::uint32_t count, float extent, std::uint32_t* levels) {
    return HWY_DYNAMIC_DISPATCH(find_levels)(boxes, count, extent, levels);
}

void find_cells(const Box* boxes, const std::uint32_t* levels, std::uint32_t count, int column_bits, int row_bits,
                std::uint32_t* cells) {
    HWY_DYNAMIC_DISPATCH(find_cells)(boxes, levels, count, column_bits, row_bits, cells);
}

std::uint32_t find_pairs(const BoxColumns& boxes, const std::int32_t* order, std::uint32_t begin, std::uint32_t end,
                         const PairQuery& query, std::uint32_t* found) {
    return HWY_DYNAMIC_DISPATCH(find_pairs)(boxes, order, begin, end, query, found);
}

}  // namespace throng
#endif
