#include "core/cpu/image_kernels.h"

#include <cstddef>

#include "core/algo/gray.h"
#include "core/algo/resize_linear.h"

#include "core/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/image_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace throng::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DU32 = hn::CappedTag<std::uint32_t, 16>;
using DI32 = hn::Rebind<std::int32_t, DU32>;
using DU8 = hn::Rebind<std::uint8_t, DU32>;

void gray_row(const std::uint8_t* bgr, int width, std::uint8_t* gray) {
    std::ptrdiff_t x = 0;
// Highway before 0.17, as in Ubuntu 22.04, cannot deinterleave three colors. The scalar loop does all the work there.
#if HWY_MAJOR > 0 || HWY_MINOR >= 17
    const DI32 d;
    const DU8 d8;
    const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d));
    for (; x + lanes <= width; x += lanes) {
        hn::Vec<DU8> b, g, r;
        hn::LoadInterleaved3(d8, bgr + 3 * x, b, g, r);
        const auto sum =
            hn::Add(hn::Add(hn::Mul(hn::PromoteTo(d, b), hn::Set(d, kGrayBlue)),
                            hn::Mul(hn::PromoteTo(d, g), hn::Set(d, kGrayGreen))),
                    hn::Add(hn::Mul(hn::PromoteTo(d, r), hn::Set(d, kGrayRed)), hn::Set(d, 1 << (kGrayShift - 1))));
        hn::StoreU(hn::DemoteTo(d8, hn::ShiftRight<kGrayShift>(sum)), d8, gray + x);
    }
#endif
    for (; x < width; ++x) gray[x] = gray_of_bgr(bgr[3 * x], bgr[3 * x + 1], bgr[3 * x + 2]);
}

void blend_rows(const std::uint8_t* above, const std::uint8_t* below, int near, int far, int width,
                std::uint16_t* out) {
    const hn::ScalableTag<std::uint16_t> d;
    const hn::Rebind<std::uint8_t, decltype(d)> d8;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const auto n = hn::Set(d, static_cast<std::uint16_t>(near));
    const auto f = hn::Set(d, static_cast<std::uint16_t>(far));
    int x = 0;
    for (; x + lanes <= width; x += lanes) {
        const auto a = hn::PromoteTo(d, hn::LoadU(d8, above + x));
        const auto b = hn::PromoteTo(d, hn::LoadU(d8, below + x));
        hn::StoreU(hn::Add(hn::Mul(a, n), hn::Mul(b, f)), d, out + x);
    }
    for (; x < width; ++x) out[x] = static_cast<std::uint16_t>(above[x] * near + below[x] * far);
}

void resample_row(const std::uint16_t* row, const std::int32_t* offsets, const std::int32_t* weights, int width,
                  std::uint8_t* out) {
    const DI32 d;
    const DU8 d8;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const auto low = hn::Set(d, 0xFFFF);
    const auto half = hn::Set(d, 0x8000);
    for (int x = 0; x < width; x += lanes) {
        // Loads two neighboring entries into one lane.
        const auto bytes = hn::ShiftLeft<1>(hn::LoadU(d, offsets + x));
        const auto pair = hn::GatherOffset(d, reinterpret_cast<const std::int32_t*>(row), bytes);
        const auto pair_u = hn::BitCast(DU32(), pair);
        const auto weight = hn::LoadU(d, weights + x);
        const auto near = hn::Mul(hn::And(pair, low), hn::And(weight, low));
        const auto far = hn::Mul(hn::BitCast(d, hn::ShiftRight<16>(pair_u)), hn::ShiftRight<16>(weight));
        const auto sum = hn::Add(hn::Add(near, far), half);
        hn::StoreU(hn::DemoteTo(d8, hn::ShiftRight<16>(sum)), d8, out + x);
    }
}

// Returns inclusive prefix sums over the lanes.
HWY_INLINE hn::Vec<DU32> prefix_sums(hn::Vec<DU32> v) {
    const DU32 d;
    v = hn::Add(v, hn::ShiftLeftLanes<1>(d, v));
    v = hn::Add(v, hn::ShiftLeftLanes<2>(d, v));
    if constexpr (hn::MaxLanes(d) > 4) {
        // Add the totals of the preceding 128-bit blocks.
        alignas(64) static constexpr std::uint32_t kOneBefore[16] = {0, 0, 0, 0, 3,  3,  3,  3,
                                                                     7, 7, 7, 7, 11, 11, 11, 11};
        const auto first_block = hn::FirstN(d, 4);
        v = hn::Add(v, hn::IfThenZeroElse(first_block, hn::TableLookupLanes(v, hn::SetTableIndices(d, kOneBefore))));
        if constexpr (hn::MaxLanes(d) > 8) {
            // Each block now includes its predecessor. The third needs two more blocks, the fourth the second's.
            alignas(64) static constexpr std::uint32_t kTwoBefore[16] = {0, 0, 0, 0, 0, 0, 0, 0,
                                                                         3, 3, 3, 3, 7, 7, 7, 7};
            const auto first_two = hn::FirstN(d, 8);
            v = hn::Add(v, hn::IfThenZeroElse(first_two, hn::TableLookupLanes(v, hn::SetTableIndices(d, kTwoBefore))));
        }
    }
    return v;
}

