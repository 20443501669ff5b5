#include "core/video/frame_maker.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "core/algo/narrow.h"
#include "core/base/error.h"
#include "core/video/convert.h"
#include "tests/support/random.h"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/pixdesc.h>
}

namespace throng {
namespace {

av::FramePtr decoded(AVPixelFormat format, int width, int height, int fill = 100) {
    av::FramePtr image = av::make_frame();
    image->format = format;
    image->width = width;
    image->height = height;
    EXPECT_GE(av_frame_get_buffer(image.get(), 0), 0);
    for (int p = 0; p < AV_NUM_DATA_POINTERS && image->buf[p] != nullptr; ++p) {
        std::memset(image->buf[p]->data, fill, image->buf[p]->size);
    }
    return image;
}

TEST(FrameMaker, SupportedFormatsAreNotCopied) {
    const std::pair<AVPixelFormat, PixelFormat> cases[] = {{AV_PIX_FMT_YUV420P, PixelFormat::yuv420p},
                                                           {AV_PIX_FMT_YUVJ420P, PixelFormat::yuv420p},
                                                           {AV_PIX_FMT_NV12, PixelFormat::nv12},
                                                           {AV_PIX_FMT_GRAY8, PixelFormat::gray8},
                                                           {AV_PIX_FMT_BGR24, PixelFormat::bgr24}};
    for (const auto& [from, to] : cases) {
        av::FramePtr image = decoded(from, 33, 17);
        const std::uint8_t* planes[3] = {image->data[0], image->data[1], image->data[2]};
        const int pitch = image->linesize[0];
        FrameMaker maker;
        const Frame frame = maker.make(std::move(image), {});
        EXPECT_EQ(frame.info().format, to);
        for (int p = 0; p < plane_count(to); ++p) EXPECT_EQ(frame.plane(p).data, planes[p]) << from << " plane " << p;
        EXPECT_EQ(frame.plane(0).pitch, pitch);
        EXPECT_EQ(frame.plane(0).data[0], 100) << "the owner keeps the memory valid";
    }
}

TEST(FrameMaker, OpaquePlanesAreNotCopied) {
    av::FramePtr image = decoded(AV_PIX_FMT_YUVA420P, 33, 17);
    for (int y = 0; y < 17; ++y) std::memset(image->data[3] + y * image->linesize[3], 255, 33);
    const std::uint8_t* luma = image->data[0];
    FrameMaker maker;
    EXPECT_EQ(maker.make(std::move(image), {}).plane(0).data, luma);
    EXPECT_FALSE(maker.composed());
}

// Fills a frame with one color, and its alpha: transparent at the left, half in the middle, opaque at the right.
av::FramePtr with_alpha(AVPixelFormat format, int color) {
    constexpr int kWidth = 48;
    constexpr int kHeight = 16;
    av::FramePtr bgra = decoded(AV_PIX_FMT_BGRA, kWidth, kHeight);
    for (int y = 0; y < kHeight; ++y) {
        for (int x = 0; x < kWidth; ++x) {
            std::uint8_t* pixel = bgra->data[0] + y * bgra->linesize[0] + 4 * x;
            std::memset(pixel, color, 3);
            pixel[3] = x < 16 ? 0 : x < 32 ? 128 : 255;
        }
    }
    if (format == AV_PIX_FMT_BGRA) return bgra;
    av::FramePtr image = decoded(format, kWidth, kHeight, 0);
    if (format == AV_PIX_FMT_PAL8) {  // FFmpeg converts to no palette
        for (int y = 0; y < kHeight; ++y) {
            for (int x = 0; x < kWidth; ++x)
                image->data[0][y * image->linesize[0] + x] = static_cast<std::uint8_t>(x / 16);
        }
        const std::uint32_t gray = static_cast<std::uint32_t>(color) * 0x010101U;
        const std::uint32_t palette[] = {gray, gray | 0x80000000U, gray | 0xFF000000U};
        std::memcpy(image->data[1], palette, sizeof palette);
        return image;
    }
    const av::ScalerPtr scaler(sws_getContext(kWidth, kHeight, AV_PIX_FMT_BGRA, kWidth, kHeight, format,
                                              SWS_POINT | SWS_ACCURATE_RND, nullptr, nullptr, nullptr));
    EXPECT_NE(scaler, nullptr);
    EXPECT_GT(sws_scale(scaler.get(), bgra->data, bgra->linesize, 0, kHeight, image->data, image->linesize), 0);
    return image;
}

TEST(FrameMaker, TransparentPixelsOfEveryFormatAreComposedOverWhite) {
    for (const AVPixelFormat format :
         {AV_PIX_FMT_BGRA, AV_PIX_FMT_ARGB, AV_PIX_FMT_RGBA, AV_PIX_FMT_ABGR, AV_PIX_FMT_RGBA64LE, AV_PIX_FMT_RGBA64BE,
          AV_PIX_FMT_GBRAP, AV_PIX_FMT_GBRAP10LE, AV_PIX_FMT_GBRAP12LE, AV_PIX_FMT_GBRAP16LE, AV_PIX_FMT_YA8,
          AV_PIX_FMT_YA16LE, AV_PIX_FMT_PAL8, AV_PIX_FMT_YUVA420P, AV_PIX_FMT_YUVA422P, AV_PIX_FMT_YUVA444P,
          AV_PIX_FMT_YUVA420P10LE, AV_PIX_FMT_YUVA444P10LE, AV_PIX_FMT_YUVA444P16LE}) {
        const AVPixFmtDescriptor* descriptor = av_pix_fmt_desc_get(format);
        SCOPED_TRACE(descriptor->name);
        FrameMaker maker;
        const Frame frame = maker.make(with_alpha(format, 60), {});
        EXPECT_TRUE(maker.composed());
        PixelConverter converter;
        FramePool pool;
        const Frame bgr = converter.bgr_copy(frame, pool).finish();
        for (const auto& [x, expected] : {std::pair(5, 255), std::pair(24, 157), std::pair(40, 60)}) {
            for (int c = 0; c < 3; ++c) {
                EXPECT_NEAR(bgr.plane(0).data[5 * bgr.plane(0).pitch + 3 * x + c], expected, 3) << x;
            }
        }
        if (format == AV_PIX_FMT_YUVA420P) {
            EXPECT_EQ(frame.info().format, PixelFormat::yuv420p);
        }

        maker.ignore_alpha(true);
        const Frame ignored = converter.bgr_copy(maker.make(with_alpha(format, 60), {}), pool).finish();
        EXPECT_NEAR(ignored.plane(0).data[5 * ignored.plane(0).pitch + 3 * 5], 60, 3);
        EXPECT_FALSE(maker.composed());
    }
    // The fourth byte of these formats means nothing.
    for (const AVPixelFormat format : {AV_PIX_FMT_BGR0, AV_PIX_FMT_0RGB}) {
        FrameMaker maker;
        const Frame frame = maker.make(decoded(format, 16, 16, 0), {});
        EXPECT_EQ(frame.plane(0).data[0], 0);
        EXPECT_FALSE(maker.composed());
    }
}

TEST(FrameMaker, OtherChromaSubsamplingSharesTheLuma) {
    for (const AVPixelFormat format : {AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUV444P}) {
        av::FramePtr image = decoded(format, 5, 5);
        const int samples = format == AV_PIX_FMT_YUV444P ? 5 : 3;
        for (int y = 0; y < 5; ++y) {
            for (int x = 0; x < samples; ++x) {
                image->data[1][y * image->linesize[1] + x] = static_cast<std::uint8_t>(10 * y);
                image->data[2][y * image->linesize[2] + x] = static_cast<std::uint8_t>(10 * x);
            }
        }
        const std::uint8_t* luma = image->data[0];
        FrameMaker maker;
        const Frame frame = maker.make(std::move(image), {});
        EXPECT_EQ(frame.info().format, PixelFormat::yuv420p);
        EXPECT_EQ(frame.plane(0).data, luma);
        const PlaneView& u = frame.plane(1);
        const PlaneView& v = frame.plane(2);
        EXPECT_EQ(u.data[0], 5);             // rows 0 and 1
        EXPECT_EQ(u.data[2 * u.pitch], 40);  // the last row alone
        EXPECT_EQ(v.data[2], format == AV_PIX_FMT_YUV444P ? 40 : 20);
        EXPECT_EQ(v.data[0], format == AV_PIX_FMT_YUV444P ? 5 : 0);
    }
}

// Planar, and luma with interleaved chroma in the upper bits (P010). With the planar frame of a decoder in software, only
// what limited range needs is exact: swscale scales full range, and dithers the last plane differently.
TEST(FrameMaker, TenBitsBecomeEight) {
    std::mt19937_64 random(test::seed(31));
    for (const auto& [width, height] : {std::pair{16, 16}, {33, 21}, {1, 1}, {322, 46}}) {
        av::FramePtr planar = decoded(AV_PIX_FMT_YUV420P10LE, width, height, 0);
        av::FramePtr packed = decoded(AV_PIX_FMT_P010LE, width, height, 0);
        packed->color_range = width == 33 ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
        const auto row = [](const av::FramePtr& image, int p, int y) {
            return reinterpret_cast<std::uint16_t*>(image->data[p] + y * image->linesize[p]);
        };
        std::vector<std::uint8_t> expected[3];
        for (int p = 0; p < 3; ++p) {
            const PlaneView shape = plane_shape(PixelFormat::yuv420p, width, height, p);
            for (int y = 0; y < shape.height; ++y) {
                for (int x = 0; x < shape.width; ++x) {
                    const auto sample = static_cast<std::uint16_t>(random() % 1024);
                    row(planar, p, y)[x] = sample;
                    (p == 0 ? row(packed, 0, y)[x] : row(packed, 1, y)[2 * x + p - 1]) =
                        static_cast<std::uint16_t>(sample << 6);
                    expected[p].push_back(narrow(sample, p == 2 ? x + 1 : x, y));
                }
            }
        }
        FrameMaker maker;
        const Frame frames[] = {maker.make(std::move(packed), {}), maker.make(std::move(planar), {})};
        for (const Frame& frame : frames) {
            ASSERT_EQ(frame.info().format, PixelFormat::yuv420p);
            for (int p = 0; p < (&frame == frames ? 3 : 2); ++p) {
                const PlaneView& plane = frame.plane(p);
                for (int y = 0; y < plane.height; ++y) {
                    EXPECT_EQ(std::memcmp(plane.data + y * plane.pitch, expected[p].data() + y * plane.width,
                                          static_cast<std::size_t>(plane.width)),
                              0)
                        << width << "x" << height << " plane " << p << " row " << y;
                }
            }
        }
    }
}

// A frame with 10 bits in device memory goes to the converter, which gets an owner of it.
TEST(FrameMaker, TenBitsRemainOnTheDevice) {
    static std::shared_ptr<const void> owned;
    static std::vector<PlaneView> given;
    class Recorder final : public DeviceConverter {
    public:
        Frame to_nv12(FrameInfo info, const PlaneView (&from)[2], std::shared_ptr<const void> owner) override {
            given.assign(std::begin(from), std::end(from));
            owned = std::move(owner);
            const PlaneView planes[Frame::kMaxPlanes] = {from[0], from[1]};
            return {info, planes, nullptr};
        }
        DevicePlanes register_image(void*) override { return {}; }
        bool can_read(const void*) override { return false; }
        Frame wrap(FrameInfo, const PlaneView (&)[2], std::shared_ptr<const void>) override { return {}; }
    };
    av::BufferPtr device(av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_CUDA));
    if (!device) GTEST_SKIP() << "skipped: FFmpeg without CUDA";
    av::FramePtr image = decoded(AV_PIX_FMT_P010LE, 34, 18);
    image->hw_frames_ctx = av_hwframe_ctx_alloc(device.get());
    reinterpret_cast<AVHWFramesContext*>(image->hw_frames_ctx->data)->sw_format = AV_PIX_FMT_P010LE;
    image->format = AV_PIX_FMT_CUDA;
    image->colorspace = AVCOL_SPC_BT2020_NCL;
    const std::uint8_t* chroma = image->data[1];
    AVBufferRef* buffer = image->buf[0];

