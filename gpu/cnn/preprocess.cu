#include "gpu/cnn/elements.cuh"
#include "gpu/cnn/preprocess.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {
namespace {

constexpr int kBlockWidth = 32;
constexpr int kBlockHeight = 8;

constexpr int pixels_per_thread(bool single) {
    return single ? 4 : 1;
}

// Interleaved channels: channel c of the sample (x, y) is data[y * pitch + x * step + c].
struct Samples {
    const std::uint8_t* data;
    int pitch;
    int step;
};

template <int kCount>
__device__ void read(const std::uint8_t* at, float (&values)[kCount]) {
#pragma unroll
    for (int c = 0; c < kCount; ++c) values[c] = __ldg(at + c);
}

// Returns the means over the input's pixel (x, y). kSingle: one sample per mean, as for most scales.
template <bool kSingle, int kCount>
__device__ void resample(Samples plane, CnnAxis across, CnnAxis down, int x, int y, float (&means)[kCount]) {
    if (kSingle) across.samples = down.samples = 1;
#pragma unroll
    for (float& mean : means) mean = 0.0F;
    for (int j = 0; j < down.samples; ++j) {
        const CnnTap row = cnn_tap(down, y, j);
        const std::uint8_t* above = plane.data + static_cast<std::int64_t>(row.near) * plane.pitch;
        const std::uint8_t* below = plane.data + static_cast<std::int64_t>(row.far) * plane.pitch;
#pragma unroll 4
        for (int i = 0; i < across.samples; ++i) {
            const CnnTap column = cnn_tap(across, x, i);
            float a[kCount];
            read(above + column.near * plane.step, a);
            if (column.weight == 0.0F && row.weight == 0.0F) {  // exactly on a sample: luma at native resolution
#pragma unroll
                for (int c = 0; c < kCount; ++c) means[c] += a[c];
                continue;
            }
            float b[kCount];
            float c[kCount];
            float d[kCount];
            read(above + column.far * plane.step, b);
            read(below + column.near * plane.step, c);
            read(below + column.far * plane.step, d);
#pragma unroll
            for (int n = 0; n < kCount; ++n) {
                means[n] += cnn_bilinear(a[n], b[n], c[n], d[n], column.weight, row.weight);
            }
        }
    }
    if (kSingle) return;
    const float count = static_cast<float>(across.samples * down.samples);
#pragma unroll
    for (float& mean : means) mean = mean / count;
}

template <bool kSingle>
__device__ CnnPixel pixel_of(const DeviceImage& image, const CnnColor& color, const InputPass& pass, int x, int y) {
    if (image.bgr != nullptr) {
        float means[3];
        resample<kSingle>({image.bgr, image.bgr_pitch, 3}, pass.luma_x, pass.luma_y, x, y, means);
        return {means[0], means[1], means[2]};
    }
    float luma[1];
    resample<kSingle>({image.luma, image.luma_pitch, 1}, pass.luma_x, pass.luma_y, x, y, luma);
    if (image.cb == nullptr) {
        const float value = cnn_gray(color, luma[0]);
        return {value, value, value};
    }
    if (image.cr == image.cb + 1) {
        float chroma[2];
        resample<kSingle>({image.cb, image.chroma_pitch, image.chroma_step}, pass.chroma_x, pass.chroma_y, x, y,
                          chroma);
        return cnn_color(color, luma[0], chroma[0], chroma[1]);
    }
    float cb[1];
    float cr[1];
    resample<kSingle>({image.cb, image.chroma_pitch, image.chroma_step}, pass.chroma_x, pass.chroma_y, x, y, cb);
    resample<kSingle>({image.cr, image.chroma_pitch, image.chroma_step}, pass.chroma_x, pass.chroma_y, x, y, cr);
    return cnn_color(color, luma[0], cb[0], cr[0]);
}

// One pixel per thread, or several pixels of a row, kBlockWidth apart, if each takes one sample. Values that depend on
// the row are then computed once.
template <typename T, bool kSingle>
__global__ void __launch_bounds__(kBlockWidth* kBlockHeight)
    preprocess_kernel(const __grid_constant__ PreprocessTask task) {
    constexpr int kPixels = pixels_per_thread(kSingle);
    const int first = static_cast<int>(blockIdx.x) * kBlockWidth * kPixels + threadIdx.x;
    const int y = static_cast<int>(blockIdx.y) * kBlockHeight + threadIdx.y;
    const int entry = static_cast<int>(blockIdx.z);
    trigger_launch_completion();
    wait_for_previous();
    if (first == 0 && y == 0 && entry % task.passes == 0 && task.clear[entry / task.passes] != nullptr) {
        *task.clear[entry / task.passes] = {};
    }
    if (y >= task.out.height) return;
    const InputPass pass = task.d_passes[entry % task.passes];
    const DeviceImage image = task.image[entry / task.passes];
    const CnnColor color = task.color[entry / task.passes];
    const Image<T> out(task.out, entry);
#pragma unroll
    for (int n = 0; n < kPixels; ++n) {
        const int x = first + n * kBlockWidth;
        if (x >= task.out.width) return;
        CnnPixel pixel{task.padding, task.padding, task.padding};
        if (x < pass.content_width && y < pass.content_height) {
            pixel = pixel_of<kSingle>(image, color, pass, x, y);
        }
        const float one = task.rgb ? pixel.red : pixel.blue;
        const float three = task.rgb ? pixel.blue : pixel.red;
        store4(out.at(x, y),
               {cnn_normalize(one, task.mean[0], task.scale), cnn_normalize(pixel.green, task.mean[1], task.scale),
                cnn_normalize(three, task.mean[2], task.scale), 0.0F});
    }
}

template <typename T, bool kSingle>
void launch(const PreprocessTask& task, int frames, const LaunchChain& chain) {
    constexpr int kWidth = kBlockWidth * pixels_per_thread(kSingle);
    const LaunchSize shape{dim3(static_cast<unsigned>((task.out.width + kWidth - 1) / kWidth),
                                static_cast<unsigned>((task.out.height + kBlockHeight - 1) / kBlockHeight),
                                static_cast<unsigned>(frames * task.passes)),
                           dim3(kBlockWidth, kBlockHeight), 0};
    chain.launch("preprocess_kernel", preprocess_kernel<T, kSingle>, shape, task);
}

}  // namespace

void launch_preprocess(const PreprocessTask& task, int frames, Precision precision, const LaunchChain& chain) {
    if (precision == Precision::fp32) {
        task.single ? launch<float, true>(task, frames, chain) : launch<float, false>(task, frames, chain);
    } else {
        task.single ? launch<__half, true>(task, frames, chain) : launch<__half, false>(task, frames, chain);
    }
}

}  // namespace throng::gpu
