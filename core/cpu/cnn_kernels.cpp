#include "core/cpu/cnn_kernels.h"

#include <algorithm>

#include "core/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/cnn_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After the targets, for each of which it is included.
#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace throng::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, kCnnGroup>;
using Floats = hn::Vec<D>;

constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
constexpr int kVectors = kCnnGroup / kLanes;  // per pixel of a group

// Pixels whose sums a convolution keeps in registers: as many as leave registers for the weights.
constexpr int kPixels = kVectors == 1 ? 12 : kVectors == 2 ? 6 : HWY_ARCH_ARM ? 6 : 3;

// Pixels of a row after which a depthwise convolution turns to the next lanes: their inputs are still in the L1 cache.
constexpr int kPixelsInCache = 64;

HWY_INLINE void store(Floats value, bool relu, float* to) {
    const D d;
    hn::Store(relu ? hn::Max(value, hn::Zero(d)) : value, d, to);
}

// Computes kCount pixels of one group. kStep: step of the convolution, or 0 if it is not known at compile time.
template <int kCount, int kStep>
HWY_NOINLINE void convolve_pixels(const CnnConvolution& convolution, int x, int group, const CnnRowOut& to) {
    const D d;
    const std::ptrdiff_t step = kStep != 0 ? kStep : convolution.step;
    const std::ptrdiff_t count = convolution.offset_count;
    const std::ptrdiff_t* const offsets = convolution.offsets;
    const CnnGroup* weights = convolution.weights + group * convolution.row_count * count;
    Floats sum[kCount][kVectors];
#pragma GCC unroll 16
    for (int i = 0; i < kCount; ++i) {
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v) sum[i][v] = hn::Load(d, convolution.bias[group].channel + v * kLanes);
    }
    for (int r = 0; r < convolution.row_count; ++r, weights += count) {
        const float* row = convolution.rows[r] + x * step;
        for (std::ptrdiff_t k = 0; k < count; ++k) {
            const float* in = row + offsets[k];
            Floats weight[kVectors];
#pragma GCC unroll 16
            for (int v = 0; v < kVectors; ++v) weight[v] = hn::Load(d, weights[k].channel + v * kLanes);
#pragma GCC unroll 16
            for (int i = 0; i < kCount; ++i) {
                const Floats value = hn::Set(d, in[i * step]);
#pragma GCC unroll 16
                for (int v = 0; v < kVectors; ++v) sum[i][v] = hn::MulAdd(value, weight[v], sum[i][v]);
            }
        }
    }
    float* out = to.data + group * to.group + std::ptrdiff_t{x} * kCnnGroup;
#pragma GCC unroll 16
    for (int i = 0; i < kCount; ++i) {
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v) store(sum[i][v], to.relu, out + i * kCnnGroup + v * kLanes);
    }
}

using ConvolvePixels = void (*)(const CnnConvolution&, int, int, const CnnRowOut&);

template <int kStep, int kCount>
ConvolvePixels convolve_count(int count) {
    if constexpr (kCount > 1) {
        if (count < kCount) return convolve_count<kStep, kCount - 1>(count);
    }
    return convolve_pixels<kCount, kStep>;
}

void cnn_convolve_row(const CnnConvolution& convolution, const CnnRowOut& out) {
    // Blocks of nearly equal size: a short last block would leave the multipliers idle.
    const int blocks = (out.width + kPixels - 1) / kPixels;
    const int least = out.width / blocks;
    const int larger = out.width % blocks;  // blocks of least + 1 pixels
    const auto choose = [&](int count) {
        return convolution.step == kCnnGroup ? convolve_count<kCnnGroup, kPixels>(count)
                                             : convolve_count<0, kPixels>(count);
    };
    const ConvolvePixels many = choose(std::min(least + 1, kPixels));
    const ConvolvePixels few = choose(least);
    int x = 0;
    for (int b = 0; b < blocks; ++b) {
        for (int group = 0; group < out.groups; ++group) (b < larger ? many : few)(convolution, x, group, out);
        x += least + (b < larger ? 1 : 0);
    }
}