    SourceOptions options;
    options.prefer_device_frames = true;
    options.device = 3;
    options.make_converter = [](int number) -> std::unique_ptr<DeviceConverter> {
        EXPECT_EQ(number, 3);
        return std::make_unique<Recorder>();
    };
    const av::BufferPtr watched(av_buffer_ref(buffer));
    const Frame frame = FrameMaker(options).make(std::move(image), {});
    EXPECT_EQ(frame.info().memory, MemoryKind::device);
    EXPECT_EQ(frame.info().format, PixelFormat::nv12);
    EXPECT_EQ(frame.info().matrix, ColorMatrix::bt2020);
    ASSERT_EQ(given.size(), 2U);
    EXPECT_EQ(given[1].data, chroma);
    EXPECT_EQ(av_buffer_get_ref_count(watched.get()), 2) << "the decoder's frame has an owner";
    owned.reset();
    EXPECT_EQ(av_buffer_get_ref_count(watched.get()), 1);
}

TEST(FrameMaker, RgbBecomesBgrAndDeepGrayBecomesGray) {
    av::FramePtr rgb = decoded(AV_PIX_FMT_RGB0, 9, 3);
    for (int i = 0; i < 9; ++i) std::memcpy(rgb->data[0] + 4 * i, "\x0A\x14\x1E\xFF", 4);
    FrameMaker maker;
    const Frame bgr = maker.make(std::move(rgb), {});
    ASSERT_EQ(bgr.info().format, PixelFormat::bgr24);
    EXPECT_EQ(bgr.info().range, ColorRange::full);
    EXPECT_EQ(bgr.plane(0).data[0], 0x1E);
    EXPECT_EQ(bgr.plane(0).data[2], 0x0A);

    const Frame gray = maker.make(decoded(AV_PIX_FMT_GRAY16LE, 9, 3, 0x80), {});
    ASSERT_EQ(gray.info().format, PixelFormat::gray8);
    EXPECT_NEAR(gray.plane(0).data[0], 0x80, 1);
}

TEST(FrameMaker, RangeAndMatrixAreReadOrGuessed) {
    av::FramePtr image = decoded(AV_PIX_FMT_YUV420P, 64, 64);
    EXPECT_EQ(describe(*image).range, ColorRange::limited);
    EXPECT_EQ(describe(*image).matrix, ColorMatrix::bt601);
    image->width = 1280;
    EXPECT_EQ(describe(*image).matrix, ColorMatrix::bt709);
    image->format = AV_PIX_FMT_YUVJ420P;
    EXPECT_EQ(describe(*image).range, ColorRange::full);
    EXPECT_EQ(describe(*image).matrix, ColorMatrix::bt601);
    image->format = AV_PIX_FMT_YUV420P;
    image->color_range = AVCOL_RANGE_JPEG;
    image->colorspace = AVCOL_SPC_BT2020_NCL;
    EXPECT_EQ(describe(*image).range, ColorRange::full);
    EXPECT_EQ(describe(*image).matrix, ColorMatrix::bt2020);
}

TEST(FrameMaker, OnePixel) {
    FrameMaker maker;
    for (const AVPixelFormat format :
         {AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV444P, AV_PIX_FMT_RGB24, AV_PIX_FMT_YUV420P10LE}) {
        const Frame frame = maker.make(decoded(format, 1, 1), {});
        EXPECT_EQ(frame.width(), 1);
    }
}

// Orientation: the destination of the pixel (x, y) of the stored image, by the definition of the matrix.
struct MatrixCase {
    const char* name;
    std::int32_t a, b, c, d;
};
class OrientationOf : public testing::TestWithParam<MatrixCase> {};

TEST_P(OrientationOf, MapsEveryPixelLikeTheMatrix) {
    const MatrixCase& matrix = GetParam();
    const std::int32_t numbers[9] = {matrix.a * 65536, matrix.b * 65536, 0, matrix.c * 65536, matrix.d * 65536, 0, 0, 0,
                                     1 << 30};
    const Orientation orientation = orientation_of(numbers);

    constexpr int kWidth = 5;
    constexpr int kHeight = 3;
    FramePool pool;
    for (const PixelFormat format : {PixelFormat::gray8, PixelFormat::bgr24}) {
        const int channels = format == PixelFormat::bgr24 ? 3 : 1;
        WritableFrame stored = pool.take(format, kWidth, kHeight);
        for (int y = 0; y < kHeight; ++y) {
            for (int x = 0; x < kWidth * channels; ++x) {
                stored.data(0)[y * stored.plane(0).pitch + x] = static_cast<std::uint8_t>(20 * y + x);
            }
        }
        const Frame before = std::move(stored).finish();
        const Frame after = rotated(before, orientation, pool);
        const bool transposed = matrix.a == 0;
        ASSERT_EQ(after.width(), transposed ? kHeight : kWidth);
        ASSERT_EQ(after.height(), transposed ? kWidth : kHeight);
        for (int y = 0; y < kHeight; ++y) {
            for (int x = 0; x < kWidth; ++x) {
                int to_x = matrix.a * x + matrix.c * y;
                int to_y = matrix.b * x + matrix.d * y;
                if (matrix.a + matrix.c < 0) to_x += after.width() - 1;  // the translation moves it back into the image
                if (matrix.b + matrix.d < 0) to_y += after.height() - 1;
                const std::uint8_t* from = before.plane(0).data + y * before.plane(0).pitch + channels * x;
                const std::uint8_t* to = after.plane(0).data + to_y * after.plane(0).pitch + channels * to_x;
                ASSERT_EQ(std::memcmp(from, to, static_cast<std::size_t>(channels)), 0) << x << ", " << y;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, OrientationOf,
                         testing::Values(MatrixCase{"identity", 1, 0, 0, 1}, MatrixCase{"quarter", 0, 1, -1, 0},
                                         MatrixCase{"half", -1, 0, 0, -1}, MatrixCase{"three_quarters", 0, -1, 1, 0},
                                         MatrixCase{"mirror", -1, 0, 0, 1}, MatrixCase{"upside_down", 1, 0, 0, -1},
                                         MatrixCase{"transpose", 0, 1, 1, 0}, MatrixCase{"transverse", 0, -1, -1, 0}),
                         [](const auto& chosen) { return chosen.param.name; });

TEST(Orientation, ADegenerateMatrixChangesNothing) {
    const std::int32_t zero[9] = {};
    EXPECT_TRUE(orientation_of(zero).is_identity());
}

}  // namespace
}  // namespace throng
