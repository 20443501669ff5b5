#include "gpu/cnn/elements.cuh"
#include "gpu/cnn/preprocess.cuh"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {
namespace {

constexpr int kBlockWidth = 32;
constexpr int kBlockHeight = 8;

// Interleaved channels: channel c of the sample (x, y) is data[y * pitch + x * step + c].
struct Samples {
    const std::uint8_t* data;
    int pitch;
    int step;
};

// Returns the means over the input's pixel (x, y).
template <int kCount>
__device__ void resample(Samples plane, CnnAxis across, CnnAxis down, int x, int y, float (&means)[kCount]) {
#pragma unroll
    for (float& mean : means) mean = 0.0F;
    for (int j = 0; j < down.samples; ++j) {
        const CnnTap row = cnn_tap(down, y, j);
        const std::uint8_t* above = plane.data + static_cast<std::int64_t>(row.near) * plane.pitch;
        const std::uint8_t* below = plane.data + static_cast<std::int64_t>(row.far) * plane.pitch;
#pragma unroll 4
        for (int i = 0; i < across.samples; ++i) {
            const CnnTap column = cnn_tap(across, x, i);
            const int near = column.near * plane.step;
            const int far = column.far * plane.step;
#pragma unroll
            for (int n = 0; n < kCount; ++n) {
                means[n] += cnn_bilinear(__ldg(above + near + n), __ldg(above + far + n), __ldg(below + near + n),
                                         __ldg(below + far + n), column.weight, row.weight);
            }
        }
    }
    const float count = static_cast<float>(across.samples * down.samples);
#pragma unroll
    for (float& mean : means) mean = mean / count;
}

__device__ CnnPixel pixel_of(const DeviceImage& image, const CnnColor& color, const InputPass& pass, int x, int y) {
    if (image.bgr != nullptr) {
        float means[3];
        resample({image.bgr, image.bgr_pitch, 3}, pass.luma_x, pass.luma_y, x, y, means);
        return {means[0], means[1], means[2]};
    }
    float luma[1];
    resample({image.luma, image.luma_pitch, 1}, pass.luma_x, pass.luma_y, x, y, luma);
    if (image.cb == nullptr) {
        const float value = cnn_gray(color, luma[0]);
        return {value, value, value};
    }
    if (image.cr == image.cb + 1) {
        float chroma[2];
        resample({image.cb, image.chroma_pitch, image.chroma_step}, pass.chroma_x, pass.chroma_y, x, y, chroma);
        return cnn_color(color, luma[0], chroma[0], chroma[1]);
    }
    float cb[1];
    float cr[1];
    resample({image.cb, image.chroma_pitch, image.chroma_step}, pass.chroma_x, pass.chroma_y, x, y, cb);
    resample({image.cr, image.chroma_pitch, image.chroma_step}, pass.chroma_x, pass.chroma_y, x, y, cr);
    return cnn_color(color, luma[0], cb[0], cr[0]);
}

// One pixel per thread.
template <typename T>
__global__ void __launch_bounds__(kBlockWidth* kBlockHeight)
    preprocess_kernel(const __grid_constant__ PreprocessTask task) {
    const int x = static_cast<int>(blockIdx.x) * kBlockWidth + threadIdx.x;
    const int y = static_cast<int>(blockIdx.y) * kBlockHeight + threadIdx.y;
    const int image = static_cast<int>(blockIdx.z);
    start_kernel();
    if (x == 0 && y == 0) clear_count(task, image);
    if (x >= task.out.width || y >= task.out.height) return;
    const InputPass pass = task.passes == 1 ? task.pass : task.d_passes[image % task.passes];
    CnnPixel pixel{task.padding, task.padding, task.padding};
    if (x < pass.content_width && y < pass.content_height) {
        pixel = pixel_of(task.image[image / task.passes], task.color[image / task.passes], pass, x, y);
    }
    store(Image<T>(task.out, image).at(x, y), input_values(task, pixel));
}

}  // namespace

void launch_preprocess(const PreprocessTask& task, int images, Precision precision, const LaunchChain& chain) {
    const LaunchSize shape{
        dim3(static_cast<unsigned>((task.out.width + kBlockWidth - 1) / kBlockWidth),
             static_cast<unsigned>((task.out.height + kBlockHeight - 1) / kBlockHeight), static_cast<unsigned>(images)),
        dim3(kBlockWidth, kBlockHeight), 0};
    chain.launch("preprocess_kernel",
                 precision == Precision::fp32 ? preprocess_kernel<float> : preprocess_kernel<__half>, shape, task);
}

}  // namespace throng::gpu
