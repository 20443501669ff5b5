// The part of the network's input that a block of the stem reads, in shared memory: made from a frame at native
// resolution, or copied from the map that the preprocessing wrote.
#pragma once

#include <type_traits>

#include "gpu/cnn/preprocess.cuh"
#include "gpu/cnn/tile_product.cuh"

namespace throng::gpu {

template <typename T>
struct alignas(8 * kParts<T>) StemPixel {
    SplitPair<T> pair[2];
};

template <typename T>
__device__ StemPixel<T> split(float4 v) {
    return {split<T>(v.x, v.y), split<T>(v.z, v.w)};
}

// The input of kColumns x kRows output pixels.
template <int kKernel, int kColumns, int kRows>
struct StemInput {
    static constexpr int kPadding = (kKernel - 1) / 2;
    static constexpr int kWidth = 2 * (kColumns - 1) + kKernel;
    static constexpr int kHeight = 2 * (kRows - 1) + kKernel;
    static constexpr int kPitch = kWidth + (7 - kWidth % 4) % 4;  // 4 n + 3: the taps of a warp are in different banks
    static constexpr int kPixels = kPitch * (kHeight + 1);        // fill_from_frame writes 2 x 2 pixels at a time
};

template <typename Input, typename T>
__device__ void fill_from_map(StemPixel<T>* tile, const Image<const T>& in, int left, int top) {
#pragma unroll 5
    for (int i = static_cast<int>(threadIdx.x); i < Input::kWidth * Input::kHeight; i += kTileThreads) {
        const int column = i % Input::kWidth;
        const int row = i / Input::kWidth;
        const bool inside = in.holds(left + column, top + row);
        const float4 v = load4(inside ? in.at(left + column, top + row) : in.data);
        tile[row * Input::kPitch + column] = inside ? split<T>(v) : StemPixel<T>{};
    }
}

// Interpolates a chroma sample of 2 x 2 pixels of the frame, the first of them odd: they lie between the same samples.
struct ChromaQuad {
    float sample[2][2];

    // rows: offsets of the two rows of samples; columns: of the two samples in a row.
    __device__ ChromaQuad(const std::uint8_t* plane, const std::int64_t (&rows)[2], const int (&columns)[2]) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            sample[i / 2][i % 2] = static_cast<float>(__ldg(plane + rows[i / 2] + columns[i % 2]));
        }
    }
    [[nodiscard]] __device__ float at(int x, int y) const {
        return cnn_bilinear(sample[0][0], sample[0][1], sample[1][0], sample[1][1], x == 0 ? 0.25F : 0.75F,
                            y == 0 ? 0.25F : 0.75F);
    }
};

// image: of the batch. The pass must be native (is_native).
template <typename Input, typename T>
__device__ void fill_from_frame(StemPixel<T>* tile, const PreprocessTask& task, const Map& in, int image, int left,
                                int top) {
    constexpr int kLead = Input::kPadding % 2 == 0 ? 1 : 0;  // the first column of 2 x 2 pixels must be odd
    constexpr int kAcross = (Input::kWidth + kLead + 1) / 2;
    constexpr int kQuads = kAcross * ((Input::kHeight + kLead + 1) / 2);
    static_assert(Input::kPitch > Input::kWidth);  // the last 2 x 2 pixels of a row end one column behind it
    const InputPass& pass = task.passes == 1 ? task.pass : task.d_passes[image % task.passes];
    const DeviceImage& frame = task.image[image / task.passes];
    const CnnColor& color = task.color[image / task.passes];
    const int frame_left = static_cast<int>(pass.luma_x.origin);
    const int frame_top = static_cast<int>(pass.luma_y.origin);
    const float4 padding = input_values(task, {task.padding, task.padding, task.padding});
    // inner: all pixels are inside the frame and the content.
    const auto fill = [&](auto inner, auto&& pixels_of) {
#pragma unroll
        for (int n = 0; n < (kQuads + kTileThreads - 1) / kTileThreads; ++n) {
            const int quad = min(static_cast<int>(threadIdx.x) + n * kTileThreads, kQuads - 1);
            const int column = quad % kAcross * 2 - kLead;
            const int row = quad / kAcross * 2 - kLead;
            const auto clamped = [&](int at, int size) { return inner ? at : min(max(at, 0), size - 1); };
            CnnPixel pixels[2][2];
            pixels_of(frame_left + left + column, frame_top + top + row, clamped, pixels);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int c = column + i % 2;
                const int r = row + i / 2;
                const int x = left + c;
                const int y = top + r;
                float4 v = input_values(task, pixels[i / 2][i % 2]);
                if (!inner && (x >= pass.content_width || y >= pass.content_height)) v = padding;
                const bool inside = inner || (x >= 0 && x < in.width && y >= 0 && y < in.height);
                if (kLead == 0 || (c >= 0 && r >= 0)) {
                    tile[r * Input::kPitch + c] = inside ? split<T>(v) : StemPixel<T>{};
                }
            }
        }
    };
    const std::false_type anywhere;
    if (frame.bgr != nullptr) {
        return fill(anywhere, [&](int x, int y, const auto& clamped, CnnPixel(&pixels)[2][2]) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const std::uint8_t* at = frame.bgr +
                                         static_cast<std::int64_t>(clamped(y + i / 2, frame.height)) * frame.bgr_pitch +
                                         clamped(x + i % 2, frame.width) * 3;
                pixels[i / 2][i % 2] = {static_cast<float>(__ldg(at)), static_cast<float>(__ldg(at + 1)),
                                        static_cast<float>(__ldg(at + 2))};
            }
        });
    }
    const auto luma = [&](int x, int y, const auto& clamped) {
        return static_cast<float>(__ldg(frame.luma +
                                        static_cast<std::int64_t>(clamped(y, frame.height)) * frame.luma_pitch +
                                        clamped(x, frame.width)));
    };
    if (frame.cb == nullptr) {
        return fill(anywhere, [&](int x, int y, const auto& clamped, CnnPixel(&pixels)[2][2]) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float gray = cnn_gray(color, luma(x + i % 2, y + i / 2, clamped));
                pixels[i / 2][i % 2] = {gray, gray, gray};
            }
        });
    }
    const auto colors = [&](int x, int y, const auto& clamped, CnnPixel(&pixels)[2][2]) {
        std::int64_t rows[2];
        int columns[2];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            columns[i] = clamped((x - 1) / 2 + i, pass.chroma_x.size) * frame.chroma_step;
            rows[i] = static_cast<std::int64_t>(clamped((y - 1) / 2 + i, pass.chroma_y.size)) * frame.chroma_pitch;
        }
        const ChromaQuad cb(frame.cb, rows, columns);
        const ChromaQuad cr(frame.cr, rows, columns);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            pixels[i / 2][i % 2] =
                cnn_color(color, luma(x + i % 2, y + i / 2, clamped), cb.at(i % 2, i / 2), cr.at(i % 2, i / 2));
        }
    };
    const int right = left - kLead + 2 * kAcross;
    const int bottom = top - kLead + kQuads / kAcross * 2;
    const bool inner = left > 0 && top > 0 && right <= min(pass.content_width, frame.width - frame_left) &&
                       bottom <= min(pass.content_height, frame.height - frame_top);
    inner ? fill(std::true_type{}, colors) : fill(anywhere, colors);
}

}  // namespace throng::gpu