// 3 x 3 with stride 1: a loaded pixel adds to the three output pixels that it is part of.
HWY_INLINE void slide_3x3(const CnnWindows& windows, const float* w, const float* bias, std::ptrdiff_t at, int width,
                          bool relu, float* out) {
    const D d;
    const float* above = windows.rows[0] + at;
    const float* here = windows.rows[1] + at;
    const float* below = windows.rows[2] + at;
    const Floats b = hn::Load(d, bias);
    const Floats w0 = hn::Load(d, w), w1 = hn::Load(d, w + kCnnGroup), w2 = hn::Load(d, w + 2 * kCnnGroup);
    const Floats w3 = hn::Load(d, w + 3 * kCnnGroup), w4 = hn::Load(d, w + 4 * kCnnGroup);
    const Floats w5 = hn::Load(d, w + 5 * kCnnGroup), w6 = hn::Load(d, w + 6 * kCnnGroup);
    const Floats w7 = hn::Load(d, w + 7 * kCnnGroup), w8 = hn::Load(d, w + 8 * kCnnGroup);
    const auto add = [&](Floats sum, Floats wa, Floats wh, Floats wb, std::ptrdiff_t i) HWY_ATTR {
        sum = hn::MulAdd(wa, hn::Load(d, above + i), sum);
        sum = hn::MulAdd(wh, hn::Load(d, here + i), sum);
        return hn::MulAdd(wb, hn::Load(d, below + i), sum);
    };
    Floats next = add(add(b, w0, w3, w6, 0), w1, w4, w7, kCnnGroup);  // output x, lacks its last column
    Floats after = add(b, w0, w3, w6, kCnnGroup);                     // output x + 1, has its first column only
    for (int x = 0; x < width; ++x) {
        const std::ptrdiff_t i = std::ptrdiff_t{x + 2} * kCnnGroup;
        store(add(next, w2, w5, w8, i), relu, out + std::ptrdiff_t{x} * kCnnGroup);
        next = add(after, w1, w4, w7, i);
        after = add(b, w0, w3, w6, i);
    }
}

HWY_INLINE void any_window(const CnnWindows& windows, const float* w, const float* bias, std::ptrdiff_t at, int width,
                           bool relu, float* out) {
    const D d;
    const int kernel = windows.kernel;
    for (int x = 0; x < width; ++x) {
        Floats sum = hn::Load(d, bias);
        for (int r = 0; r < kernel; ++r) {
            const float* in = windows.rows[r] + at + std::ptrdiff_t{x} * windows.stride * kCnnGroup;
            for (int c = 0; c < kernel; ++c) {
                sum = hn::MulAdd(hn::Load(d, w + std::ptrdiff_t{r * kernel + c} * kCnnGroup),
                                 hn::Load(d, in + std::ptrdiff_t{c} * windows.dilation * kCnnGroup), sum);
            }
        }
        store(sum, relu, out + std::ptrdiff_t{x} * kCnnGroup);
    }
}

void cnn_depthwise_row(const CnnWindows& windows, const CnnGroup* weights, const CnnGroup* bias, const CnnRowOut& out) {
    const bool slides = windows.kernel == 3 && windows.stride == 1 && windows.dilation == 1;
    for (int group = 0; group < out.groups; ++group) {
        for (int x = 0; x < out.width; x += kPixelsInCache) {
            const int count = std::min(out.width - x, kPixelsInCache);
            for (int lane = 0; lane < kCnnGroup; lane += kLanes) {
                const float* w = weights[group * windows.kernel * windows.kernel].channel + lane;
                const float* b = bias[group].channel + lane;
                const std::ptrdiff_t at = group * windows.group + std::ptrdiff_t{x} * windows.stride * kCnnGroup + lane;
                float* to = out.data + group * out.group + std::ptrdiff_t{x} * kCnnGroup + lane;
                if (slides) {
                    slide_3x3(windows, w, b, at, count, out.relu, to);
                } else {
                    any_window(windows, w, b, at, count, out.relu, to);
                }
            }
        }
    }
}

// Computes output pixel x of one group. kKernel: size of the windows, or 0 if it is not known at compile time.
template <int kKernel>
HWY_INLINE void pool_pixel(const CnnWindows& windows, int begin, int end, std::ptrdiff_t at, bool relu, float* to) {
    const D d;
    const int kernel = kKernel != 0 ? kKernel : windows.kernel;
    if (kKernel != 0) begin = 0, end = kKernel;
    for (int lane = 0; lane < kCnnGroup; lane += kLanes) {
        Floats highest = hn::Set(d, hwy::LowestValue<float>());
        for (int r = 0; r < kernel; ++r) {
            if (kKernel == 0 && windows.rows[r] == nullptr) continue;
            const float* in = windows.rows[r] + at + lane;
            for (int c = begin; c < end; ++c) {
                highest = hn::Max(highest, hn::Load(d, in + std::ptrdiff_t{c} * kCnnGroup));
            }
        }
        store(highest, relu, to + lane);
    }
}

