#include "core/cpu/hog_kernels.h"

#include <algorithm>
#include <cmath>

#include "core/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/hog_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace throng::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::CappedTag<float, 16>;
using DI = hn::Rebind<std::int32_t, DF>;
using DB = hn::Rebind<std::uint8_t, DF>;
using V = hn::Vec<DF>;

void hog_gamma_row(const std::uint8_t* row, int width, bool gamma, float* out) {
    const DF d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    int x = 0;
    for (; x + lanes <= width; x += lanes) {
        const V pixels = hn::ConvertTo(d, hn::PromoteTo(DI(), hn::LoadU(DB(), row + x)));
        hn::StoreU(gamma ? hn::Sqrt(pixels) : pixels, d, out + x);
    }
    for (; x < width; ++x) {
        const auto pixel = static_cast<float>(row[x]);
        out[x] = gamma ? std::sqrt(pixel) : pixel;
    }
    out[-1] = out[width > 1 ? 1 : 0];
    out[width] = out[width > 1 ? width - 2 : 0];
}

void hog_gradient_row(const float* above, const float* here, const float* below, int width, const HogVotes& out) {
    const DF d;
    const DI di;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const V zero = hn::Zero(d);
    const auto last = hn::Set(di, kHogBins - 1);
    for (int x = 0; x < width; x += lanes) {
        const V dx = hn::Sub(hn::LoadU(d, here + x + 1), hn::LoadU(d, here + x - 1));
        const V dy = hn::Sub(hn::LoadU(d, below + x), hn::LoadU(d, above + x));
        const V magnitude = hn::Sqrt(hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy)));
        // hog_orientation for one vector of pixels.
        const V ax = hn::Abs(dx);
        const V ay = hn::Abs(dy);
        const V c = hn::Div(hn::Min(ax, ay), hn::Add(hn::Max(ax, ay), hn::Set(d, kHogNoSlope)));
        const V cc = hn::Mul(c, c);
        V p = hn::Add(hn::Mul(cc, hn::Set(d, kHogAtan7)), hn::Set(d, kHogAtan5));
        p = hn::Add(hn::Mul(p, cc), hn::Set(d, kHogAtan3));
        p = hn::Add(hn::Mul(p, cc), hn::Set(d, kHogAtan1));
        p = hn::Mul(p, c);
        p = hn::IfThenElse(hn::Ge(ax, ay), p, hn::Sub(hn::Set(d, 0.5F * kHogBins), p));
        const auto mirrored = hn::Xor(hn::VecFromMask(d, hn::Lt(dx, zero)), hn::VecFromMask(d, hn::Lt(dy, zero)));
        p = hn::IfThenElse(hn::MaskFromVec(mirrored), hn::Sub(hn::Set(d, static_cast<float>(kHogBins)), p), p);
        p = hn::Sub(p, hn::Set(d, 0.5F));

        const V whole = hn::Floor(p);
        const V second = hn::Mul(magnitude, hn::Sub(p, whole));
        hn::StoreU(hn::Sub(magnitude, second), d, out.first + x);
        hn::StoreU(second, d, out.second + x);
        const auto bin = hn::ConvertTo(di, whole);
        const auto first_bin = hn::IfThenElse(hn::Lt(bin, hn::Zero(di)), last, bin);
        const auto second_bin = hn::IfThenElse(hn::Eq(bin, last), hn::Zero(di), hn::Add(bin, hn::Set(di, 1)));
        static_assert(kHogUses == 16);
        hn::StoreU(hn::ShiftLeft<4>(first_bin), di, out.first_bin + x);
        hn::StoreU(hn::ShiftLeft<4>(second_bin), di, out.second_bin + x);
    }
}