HWY_INLINE hn::Vec<DU32> last_lane(hn::Vec<DU32> v) {
    const DU32 d;
    alignas(64) static constexpr std::uint32_t kLast[16] = {
        hn::MaxLanes(d) - 1, hn::MaxLanes(d) - 1, hn::MaxLanes(d) - 1, hn::MaxLanes(d) - 1,
        hn::MaxLanes(d) - 1, hn::MaxLanes(d) - 1, hn::MaxLanes(d) - 1, hn::MaxLanes(d) - 1,
        hn::MaxLanes(d) - 1, hn::MaxLanes(d) - 1, hn::MaxLanes(d) - 1, hn::MaxLanes(d) - 1,
        hn::MaxLanes(d) - 1, hn::MaxLanes(d) - 1, hn::MaxLanes(d) - 1, hn::MaxLanes(d) - 1};
    return hn::TableLookupLanes(v, hn::SetTableIndices(d, kLast));
}

template <bool kSquares>
void accumulate(const std::uint8_t* row, int width, std::uint32_t* sum, std::uint32_t* squares) {
    const DU32 d;
    const DU8 d8;
    const int lanes = static_cast<int>(hn::Lanes(d));
    auto sum_before = hn::Zero(d);
    auto squares_before = hn::Zero(d);
    int x = 0;
    for (; x + lanes <= width; x += lanes) {
        const auto pixel = hn::PromoteTo(d, hn::LoadU(d8, row + x));
        const auto s = hn::Add(prefix_sums(pixel), sum_before);
        hn::StoreU(hn::Add(hn::LoadU(d, sum + x + 1), s), d, sum + x + 1);
        sum_before = last_lane(s);
        if constexpr (kSquares) {
            const auto q = hn::Add(prefix_sums(hn::Mul(pixel, pixel)), squares_before);
            hn::StoreU(hn::Add(hn::LoadU(d, squares + x + 1), q), d, squares + x + 1);
            squares_before = last_lane(q);
        }
    }
    std::uint32_t s = hn::GetLane(sum_before);
    std::uint32_t q = hn::GetLane(squares_before);
    for (; x < width; ++x) {
        const std::uint32_t pixel = row[x];
        sum[x + 1] += s += pixel;
        if constexpr (kSquares) squares[x + 1] += q += pixel * pixel;
    }
}

void accumulate_row(const std::uint8_t* row, int width, std::uint32_t* sum, std::uint32_t* squares) {
    squares != nullptr ? accumulate<true>(row, width, sum, squares) : accumulate<false>(row, width, sum, squares);
}

void split_row(const std::uint32_t* row, int count, std::uint32_t* out, int half) {
    const DU32 d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    int x = 0;
    for (; x + 2 * lanes <= count; x += 2 * lanes) {
        const auto low = hn::LoadU(d, row + x);
        const auto high = hn::LoadU(d, row + x + lanes);
        hn::StoreU(hn::ConcatEven(d, high, low), d, out + x / 2);
        hn::StoreU(hn::ConcatOdd(d, high, low), d, out + half + x / 2);
    }
    for (; x < count; ++x) out[(x & 1) * half + (x >> 1)] = row[x];
}

}  // namespace throng::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace throng {

HWY_EXPORT(gray_row);
HWY_EXPORT(blend_rows);
HWY_EXPORT(resample_row);
HWY_EXPORT(accumulate_row);
HWY_EXPORT(split_row);

void gray_row(const std::uint8_t* bgr, int width, std::uint8_t* gray) {
    HWY_DYNAMIC_DISPATCH(gray_row)(bgr, width, gray);
}

void blend_rows(const std::uint8_t* above, const std::uint8_t* below, int near, int far, int width,
                std::uint16_t* out) {
    HWY_DYNAMIC_DISPATCH(blend_rows)(above, below, near, far, width, out);
}

void resample_row(const std::uint16_t* row, const std::int32_t* offsets, const std::int32_t* weights, int width,
                  std::uint8_t* out) {
    HWY_DYNAMIC_DISPATCH(resample_row)(row, offsets, weights, width, out);
}

void accumulate_row(const std::uint8_t* row, int width, std::uint32_t* sum, std::uint32_t* squares) {
    HWY_DYNAMIC_DISPATCH(accumulate_row)(row, width, sum, squares);
}

void split_row(const std::uint32_t* row, int count, std::uint32_t* out, int half) {
    HWY_DYNAMIC_DISPATCH(split_row)(row, count, out, half);
}

}  // namespace throng
#endif