void cnn_pool_row(const CnnWindows& windows, int first, int width, const CnnRowOut& out) {
    const bool pairs = windows.kernel == 2 && windows.stride == 2 && first == 0 && windows.rows[1] != nullptr;
    for (int group = 0; group < out.groups; ++group) {
        for (int x = 0; x < out.width; ++x) {
            const int begin = std::max(0, -first - x * windows.stride);
            const int end = std::min(windows.kernel, width - first - x * windows.stride);
            const std::ptrdiff_t at = group * windows.group + std::ptrdiff_t{x} * windows.stride * kCnnGroup;
            float* to = out.data + group * out.group + std::ptrdiff_t{x} * kCnnGroup;
            if (pairs) {
                pool_pixel<2>(windows, begin, end, at, out.relu, to);
            } else {
                pool_pixel<0>(windows, begin, end, at, out.relu, to);
            }
        }
    }
}

void cnn_silu_row(const CnnRowOut& row) {
    const D d;
    const Floats one = hn::Set(d, 1.0F);
    const Floats most = hn::Set(d, 87.0F);  // hn::Exp is not defined from 104 on
    for (int group = 0; group < row.groups; ++group) {
        float* values = row.data + group * row.group;
        for (std::ptrdiff_t i = 0; i < std::ptrdiff_t{row.width} * kCnnGroup; i += kLanes) {
            const Floats value = hn::Load(d, values + i);
            hn::Store(hn::Div(value, hn::Add(one, hn::Exp(d, hn::Min(hn::Neg(value), most)))), d, values + i);
        }
    }
}

void cnn_leaky_row(const CnnRowOut& row, float slope) {
    const D d;
    const Floats factor = hn::Set(d, slope);
    for (int group = 0; group < row.groups; ++group) {
        float* values = row.data + group * row.group;
        for (std::ptrdiff_t i = 0; i < std::ptrdiff_t{row.width} * kCnnGroup; i += kLanes) {
            const Floats value = hn::Load(d, values + i);
            hn::Store(hn::Max(value, hn::Mul(value, factor)), d, values + i);
        }
    }
}

void cnn_sum_row(const float* a, std::ptrdiff_t a_group, int factor, const float* b, std::ptrdiff_t b_group,
                 const CnnRowOut& out) {
    const D d;
    for (int group = 0; group < out.groups; ++group) {
        const float* from = a + group * a_group;
        float* to = out.data + group * out.group;
        for (int x = 0, repeat = 0; x < out.width; ++x) {
            for (int lane = 0; lane < kCnnGroup; lane += kLanes) {
                Floats sum = hn::Load(d, from + lane);
                if (b != nullptr) {
                    sum = hn::Add(sum, hn::Load(d, b + group * b_group + std::ptrdiff_t{x} * kCnnGroup + lane));
                }
                store(sum, out.relu, to + std::ptrdiff_t{x} * kCnnGroup + lane);
            }
            if (++repeat == factor) {
                repeat = 0;
                from += kCnnGroup;
            }
        }
    }
}

}  // namespace throng::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace throng {

HWY_EXPORT(cnn_convolve_row);
HWY_EXPORT(cnn_depthwise_row);
HWY_EXPORT(cnn_pool_row);
HWY_EXPORT(cnn_silu_row);
HWY_EXPORT(cnn_leaky_row);
HWY_EXPORT(cnn_sum_row);

void cnn_convolve_row(const CnnConvolution& convolution, const CnnRowOut& out) {
    HWY_DYNAMIC_DISPATCH(cnn_convolve_row)(convolution, out);
}

void cnn_depthwise_row(const CnnWindows& windows, const CnnGroup* weights, const CnnGroup* bias, const CnnRowOut& out) {
    HWY_DYNAMIC_DISPATCH(cnn_depthwise_row)(windows, weights, bias, out);
}

void cnn_pool_row(const CnnWindows& windows, int first, int width, const CnnRowOut& out) {
    HWY_DYNAMIC_DISPATCH(cnn_pool_row)(windows, first, width, out);
}

void cnn_silu_row(const CnnRowOut& row) {
    HWY_DYNAMIC_DISPATCH(cnn_silu_row)(row);
}

void cnn_leaky_row(const CnnRowOut& row, float slope) {
    HWY_DYNAMIC_DISPATCH(cnn_leaky_row)(row, slope);
}

void cnn_sum_row(const float* a, std::ptrdiff_t a_group, int factor, const float* b, std::ptrdiff_t b_group,
                 const CnnRowOut& out) {
    HWY_DYNAMIC_DISPATCH(cnn_sum_row)(a, a_group, factor, b, b_group, out);
}

}  // namespace throng
#endif