void hog_vote_cells(const HogVotes* rows, const HogCellWeights& weights, int cells, float* out, std::ptrdiff_t pitch) {
    const DF d;
    const auto lanes = static_cast<int>(hn::Lanes(d));
    constexpr int kSums = kHogBins * kHogUses;
    // Two sets of sums: neighboring pixels often vote for the same bin, and two sets break the dependency.
    alignas(64) float sums[2][kSums];
    const auto vote = [&](float* to, float value, const float* weight) {
        const V v = hn::Set(d, value);
        for (int k = 0; k < kHogUses; k += lanes) {
            hn::Store(hn::Add(hn::Load(d, to + k), hn::Mul(v, hn::Load(d, weight + k))), d, to + k);
        }
    };
    for (int cell = 0; cell < cells; ++cell) {
        for (int k = 0; k < 2 * kSums; k += lanes) hn::Store(hn::Zero(d), d, &sums[0][0] + k);
        for (int y = 0; y < kHogCell; ++y) {
            const HogVotes& row = rows[y];
            for (int x = 0; x < kHogCell; ++x) {
                const int at = cell * kHogCell + x;
                const float* weight = weights.weight[y * kHogCell + x];
                float* to = sums[x % 2];
                vote(to + row.first_bin[at], row.first[at], weight);
                vote(to + row.second_bin[at], row.second[at], weight);
            }
        }
        for (int k = 0; k < kSums; ++k) out[k * pitch + cell] = sums[0][k] + sums[1][k];
    }
}

void hog_gather_blocks(const float* upper_cells, const float* lower_cells, std::ptrdiff_t cell_pitch, int blocks,
                       float* out, std::ptrdiff_t pitch) {
    const DF d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    for (int value = 0; value < kHogBlockValues; ++value) {
        const int across = value / (2 * kHogBins);
        const int down = value / kHogBins % 2;
        const int first = value % kHogBins * kHogUses;
        const auto plane = [&](const float* cells, int use_down, int use_across) {
            return cells + (first + use_down * 4 + use_across) * cell_pitch;
        };
        const float* upper_left = plane(upper_cells, down, across);
        const float* upper_right = plane(upper_cells, down, across + 2) + 1;
        const float* lower_left = plane(lower_cells, down + 2, across);
        const float* lower_right = plane(lower_cells, down + 2, across + 2) + 1;
        float* to = out + value * pitch;
        for (int x = 0; x < blocks; x += lanes) {
            const V upper = hn::Add(hn::LoadU(d, upper_left + x), hn::LoadU(d, upper_right + x));
            const V lower = hn::Add(hn::LoadU(d, lower_left + x), hn::LoadU(d, lower_right + x));
            const V sum = hn::Add(upper, lower);
            if (x + lanes <= blocks) {
                hn::StoreU(sum, d, to + x);
            } else {
                alignas(64) float rest[16];
                hn::Store(sum, d, rest);
                std::copy_n(rest, blocks - x, to + x);
            }
        }
    }
}

void hog_normalize_blocks(int blocks, float* values, std::ptrdiff_t pitch) {
    const DF d;
    const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d));
    const V one = hn::Set(d, 1.0F);
    const auto normalize = [&](float* block) {
        V sum = hn::Zero(d);
        for (int v = 0; v < kHogBlockValues; ++v) {
            const V value = hn::LoadU(d, block + v * pitch);
            sum = hn::Add(sum, hn::Mul(value, value));
        }
        const V scale = hn::Div(one, hn::Add(hn::Sqrt(sum), hn::Set(d, kHogBlockFloor)));
        const V clip = hn::Set(d, kHogClip);
        V clipped_sum = hn::Zero(d);
        for (int v = 0; v < kHogBlockValues; ++v) {
            const V value = hn::Min(hn::Mul(hn::LoadU(d, block + v * pitch), scale), clip);
            clipped_sum = hn::Add(clipped_sum, hn::Mul(value, value));
        }
        const V again = hn::Div(one, hn::Add(hn::Sqrt(clipped_sum), hn::Set(d, kHogClippedFloor)));
        for (int v = 0; v < kHogBlockValues; ++v) {
            const V value = hn::Min(hn::Mul(hn::LoadU(d, block + v * pitch), scale), clip);
            hn::StoreU(hn::Mul(value, again), d, block + v * pitch);
        }
    };
    std::ptrdiff_t x = 0;
    for (; x + lanes <= blocks; x += lanes) normalize(values + x);
    if (x == blocks) return;
    // The rest of the row, padded.
    float rest[kHogBlockValues * 16];
    const std::ptrdiff_t row_pitch = pitch;
    for (int v = 0; v < kHogBlockValues; ++v) {
        std::fill_n(rest + v * lanes, lanes, 0.0F);
        std::copy_n(values + v * row_pitch + x, blocks - x, rest + v * lanes);
    }
    pitch = lanes;
    normalize(rest);
    for (int v = 0; v < kHogBlockValues; ++v) std::copy_n(rest + v * lanes, blocks - x, values + v * row_pitch + x);
}

