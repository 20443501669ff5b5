#include "core/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/synth/rows.cpp"
#include <hwy/foreach_target.h>
// From here on, Highway includes this file once per target.
#include <hwy/highway.h>

#include "core/synth/rows.h"

HWY_BEFORE_NAMESPACE();
namespace throng::synth::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;

// Evaluates a shape at the samples of one row.
class ShapeRow {
public:
    ShapeRow(const Shape& shape, float dy)
        : shape_(shape), u_y_(hn::Set(d_, shape.uy * dy)), v_y_(hn::Set(d_, shape.vy * dy)) {}

    // Evaluates at horizontal distances dx from the center; the results are valid until the next call.
    HWY_ATTR void evaluate(Vector dx) {
        const Vector zero = hn::Zero(d_);
        const Vector one = hn::Set(d_, 1.0F);
        const Vector half = hn::Set(d_, 0.5F);
        u_ = hn::Add(hn::Mul(hn::Set(d_, shape_.ux), dx), u_y_);
        const Vector u2 = hn::Mul(u_, u_);
        Vector straight = hn::Add(hn::Mul(hn::Set(d_, shape_.vx), dx), v_y_);
        if (shape_.bend != 0.0F) straight = hn::Sub(straight, hn::Mul(hn::Set(d_, shape_.bend), u2));
        v_ = hn::IfThenElse(hn::Lt(straight, zero), hn::Mul(straight, hn::Set(d_, shape_.top)), straight);
        const Vector v2 = hn::Mul(v_, v_);
        if (shape_.box) {
            q_ = hn::Max(u2, v2);
        } else {
            q_ = hn::Add(u2, v2);
            if (shape_.square > 0.0F) {
                const Vector fourth = hn::Add(hn::Mul(u2, u2), hn::Mul(v2, v2));
                q_ = hn::Add(q_, hn::Mul(hn::Set(d_, shape_.square), hn::Sub(fourth, q_)));
            }
        }
        Vector beyond = hn::Sub(q_, one);
        if (shape_.ring > 0.0F) beyond = hn::Sub(hn::Abs(beyond), hn::Set(d_, shape_.ring));
        Vector t = hn::Sub(half, hn::Mul(beyond, hn::Set(d_, shape_.edge)));
        t = hn::Min(hn::Max(t, zero), one);
        // Smoothstep.
        coverage_ = hn::Mul(hn::Mul(t, t), hn::Sub(hn::Set(d_, 3.0F), hn::Add(t, t)));
        coverage_ = hn::Mul(coverage_, hn::Set(d_, shape_.opacity));
        if (shape_.cuts) {
            const Vector line = hn::Add(hn::Set(d_, shape_.cut), hn::Mul(hn::Set(d_, shape_.cut_bend), u2));
            const Vector above = hn::Add(hn::Mul(hn::Sub(straight, line), hn::Set(d_, shape_.cut_edge)), half);
            coverage_ = hn::Mul(coverage_, hn::Min(hn::Max(above, zero), one));
        }
    }

    HWY_ATTR Vector coverage() const { return coverage_; }
    HWY_ATTR Vector shade() const {
        const Vector slope =
            hn::Add(hn::Mul(hn::Set(d_, shape_.shade_u), u_), hn::Mul(hn::Set(d_, shape_.shade_v), v_));
        return hn::Add(slope, hn::Mul(hn::Set(d_, shape_.shade_q), q_));
    }

private:
    Floats d_;
    Shape shape_;  // a copy, which stores to a row cannot alias
    Vector u_y_, v_y_;
    Vector u_{}, v_{}, q_{}, coverage_{};
};

HWY_ATTR Vector blend(Vector below, Vector coverage, Vector level) {
    return hn::Add(below, hn::Mul(coverage, hn::Sub(level, below)));
}

// Whole numbers below 2^24 are exact, so adding the vector's length equals counting again. Iota in a loop would go
// through memory.
HWY_ATTR Vector counted_from(Floats d, int first) {
    return hn::ConvertTo(d, hn::Iota(hn::Rebind<std::int32_t, Floats>(), first));
}

// Vectors extend past the end of the shape's row. Coverage is 0 there, or there are spare floats.
HWY_ATTR void paint_luma(const Shape& shape, float dy, int x0, int x1, float* HWY_RESTRICT row) {
    const Floats d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const Vector first = hn::Set(d, 0.5F - shape.cx);
    const Vector color = hn::Set(d, shape.color.y);
    const Vector step = hn::Set(d, static_cast<float>(lanes));
    Vector column = counted_from(d, x0);
    ShapeRow at(shape, dy);
    for (int x = x0; x < x1; x += lanes, column = hn::Add(column, step)) {
        at.evaluate(hn::Add(column, first));
        hn::StoreU(blend(hn::LoadU(d, row + x), at.coverage(), hn::Add(color, at.shade())), d, row + x);
    }
}

