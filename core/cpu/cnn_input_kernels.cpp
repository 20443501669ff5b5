#include "core/cpu/cnn_input_kernels.h"

#include <cstddef>

#include "core/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/cnn_input_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace throng::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;
using DI = hn::Rebind<std::int32_t, D>;
using DB = hn::Rebind<std::uint8_t, D>;
using Floats = hn::Vec<D>;

constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

HWY_INLINE Floats floats(hn::Vec<DB> bytes) {
    return hn::ConvertTo(D(), hn::PromoteTo(DI(), bytes));
}

// Each loop ends before the last full vector; scalars follow, because rows have no slack.
void cnn_samples_row(const std::uint8_t* row, int step, int count, float* out) {
    const D d;
    const DB db;
    int i = 0;
    for (; i + kLanes <= count - 1; i += kLanes) {  // the last pixel may lack its other channels
        const std::uint8_t* from = row + std::ptrdiff_t{i} * step;
        hn::Vec<DB> a, b, c;
        if (step == 1) {
            a = hn::LoadU(db, from);
        } else if (step == 2) {
            hn::LoadInterleaved2(db, from, a, b);
        } else {
            hn::LoadInterleaved3(db, from, a, b, c);
        }
        hn::StoreU(floats(a), d, out + i);
    }
    for (; i < count; ++i) out[i] = row[std::ptrdiff_t{i} * step];
}

void cnn_interpolate_row(const float* samples, const std::int32_t* near, const float* weight, int count, float* out) {
    const D d;
    const DI di;
    int i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        const auto index = hn::LoadU(di, near + i);
        Floats a = hn::GatherIndex(d, samples, index);
        if (weight != nullptr) {
            const Floats b = hn::GatherIndex(d, samples + 1, index);
            a = hn::Add(a, hn::Mul(hn::Sub(b, a), hn::LoadU(d, weight + i)));
        }
        hn::StoreU(a, d, out + i);
    }
    for (; i < count; ++i) {
        const float a = samples[near[i]];
        out[i] = weight != nullptr ? a + (samples[near[i] + 1] - a) * weight[i] : a;
    }
}

void cnn_blend_rows(const float* above, const float* below, float weight, bool first, int count, float* sum) {
    const D d;
    const Floats w = hn::Set(d, weight);
    int i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        const Floats a = hn::LoadU(d, above + i);
        const Floats value = hn::Add(a, hn::Mul(hn::Sub(hn::LoadU(d, below + i), a), w));
        hn::StoreU(first ? value : hn::Add(hn::LoadU(d, sum + i), value), d, sum + i);
    }
    for (; i < count; ++i) {
        const float value = above[i] + (below[i] - above[i]) * weight;
        sum[i] = first ? value : sum[i] + value;
    }
}

void cnn_colors_row(const CnnInputColors& colors, const float* const* from, int count, float* const* to) {
    const D d;
    const CnnColor& color = colors.color;
    const Floats zero = hn::Zero(d), highest = hn::Set(d, 255.0F), middle = hn::Set(d, 128.0F);
    const Floats scale = hn::Set(d, colors.scale);
    const Floats means[3] = {hn::Set(d, colors.mean[0]), hn::Set(d, colors.mean[1]), hn::Set(d, colors.mean[2])};
    const Floats y_offset = hn::Set(d, color.y_offset), y_scale = hn::Set(d, color.y_scale);
    const Floats red_v = hn::Set(d, color.red_v), blue_u = hn::Set(d, color.blue_u);
    const Floats green_u = hn::Set(d, color.green_u), green_v = hn::Set(d, color.green_v);
    const auto normalized = [&](Floats value, int c) HWY_ATTR { return hn::Mul(hn::Sub(value, means[c]), scale); };
    const auto clamped = [&](Floats value, int c)
                             HWY_ATTR { return normalized(hn::Min(hn::Max(value, zero), highest), c); };
    int i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        if (colors.is_bgr) {
            for (int c = 0; c < 3; ++c) hn::StoreU(normalized(hn::LoadU(d, from[c] + i), c), d, to[c] + i);
            continue;
        }
        const Floats luma = hn::Mul(hn::Sub(hn::LoadU(d, from[0] + i), y_offset), y_scale);
        if (colors.channels == 1) {
            for (int c = 0; c < 3; ++c) hn::StoreU(clamped(luma, c), d, to[c] + i);
            continue;
        }
        const Floats u = hn::Sub(hn::LoadU(d, from[1] + i), middle);
        const Floats v = hn::Sub(hn::LoadU(d, from[2] + i), middle);
        hn::StoreU(clamped(hn::Add(luma, hn::Mul(u, blue_u)), 0), d, to[0] + i);
        hn::StoreU(clamped(hn::Sub(hn::Sub(luma, hn::Mul(u, green_u)), hn::Mul(v, green_v)), 1), d, to[1] + i);
        hn::StoreU(clamped(hn::Add(luma, hn::Mul(v, red_v)), 2), d, to[2] + i);
    }
    for (; i < count; ++i) {
        CnnPixel pixel;
        if (colors.is_bgr) {
            pixel = {from[0][i], from[1][i], from[2][i]};
        } else if (colors.channels == 1) {
            pixel.blue = pixel.green = pixel.red = cnn_gray(color, from[0][i]);
        } else {
            pixel = cnn_color(color, from[0][i], from[1][i], from[2][i]);
        }
        to[0][i] = cnn_normalize(pixel.blue, colors.mean[0], colors.scale);
        to[1][i] = cnn_normalize(pixel.green, colors.mean[1], colors.scale);
        to[2][i] = cnn_normalize(pixel.red, colors.mean[2], colors.scale);
    }
}

}  // namespace throng::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace throng {

HWY_EXPORT(cnn_samples_row);
HWY_EXPORT(cnn_interpolate_row);
HWY_EXPORT(cnn_blend_rows);
HWY_EXPORT(cnn_colors_row);

void cnn_samples_row(const std::uint8_t* row, int step, int count, float* out) {
    HWY_DYNAMIC_DISPATCH(cnn_samples_row)(row, step, count, out);
}

void cnn_interpolate_row(const float* samples, const std::int32_t* near, const float* weight, int count, float* out) {
    HWY_DYNAMIC_DISPATCH(cnn_interpolate_row)(samples, near, weight, count, out);
}

void cnn_blend_rows(const float* above, const float* below, float weight, bool first, int count, float* sum) {
    HWY_DYNAMIC_DISPATCH(cnn_blend_rows)(above, below, weight, first, count, sum);
}

void cnn_colors_row(const CnnInputColors& colors, const float* const* from, int count, float* const* to) {
    HWY_DYNAMIC_DISPATCH(cnn_colors_row)(colors, from, count, to);
}

}  // namespace throng
#endif