// Computes `kVectors` adjacent vectors of windows.
template <int kVectors>
HWY_INLINE void margins_at(const float* blocks, std::ptrdiff_t pitch, const float* weights, float bias, float* out) {
    const DF d;
    const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d));
    V sum[kVectors];
    for (V& s : sum) s = hn::Zero(d);
    for (int row = 0; row < kHogRows * kHogBlockValues; ++row, blocks += pitch, weights += kHogColumns) {
        for (int column = 0; column < kHogColumns; ++column) {
            const V weight = hn::Set(d, weights[column]);
            for (int v = 0; v < kVectors; ++v) {
                sum[v] = hn::MulAdd(hn::LoadU(d, blocks + column + v * lanes), weight, sum[v]);
            }
        }
    }
    for (int v = 0; v < kVectors; ++v) hn::StoreU(hn::Add(sum[v], hn::Set(d, bias)), d, out + v * lanes);
}

void hog_margins(const float* blocks, std::ptrdiff_t pitch, const float* weights, float bias, int windows, float* out) {
    const auto lanes = static_cast<int>(hn::Lanes(DF()));
    int x = 0;
    for (; x + 3 * lanes < windows; x += 4 * lanes) margins_at<4>(blocks + x, pitch, weights, bias, out + x);
    for (; x + lanes < windows; x += 2 * lanes) margins_at<2>(blocks + x, pitch, weights, bias, out + x);
    for (; x < windows; x += lanes) margins_at<1>(blocks + x, pitch, weights, bias, out + x);
}

}  // namespace throng::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace throng {

HWY_EXPORT(hog_gamma_row);
HWY_EXPORT(hog_gradient_row);
HWY_EXPORT(hog_vote_cells);
HWY_EXPORT(hog_gather_blocks);
HWY_EXPORT(hog_normalize_blocks);
HWY_EXPORT(hog_margins);

void hog_gamma_row(const std::uint8_t* row, int width, bool gamma, float* out) {
    HWY_DYNAMIC_DISPATCH(hog_gamma_row)(row, width, gamma, out);
}

void hog_gradient_row(const float* above, const float* here, const float* below, int width, const HogVotes& out) {
    HWY_DYNAMIC_DISPATCH(hog_gradient_row)(above, here, below, width, out);
}

void hog_vote_cells(const HogVotes* rows, const HogCellWeights& weights, int cells, float* out, std::ptrdiff_t pitch) {
    HWY_DYNAMIC_DISPATCH(hog_vote_cells)(rows, weights, cells, out, pitch);
}

void hog_gather_blocks(const float* upper_cells, const float* lower_cells, std::ptrdiff_t cell_pitch, int blocks,
                       float* out, std::ptrdiff_t pitch) {
    HWY_DYNAMIC_DISPATCH(hog_gather_blocks)(upper_cells, lower_cells, cell_pitch, blocks, out, pitch);
}

void hog_normalize_blocks(int blocks, float* values, std::ptrdiff_t pitch) {
    HWY_DYNAMIC_DISPATCH(hog_normalize_blocks)(blocks, values, pitch);
}

void hog_margins(const float* blocks, std::ptrdiff_t pitch, const float* weights, float bias, int windows, float* out) {
    HWY_DYNAMIC_DISPATCH(hog_margins)(blocks, pitch, weights, bias, windows, out);
}

}  // namespace throng
#endif
