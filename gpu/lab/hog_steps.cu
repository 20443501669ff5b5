#include "gpu/lab/hog_steps.h"

#include "gpu/hog/gradient.cuh"
#include "gpu/hog/histogram.cuh"
#include "gpu/hog/normalize.cuh"
#include "gpu/hog/svm.cuh"

namespace throng::gpu {
namespace {

struct OnePixel {
    static constexpr int kPixels = 1;
    __device__ static void store(float* to, const float (&v)[1]) { *to = v[0]; }
    __device__ static void store(__half* to, const float (&v)[1]) { *to = __float2half_rn(v[0]); }
};

struct ExactArcTangent {
    __device__ static float orientation(float dx, float dy) { return hog_orientation_exact(dx, dy); }
};

// As histogram::FloatRow, one pixel at a time.
template <typename Number>
struct RolledRow {
    using Value = Number;
    static constexpr bool kUnrolled = false;

    const Value* magnitude;
    const Value* orientation;

    __device__ RolledRow(const Value* m, const Value* o) : magnitude(m), orientation(o) {}
    __device__ void vote(const histogram::UseWeights& weights, int bin, bool wraps,
                         float (&sums)[histogram::kUses]) const {
#pragma unroll 1
        for (int x = 0; x < kHogCell; ++x) {
            const float vote = static_cast<float>(magnitude[x]) *
                               histogram::share(static_cast<float>(orientation[x]), static_cast<float>(bin), wraps);
            for (int use = 0; use < histogram::kUses; ++use)
                sums[use] = __fmaf_rn(vote, weights.weight[use][x], sums[use]);
        }
    }
};

// The values are read three times.
struct RolledBlock {
    template <typename Word>
    __device__ static void run(const float* from, Word* to, int pitch) {
        float sum = 0;
#pragma unroll 1
        for (int i = 0; i < kHogBlockValues; ++i) sum = __fmaf_rn(from[i * pitch], from[i * pitch], sum);
        const float scale = normalize::scale_of(sum, kHogBlockFloor);
        float clipped_sum = 0;
#pragma unroll 1
        for (int i = 0; i < kHogBlockValues; ++i) {
            const float value = fminf(from[i * pitch] * scale, kHogClip);
            clipped_sum = __fmaf_rn(value, value, clipped_sum);
        }
        const float again = normalize::scale_of(clipped_sum, kHogClippedFloor);
#pragma unroll 1
        for (int i = 0; i < kHogBlockValues; i += 2) {
            const float even = fminf(from[i * pitch] * scale, kHogClip);
            const float odd = fminf(from[(i + 1) * pitch] * scale, kHogClip);
            normalize::store(to, pitch, i / 2, even * again, odd * again);
        }
    }
};

// One window per lane and pass.
struct OneWindow {
    static constexpr int kPasses = kSvmRows;
    static constexpr int kAcross = 1;
    static constexpr int kDown = 1;
    __device__ static int column(int lane) { return lane; }
    __device__ static int row(int /*lane*/, int pass) { return pass; }
    template <typename Word>
    __device__ static void convolve(const Word* tile, const Word* weights, float (&sums)[1][1]) {
#pragma unroll 3
        for (int y = 0; y < kHogRows; ++y) {
            svm::Row<Word, svm::kWeightPitch> now;
            now.read(weights + y * svm::kWeightPitch);
            Word row_sum = {};
#pragma unroll
            for (int x = 0; x < kHogColumns; ++x) {
                row_sum = svm::multiply_add(tile[y * svm::kTilePitch + x], now.words[x], row_sum);
            }
            svm::flush_sum(row_sum, sums[0][0]);
        }
    }
};

template <typename Share>
struct RolledWindows : Share {
    template <typename Word>
    __device__ static void convolve(const Word* tile, const Word* weights,
                                    float (&sums)[Share::kDown][Share::kAcross]) {
#pragma unroll 1
        for (int y = 0; y < kHogRows; ++y) {
#pragma unroll 1
            for (int x = 0; x < kHogColumns; ++x) {
                const Word weight = weights[y * svm::kWeightPitch + x];
#pragma unroll
                for (int i = 0; i < Share::kDown * Share::kAcross; ++i) {
                    const Word value = tile[(y + i / Share::kAcross) * svm::kTilePitch + x + i % Share::kAcross];
                    Word product = svm::multiply_add(value, weight, Word{});
                    svm::flush_sum(product, sums[i / Share::kAcross][i % Share::kAcross]);
                }
            }
        }
    }
};

template <bool kHalf>
void replace(HogKernels& kernels, const HogOptions& options) {
    using Value = std::conditional_t<kHalf, __half, float>;
    using Word = std::conditional_t<kHalf, __half2, float>;
    using Row = std::conditional_t<kHalf, histogram::HalfRow, histogram::FloatRow>;
    using Rolled = RolledRow<Value>;
    const bool several = options.several;
    if (!several || !options.polynomial) {
        kernels.gradient = several              ? gradient::launch<Value, gradient::FourPixels, ExactArcTangent>
                           : options.polynomial ? gradient::launch<Value, OnePixel, gradient::PolynomialArcTangent>
                                                : gradient::launch<Value, OnePixel, ExactArcTangent>;
    }
    if (!several || !options.unrolled) {
        kernels.histogram = options.unrolled ? histogram::launch<Row, 1>
                            : several        ? histogram::launch<Rolled, 3>
                                             : histogram::launch<Rolled, 1>;
        kernels.svm = options.unrolled ? svm::launch<Word, OneWindow>
                      : several        ? svm::launch<Word, RolledWindows<svm::FourByTwo>>
                                       : svm::launch<Word, RolledWindows<OneWindow>>;
    }
    if (!options.unrolled) kernels.normalize = normalize::launch<kHalf, RolledBlock>;
}

}  // namespace

HogKernels hog_step_kernels(const HogOptions& options) {
    HogKernels kernels = hog_kernels(options);
    (options.half ? replace<true> : replace<false>)(kernels, options);
    return kernels;
}

std::unique_ptr<Detector> make_hog_detector(StreamView stream, const DeviceInfo& device, const DetectorParams& params) {
    check_params(params);
    return std::make_unique<HogDetector>(stream, device, read_hog_model(params.model), params, hog_step_kernels);
}

}  // namespace throng::gpu