HWY_ATTR void paint_chroma(const Shape& shape, float dy, int x0, int x1, float* HWY_RESTRICT cb,
                           float* HWY_RESTRICT cr) {
    const Floats d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const Vector first = hn::Set(d, 0.5F - shape.cx);
    const Vector color_cb = hn::Set(d, shape.color.cb);
    const Vector color_cr = hn::Set(d, shape.color.cr);
    const Vector step = hn::Set(d, static_cast<float>(2 * lanes));
    Vector column = hn::Mul(counted_from(d, x0), hn::Set(d, 2.0F));
    ShapeRow at(shape, dy);
    for (int x = x0; x < x1; x += lanes, column = hn::Add(column, step)) {
        at.evaluate(hn::Add(column, first));
        hn::StoreU(blend(hn::LoadU(d, cb + x), at.coverage(), color_cb), d, cb + x);
        hn::StoreU(blend(hn::LoadU(d, cr + x), at.coverage(), color_cr), d, cr + x);
    }
}

HWY_ATTR void cover(const Shape& shape, float dx, float step, float dy, int count, float* HWY_RESTRICT hidden) {
    const Floats d;
    ShapeRow at(shape, dy);
    for (int i = 0; i < count; i += static_cast<int>(hn::Lanes(d))) {
        at.evaluate(hn::Add(hn::Mul(counted_from(d, i), hn::Set(d, step)), hn::Set(d, dx)));
        hn::StoreU(hn::Max(hn::LoadU(d, hidden + i), at.coverage()), d, hidden + i);
    }
}

HWY_ATTR void store(const float* HWY_RESTRICT from, const float* HWY_RESTRICT grain, int period, int width, float high,
                    std::uint8_t* HWY_RESTRICT to) {
    const Floats d;
    const hn::Rebind<std::int32_t, Floats> whole;
    const hn::Rebind<std::uint8_t, Floats> bytes;
    const Vector low = hn::Set(d, 16.0F);
    const Vector top = hn::Set(d, high);
    for (int start = 0; start < width; start += period) {
        const int end = width - start < period ? width - start : period;
        for (int x = 0; x < end; x += static_cast<int>(hn::Lanes(d))) {
            const Vector level = hn::Add(hn::LoadU(d, from + start + x), hn::LoadU(d, grain + x));
            const Vector inside = hn::Min(hn::Max(level, low), top);
            // Truncation after adding 0.5 rounds a positive number to the nearest integer.
            hn::StoreU(hn::DemoteTo(bytes, hn::ConvertTo(whole, hn::Add(inside, hn::Set(d, 0.5F)))), bytes,
                       to + start + x);
        }
    }
}

}  // namespace throng::synth::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace throng::synth {
namespace {

HWY_EXPORT(paint_luma);
HWY_EXPORT(paint_chroma);
HWY_EXPORT(cover);
HWY_EXPORT(store);

struct Span {
    int begin, end;
};

// Returns the range in which an ellipse can cover anything in this row, within its bounds: q <= reach solved for dx. An
// egg counts as the larger ellipse that contains it. This only saves work: outside, coverage is 0.
Span span_of(const Shape& shape, float dy) {
    if (shape.box || shape.square > 0.0F || shape.bend != 0.0F) return {shape.x0, shape.x1};
    const float narrow = shape.top < 1.0F ? shape.top : 1.0F;
    const float vx = shape.vx * narrow;
    const float vy = shape.vy * narrow;
    const float a = shape.ux * shape.ux + vx * vx;
    const float b = (shape.ux * shape.uy + vx * vy) * dy;
    const float c = (shape.uy * shape.uy + vy * vy) * dy * dy - (1.0F + shape.ring + 0.5F / shape.edge);
    const float discriminant = b * b - a * c;
    if (discriminant < 0.0F) return {0, 0};
    const float middle = shape.cx - b / a;
    const float reach = root(discriminant) / a + 2.0F;  // two pixels for rounding
    const float low = clamped(middle - reach, static_cast<float>(shape.x0), static_cast<float>(shape.x1));
    const float high = clamped(middle + reach, static_cast<float>(shape.x0), static_cast<float>(shape.x1));
    return {static_cast<int>(low), static_cast<int>(high)};
}

}  // namespace

void paint_luma_row(const Shape& shape, int y, float* row) {
    if (y < shape.y0 || y >= shape.y1) return;
    const float dy = static_cast<float>(y) + 0.5F - shape.cy;
    const Span span = span_of(shape, dy);
    if (span.begin < span.end) HWY_DYNAMIC_DISPATCH(paint_luma)(shape, dy, span.begin, span.end, row);
}

void paint_chroma_row(const Shape& shape, int y, float* cb, float* cr) {
    if (2 * y + 1 < shape.y0 || 2 * y >= shape.y1) return;
    const float dy = static_cast<float>(2 * y) + 1.0F - shape.cy;
    const Span span = span_of(shape, dy);
    if (span.begin < span.end)
        HWY_DYNAMIC_DISPATCH(paint_chroma)(shape, dy, span.begin / 2, (span.end + 1) / 2, cb, cr);
}

void cover_samples(const Shape& shape, float x, float step, float y, int count, float* hidden) {
    HWY_DYNAMIC_DISPATCH(cover)(shape, x - shape.cx, step, y - shape.cy, count, hidden);
}

void store_row(const float* from, const float* grain, int period, int width, float high, std::uint8_t* to) {
    HWY_DYNAMIC_DISPATCH(store)(from, grain, period, width, high, to);
}

}  // namespace throng::synth
#endif
