#include <cuda_runtime.h>

#include "core/algo/gray.h"
#include "core/algo/narrow.h"
#include "core/model/cnn_plan.h"
#include "gpu/frame/convert.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {
namespace {

constexpr int kBlockWidth = 32;
constexpr int kBlockHeight = 8;

LaunchSize size_for(int width, int height) {
    return {dim3((width + kBlockWidth - 1) / kBlockWidth, (height + kBlockHeight - 1) / kBlockHeight),
            dim3(kBlockWidth, kBlockHeight)};
}

__global__ void gray_kernel(const std::uint8_t* bgr, int bgr_pitch, int width, int height, std::uint8_t* gray,
                            int gray_pitch) {
    const int x = blockIdx.x * kBlockWidth + threadIdx.x;
    const int y = blockIdx.y * kBlockHeight + threadIdx.y;
    if (x >= width || y >= height) return;
    const std::uint8_t* at = bgr + static_cast<std::int64_t>(y) * bgr_pitch + 3 * x;
    gray[static_cast<std::int64_t>(y) * gray_pitch + x] = gray_of_bgr(at[0], at[1], at[2]);
}

// channels: 2 where two planes are interleaved. width: samples of all of them.
__global__ void narrow_kernel(const std::uint8_t* from, std::int64_t from_pitch, int channels, int width, int height,
                              std::uint8_t* to, std::int64_t to_pitch) {
    const int x = blockIdx.x * kBlockWidth + threadIdx.x;
    const int y = blockIdx.y * kBlockHeight + threadIdx.y;
    if (x >= width || y >= height) return;
    const int sample = reinterpret_cast<const std::uint16_t*>(from + y * from_pitch)[x] >> 6;
    to[y * to_pitch + x] = narrow(sample, x / channels + x % channels, y);
}

__device__ unsigned char rounded(float value) {
    return static_cast<unsigned char>(value + 0.5F);
}

__global__ void rgba_kernel(DeviceImage frame, CnnColor color, std::uint8_t* rgba, int rgba_pitch) {
    const int x = blockIdx.x * kBlockWidth + threadIdx.x;
    const int y = blockIdx.y * kBlockHeight + threadIdx.y;
    if (x >= frame.width || y >= frame.height) return;
    float cb = 128;
    float cr = 128;
    if (frame.cb != nullptr) {
        const std::int64_t at = static_cast<std::int64_t>(y / 2) * frame.chroma_pitch + x / 2 * frame.chroma_step;
        cb = frame.cb[at];
        cr = frame.cr[at];
    }
    const CnnPixel pixel = cnn_color(color, frame.luma[static_cast<std::int64_t>(y) * frame.luma_pitch + x], cb, cr);
    *reinterpret_cast<uchar4*>(rgba + static_cast<std::int64_t>(y) * rgba_pitch + 4 * x) =
        make_uchar4(rounded(pixel.red), rounded(pixel.green), rounded(pixel.blue), 255);
}

}  // namespace

void enqueue_gray(const std::uint8_t* bgr, int bgr_pitch, int width, int height, std::uint8_t* gray, int gray_pitch,
                  StreamView stream) {
    LaunchChain(stream, false)
        .launch("gray_kernel", gray_kernel, size_for(width, height), bgr, bgr_pitch, width, height, gray, gray_pitch);
}

void enqueue_narrow(const PlaneView& from, int plane, const PlaneView& shape, std::uint8_t* to, StreamView stream) {
    LaunchChain(stream, false)
        .launch("narrow_kernel", narrow_kernel, size_for(shape.width, shape.height), from.data,
                std::int64_t{from.pitch}, plane + 1, shape.width, shape.height, to, std::int64_t{shape.pitch});
}

void enqueue_rgba(const DeviceImage& frame, const FrameInfo& info, std::uint8_t* rgba, int rgba_pitch,
                  StreamView stream) {
    LaunchChain(stream, false)
        .launch("rgba_kernel", rgba_kernel, size_for(frame.width, frame.height), frame, cnn_color_of(info), rgba,
                rgba_pitch);
}

}  // namespace throng::gpu
