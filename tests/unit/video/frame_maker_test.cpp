#include "core/video/frame_maker.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/base/error.h"
#include "core/video/convert.h"

extern "C" {
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
        FrameMaker maker(false);
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
    FrameMaker maker(false);
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
        FrameMaker maker(false);
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
        FrameMaker maker(false);
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
        FrameMaker maker(false);
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

TEST(FrameMaker, TenBitsBecomeEight) {
    av::FramePtr image = decoded(AV_PIX_FMT_YUV420P10LE, 16, 16, 0);
    for (int p = 0; p < 3; ++p) {
        for (int y = 0; y < (p == 0 ? 16 : 8); ++y) {
            auto* row = reinterpret_cast<std::uint16_t*>(image->data[p] + y * image->linesize[p]);
            for (int x = 0; x < (p == 0 ? 16 : 8); ++x) row[x] = static_cast<std::uint16_t>(400 + 100 * p);
        }
    }
    FrameMaker maker(false);
    const Frame frame = maker.make(std::move(image), {});
    EXPECT_EQ(frame.info().format, PixelFormat::yuv420p);
    EXPECT_NEAR(frame.plane(0).data[5], 100, 1);
    EXPECT_NEAR(frame.plane(1).data[5], 125, 1);
    EXPECT_NEAR(frame.plane(2).data[5], 150, 1);
}

TEST(FrameMaker, RgbBecomesBgrAndDeepGrayBecomesGray) {
    av::FramePtr rgb = decoded(AV_PIX_FMT_RGB0, 9, 3);
    for (int i = 0; i < 9; ++i) std::memcpy(rgb->data[0] + 4 * i, "\x0A\x14\x1E\xFF", 4);
    FrameMaker maker(false);
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
    FrameMaker maker(false);
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
