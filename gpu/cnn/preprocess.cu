#include "gpu/cnn/elements.cuh"
#include "gpu/cnn/launch.cuh"
#include "gpu/cnn/preprocess.h"

namespace throng::gpu {
namespace {

constexpr int kBlockWidth = 32;
constexpr int kBlockHeight = 8;

// One channel of a plane: the sample (x, y) lies at data[y * pitch + x * step].
struct Samples {
    const std::uint8_t* data;
    int pitch;
    int step;
};

__device__ float sample(Samples plane, CnnTap x, CnnTap y) {
    const std::uint8_t* above = plane.data + static_cast<std::int64_t>(y.near) * plane.pitch;
    const std::uint8_t* below = plane.data + static_cast<std::int64_t>(y.far) * plane.pitch;
    return cnn_bilinear(__ldg(above + x.near * plane.step), __ldg(above + x.far * plane.step),
                        __ldg(below + x.near * plane.step), __ldg(below + x.far * plane.step), x.weight, y.weight);
}

// The means of kCount channels that lie in the same places.
template <int kCount>
__device__ void resample(const Samples (&planes)[kCount], CnnAxis across, CnnAxis down, int x, int y,
                         float (&means)[kCount]) {
#pragma unroll
    for (float& mean : means) mean = 0.0F;
    for (int j = 0; j < down.samples; ++j) {
        const CnnTap row = cnn_tap(down, y, j);
        for (int i = 0; i < across.samples; ++i) {
            const CnnTap column = cnn_tap(across, x, i);
#pragma unroll
            for (int c = 0; c < kCount; ++c) means[c] += sample(planes[c], column, row);
        }
    }
    const float count = static_cast<float>(across.samples * down.samples);
#pragma unroll
    for (float& mean : means) mean = mean / count;
}

template <typename T>
__global__ void __launch_bounds__(kBlockWidth* kBlockHeight)
    preprocess_kernel(const __grid_constant__ PreprocessTask task) {
    const int x = static_cast<int>(blockIdx.x) * kBlockWidth + threadIdx.x;
    const int y = static_cast<int>(blockIdx.y) * kBlockHeight + threadIdx.y;
    const int image = static_cast<int>(blockIdx.z);
    release_next();
    wait_for_previous();
    if (x == 0 && y == 0 && image % task.passes == 0 && task.clear[image / task.passes] != nullptr) {
        *task.clear[image / task.passes] = {};
    }
    if (x >= task.out.width || y >= task.out.height) return;
    const DevicePicture& picture = task.picture[image / task.passes];
    const CnnColor& color = task.color[image / task.passes];
    const InputPass pass = task.d_passes[image % task.passes];
    CnnPixel pixel{0.0F, 0.0F, 0.0F};
    if (x < pass.content_width && y < pass.content_height) {
        if (picture.bgr != nullptr) {
            const Samples planes[3] = {{picture.bgr, picture.bgr_pitch, 3},
                                       {picture.bgr + 1, picture.bgr_pitch, 3},
                                       {picture.bgr + 2, picture.bgr_pitch, 3}};
            float means[3];
            resample(planes, pass.luma_x, pass.luma_y, x, y, means);
            pixel = {means[0], means[1], means[2]};
        } else {
            const Samples luma[1] = {{picture.luma, picture.luma_pitch, 1}};
            float grey[1];
            resample(luma, pass.luma_x, pass.luma_y, x, y, grey);
            if (picture.cb != nullptr) {
                const Samples planes[2] = {{picture.cb, picture.chroma_pitch, picture.chroma_step},
                                           {picture.cr, picture.chroma_pitch, picture.chroma_step}};
                float chroma[2];
                resample(planes, pass.chroma_x, pass.chroma_y, x, y, chroma);
                pixel = cnn_color(color, grey[0], chroma[0], chroma[1]);
            } else {
                const float value = cnn_grey(color, grey[0]);
                pixel = {value, value, value};
            }
        }
    }
    const float first = task.rgb ? pixel.red : pixel.blue;
    const float third = task.rgb ? pixel.blue : pixel.red;
    store4(element<T>(task.out, image, x, y),
           {cnn_normalise(first, task.mean, task.scale), cnn_normalise(pixel.green, task.mean, task.scale),
            cnn_normalise(third, task.mean, task.scale), 0.0F});
}

}  // namespace

void launch_preprocess(const PreprocessTask& task, int frames, Precision precision, const Chain& chain) {
    const LaunchShape shape{dim3(static_cast<unsigned>((task.out.width + kBlockWidth - 1) / kBlockWidth),
                                 static_cast<unsigned>((task.out.height + kBlockHeight - 1) / kBlockHeight),
                                 static_cast<unsigned>(frames * task.passes)),
                            dim3(kBlockWidth, kBlockHeight), 0};
    launch_chained(precision == Precision::fp32 ? preprocess_kernel<float> : preprocess_kernel<__half>,
                   "preprocess_kernel", shape, chain, task);
}

}  // namespace throng::gpu
