// The rows of the CPU's input equal the definition per pixel in core/algo/cnn_input.h, bit for bit.
#include "core/cpu/cnn_input.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/cpu/cnn_strips.h"
#include "core/detect/null_recorder.h"
#include "core/frame/frame_pool.h"
#include "tests/support/random.h"
#include "tests/support/strip_frame.h"

namespace throng {
namespace {

Frame random_frame(PixelFormat format, int width, int height, std::uint64_t seed) {
    FramePool pool;
    WritableFrame frame = pool.take(format, width, height);
    std::uint64_t state = seed * 2654435761U + 1;
    for (int p = 0; p < plane_count(format); ++p) {
        const PlaneView plane = frame.plane(p);
        for (int y = 0; y < plane.height; ++y) {
            for (int x = 0; x < plane.width; ++x) {
                state = state * 6364136223846793005U + 1442695040888963407U;
                frame.data(p)[y * plane.pitch + x] = static_cast<std::uint8_t>(state >> 56U);
            }
        }
    }
    return std::move(frame).finish();
}

float mean_of(const std::uint8_t* first, std::ptrdiff_t pitch, int step, const CnnAxis& across, const CnnAxis& down,
              int x, int y) {
    float sum = 0;
    for (int j = 0; j < down.samples; ++j) {
        const CnnTap row = cnn_tap(down, y, j);
        for (int i = 0; i < across.samples; ++i) {
            const CnnTap column = cnn_tap(across, x, i);
            const auto at = [&](int px, int py) { return static_cast<float>(first[py * pitch + px * step]); };
            sum += cnn_bilinear(at(column.near, row.near), at(column.far, row.near), at(column.near, row.far),
                                at(column.far, row.far), column.weight, row.weight);
        }
    }
    return sum / static_cast<float>(across.samples * down.samples);
}

CnnPixel pixel_of(const Frame& frame, const CnnPass& pass, int x, int y) {
    const PlaneView& first = frame.plane(0);
    const CnnAxis across = horizontal_axis(pass, frame.width(), false);
    const CnnAxis down = vertical_axis(pass, frame.height(), false);
    if (frame.info().format == PixelFormat::bgr24) {
        return {mean_of(first.data, first.pitch, 3, across, down, x, y),
                mean_of(first.data + 1, first.pitch, 3, across, down, x, y),
                mean_of(first.data + 2, first.pitch, 3, across, down, x, y)};
    }
    const CnnColor color = cnn_color_of(frame.info());
    const float luma = mean_of(first.data, first.pitch, 1, across, down, x, y);
    if (frame.info().format == PixelFormat::gray8) {
        const float gray = cnn_gray(color, luma);
        return {gray, gray, gray};
    }
    const CnnAxis c_across = horizontal_axis(pass, (frame.width() + 1) / 2, true);
    const CnnAxis c_down = vertical_axis(pass, (frame.height() + 1) / 2, true);
    const bool nv12 = frame.info().format == PixelFormat::nv12;
    const PlaneView& u = frame.plane(1);
    const PlaneView& v = nv12 ? u : frame.plane(2);
    return cnn_color(color, luma, mean_of(u.data, u.pitch, nv12 ? 2 : 1, c_across, c_down, x, y),
                     mean_of(nv12 ? v.data + 1 : v.data, v.pitch, nv12 ? 2 : 1, c_across, c_down, x, y));
}

class CnnInputTest : public ::testing::TestWithParam<PixelFormat> {};

TEST_P(CnnInputTest, EqualsTheDefinitionBitForBit) {
    ThreadPool pool(3);
    CnnInputMaker maker;
    for (const double scale : {1.0, 0.25, 0.37, 1.9}) {
        const Frame frame = random_frame(GetParam(), 101, 67, 5);
        CnnPass pass;
        pass.content_width = static_cast<int>(101 * scale);
        pass.content_height = static_cast<int>(67 * scale);
        pass.width = (pass.content_width + 31) / 32 * 32;
        pass.height = (pass.content_height + 31) / 32 * 32;
        pass.placement = {0, 0, 101.0F / static_cast<float>(pass.content_width),
                          67.0F / static_cast<float>(pass.content_height)};
        NetworkInput input;
        input.rgb = true;
        input.mean = {127, 117, 104};
        input.scale = 1.0F / 128;
        input.padding = 114;
        std::vector<float> planes(3 * static_cast<std::size_t>(pass.width) * static_cast<std::size_t>(pass.height),
                                  7.0F);
        maker.make(frame, pass, input, pool, {planes.data(), pass.width, std::ptrdiff_t{pass.width} * pass.height});
        const auto value = [&](int c, int x, int y) {
            return planes[(static_cast<std::size_t>(c) * static_cast<std::size_t>(pass.height) +
                           static_cast<std::size_t>(y)) *
                              static_cast<std::size_t>(pass.width) +
                          static_cast<std::size_t>(x)];
        };
        int wrong = 0;
        for (int y = 0; y < pass.height; ++y) {
            for (int x = 0; x < pass.width; ++x) {
                const bool content = x < pass.content_width && y < pass.content_height;
                const CnnPixel pixel = content ? pixel_of(frame, pass, x, y) : CnnPixel{114, 114, 114};
                wrong += value(0, x, y) != cnn_normalize(pixel.red, input.mean[0], input.scale);
                wrong += value(1, x, y) != cnn_normalize(pixel.green, input.mean[1], input.scale);
                wrong += value(2, x, y) != cnn_normalize(pixel.blue, input.mean[2], input.scale);
            }
        }
        EXPECT_EQ(wrong, 0) << "scale " << scale;
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, CnnInputTest,
                         ::testing::Values(PixelFormat::nv12, PixelFormat::yuv420p, PixelFormat::gray8,
                                           PixelFormat::bgr24));

// However little memory there is, so that the frame is read once per column of tiles.
TEST(CnnInput, OfAFrameInStripsIsThatOfTheWholeFrame) {
    std::mt19937_64 random(test::seed(2));
    Network network;
    network.head.family = HeadFamily::yunet;
    network.input.mean[0] = 3;
    network.input.scale = 0.5F;
    network.input.padding = 7;
    ThreadPool pool(2);
    NullRecorder recorder;
    // With small steps, several scales of a narrow frame have the same width.
    for (const auto& [width, height, min_size, factor, kind] : {std::tuple{190, 141, 7, 1.7, CnnInput::native},
                                                                {190, 141, 3, 1.7, CnnInput::native},
                                                                {23, 2'400, 10, 1.7, CnnInput::native},
                                                                {12, 5'000, 10, 1.03, CnnInput::native},
                                                                {300, 901, 10, 1.7, CnnInput::letterbox}}) {
        DetectorParams params;
        params.min_size = min_size;
        params.scale_factor = factor;
        const std::vector<CnnPass> passes = plan_passes(network, width, height, params, kind).passes;
        const Frame frame = random_frame(PixelFormat::bgr24, width, height, random());
        for (const std::size_t max_bytes : {std::size_t{1}, kMaxStripInputs}) {
            std::vector<int> made(passes.size());
            make_strip_inputs(
                test::in_strips(frame, 1 + static_cast<int>(random() % 60)), passes, network.input, pool, recorder,
                [&](std::size_t number, const CnnPlanes& planes) {
                    const CnnPass& pass = passes[number];
                    const auto size = 3 * static_cast<std::size_t>(pass.width * pass.height);
                    std::vector<float> expected(size);
                    CnnInputMaker().make(frame, pass, network.input, pool,
                                         {expected.data(), pass.width, std::ptrdiff_t{pass.width} * pass.height});
                    EXPECT_EQ(std::vector<float>(planes.data, planes.data + size), expected) << number;
                    ++made[number];
                },
                max_bytes);
            EXPECT_EQ(made, std::vector<int>(passes.size(), 1));
        }
    }
}

}  // namespace
}  // namespace throng
