// Compares the preprocessing kernel with loops over core/algo/cnn_input.h: bit-exact, for every format, size and pass.
#include "gpu/cnn/preprocess.h"

#include <algorithm>
#include <random>
#include <tuple>
#include <utility>

#include "core/frame/frame_pool.h"
#include "core/model/cnn_plan.h"
#include "gpu/cnn/network_run.h"
#include "gpu/frame/frame_intake.h"
#include "gpu/runtime/launch.cuh"
#include "tests/gpu/frame/device_memory.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/network_reference.h"
#include "tests/support/random.h"

namespace throng::test {
namespace {

using namespace throng::gpu;

Frame random_frame(PixelFormat format, int width, int height, std::mt19937_64& random) {
    FramePool pool;
    WritableFrame frame = pool.take(format, width, height);
    for (int p = 0; p < plane_count(format); ++p) {
        for (int y = 0; y < frame.plane(p).height; ++y) {
            for (int x = 0; x < frame.plane(p).width; ++x) {
                frame.data(p)[y * frame.plane(p).pitch + x] = static_cast<std::uint8_t>(random());
            }
        }
    }
    return std::move(frame).finish();
}

// A channel of a plane: sample (x, y) is data[y * pitch + x * step].
float mean_of(const std::uint8_t* data, std::ptrdiff_t pitch, int step, CnnAxis across, CnnAxis down, int x, int y) {
    float sum = 0;
    for (int j = 0; j < down.samples; ++j) {
        const CnnTap row = cnn_tap(down, y, j);
        for (int i = 0; i < across.samples; ++i) {
            const CnnTap column = cnn_tap(across, x, i);
            const std::uint8_t* above = data + row.near * pitch;
            const std::uint8_t* below = data + row.far * pitch;
            sum += cnn_bilinear(above[column.near * step], above[column.far * step], below[column.near * step],
                                below[column.far * step], column.weight, row.weight);
        }
    }
    return sum / static_cast<float>(across.samples * down.samples);
}

CnnPixel expected_pixel(const Frame& frame, const CnnPass& pass, int x, int y) {
    if (x >= pass.content_width || y >= pass.content_height) return {0, 0, 0};
    const int width = frame.width();
    const int height = frame.height();
    const CnnColor color = cnn_color_of(frame.info());
    const auto sample = [&](int plane, int channel, int step, bool subsampled) {
        const int plane_width = subsampled ? (width + 1) / 2 : width;
        const int plane_height = subsampled ? (height + 1) / 2 : height;
        return mean_of(frame.plane(plane).data + channel, frame.plane(plane).pitch, step,
                       horizontal_axis(pass, plane_width, subsampled), vertical_axis(pass, plane_height, subsampled), x,
                       y);
    };
    switch (frame.info().format) {
        case PixelFormat::bgr24: return {sample(0, 0, 3, false), sample(0, 1, 3, false), sample(0, 2, 3, false)};
        case PixelFormat::nv12:
            return cnn_color(color, sample(0, 0, 1, false), sample(1, 0, 2, true), sample(1, 1, 2, true));
        case PixelFormat::yuv420p:
            return cnn_color(color, sample(0, 0, 1, false), sample(1, 0, 1, true), sample(2, 0, 1, true));
        case PixelFormat::gray8: break;
    }
    const float gray = cnn_gray(color, sample(0, 0, 1, false));
    return {gray, gray, gray};
}

InputPass input_of(const Frame& frame, const CnnPass& pass) {
    const int chroma_width = (frame.width() + 1) / 2;
    const int chroma_height = (frame.height() + 1) / 2;
    return {horizontal_axis(pass, frame.width(), false),
            vertical_axis(pass, frame.height(), false),
            horizontal_axis(pass, chroma_width, true),
            vertical_axis(pass, chroma_height, true),
            pass.content_width,
            pass.content_height,
            pass.placement,
            pass.core};
}

struct Case {
    PixelFormat format;
    int width, height;
    int min_size;  // 10: native resolution; smaller ones enlarge, larger ones shrink
    CnnInput input;
    bool rgb;
};

class CnnPreprocess : public GpuTest, public testing::WithParamInterface<Case> {};

TEST_P(CnnPreprocess, EqualsPlainLoops) {
    if (IsSkipped()) return;
    const Case& param = GetParam();
    std::mt19937_64 random(seed(3));
    Network network = random_yunet(1);
    network.input = {0, 320, 256, param.rgb, 127.0F, 1.0F / 128.0F};
    DetectorParams params;
    params.min_size = param.min_size;
    params.scale_factor = 2.5;
    const Frame frame = random_frame(param.format, param.width, param.height, random);
    FrameIntake intake(view(), device.integrated);
    NullRecorder none;
    for (const CnnPass& pass : plan_passes(network, param.width, param.height, params, param.input).passes) {
        const auto pixels = static_cast<std::size_t>(pass.width) * static_cast<std::size_t>(pass.height);
        const DeviceBuffer<float> input(pixels * kInputChannels);
        fill_bytes(input, 0xff, view());
        PreprocessTask task;
        const FrameIntake::Reading reading(intake);
        task.image[0] = intake.take_colors(frame, none);
        task.color[0] = cnn_color_of(frame.info());
        task.passes = 1;
        task.pass = input_of(frame, pass);
        task.rgb = param.rgb;
        std::copy(network.input.mean.begin(), network.input.mean.end(), task.mean);
        task.scale = network.input.scale;
        task.out = {input.data(), pass.width, pass.height, kInputChannels, kInputChannels, 0};
        launch_preprocess(task, 1, Precision::fp32, LaunchChain(view(), false));
        const std::vector<float> got = to_host(input.data(), pixels * kInputChannels, view());
        std::size_t different = 0;
        for (int y = 0; y < pass.height; ++y) {
            for (int x = 0; x < pass.width; ++x) {
                const CnnPixel want = expected_pixel(frame, pass, x, y);
                const float values[4] = {cnn_normalize(param.rgb ? want.red : want.blue, task.mean[0], task.scale),
                                         cnn_normalize(want.green, task.mean[1], task.scale),
                                         cnn_normalize(param.rgb ? want.blue : want.red, task.mean[2], task.scale),
                                         0.0F};
                const std::size_t at =
                    (static_cast<std::size_t>(y) * static_cast<std::size_t>(pass.width) + static_cast<std::size_t>(x)) *
                    4;
                for (std::size_t c = 0; c < 4; ++c) different += got[at + c] == values[c] ? 0U : 1U;
            }
        }
        EXPECT_EQ(different, 0U) << "input of " << pass.width << "x" << pass.height;
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, CnnPreprocess,
                         testing::Values(Case{PixelFormat::nv12, 320, 256, 10, CnnInput::native, false},
                                         Case{PixelFormat::nv12, 333, 217, 10, CnnInput::native, true},
                                         Case{PixelFormat::nv12, 101, 75, 4, CnnInput::native, false},
                                         Case{PixelFormat::nv12, 641, 479, 25, CnnInput::native, false},
                                         Case{PixelFormat::nv12, 1280, 720, 10, CnnInput::letterbox, true},
                                         Case{PixelFormat::yuv420p, 333, 217, 10, CnnInput::native, false},
                                         Case{PixelFormat::yuv420p, 200, 300, 10, CnnInput::letterbox, true},
                                         Case{PixelFormat::gray8, 333, 217, 17, CnnInput::native, true},
                                         Case{PixelFormat::bgr24, 333, 217, 10, CnnInput::native, true},
                                         Case{PixelFormat::bgr24, 500, 77, 10, CnnInput::letterbox, false},
                                         Case{PixelFormat::bgr24, 1, 1, 10, CnnInput::native, false},
                                         Case{PixelFormat::nv12, 3, 2, 10, CnnInput::letterbox, false}));

using StemCase = std::tuple<PixelFormat, Network (*)(std::uint64_t), Precision>;

class CnnStem : public GpuTest, public testing::WithParamInterface<StemCase> {};

// Returns the bytes of the map that the stem writes.
std::vector<std::uint8_t> stem_output(const NetworkRun& run, const Step& stem, std::size_t element, StreamView stream) {
    const Map& out = run.map(stem.out >= 0 ? stem.out : stem.pooled);
    return to_host(static_cast<const std::uint8_t*>(out.data), 4 * static_cast<std::size_t>(out.image) * element,
                   stream);
}

// Two tiles of each of two frames, which differ in format, with padding at the right and the bottom.
TEST_P(CnnStem, ReadsFramesAsThePreprocessingDoes) {
    if (IsSkipped()) return;
    const auto& [format, make, precision] = GetParam();
    std::mt19937_64 random(seed(4));
    const Network network = make(random());
    const PixelFormat other = format == PixelFormat::bgr24 ? PixelFormat::gray8 : PixelFormat::bgr24;
    const Frame frames[2] = {random_frame(format, 333, 217, random), random_frame(other, 333, 217, random)};
    FrameIntake intake(view(), device.integrated);
    NullRecorder none;
    std::vector<InputPass> passes;
    for (const auto& [left, top] : {std::pair(0, 0), std::pair(120, 68)}) {
        CnnPass pass{224, 160, 213, 149, {static_cast<float>(left), static_cast<float>(top), 1.0F, 1.0F}, {}};
        passes.push_back(input_of(frames[0], pass));
        ASSERT_TRUE(is_native(passes.back()));
    }
    const DeviceBuffer<InputPass> d_passes = to_device(passes);
    PreprocessTask task;
    const FrameIntake::Reading reading(intake);
    for (int i = 0; i < 2; ++i) {
        task.image[i] = intake.take_colors(frames[i], none);
        task.color[i] = cnn_color_of(frames[i].info());
    }
    task.d_passes = d_passes.data();
    task.passes = 2;
    std::copy(network.input.mean.begin(), network.input.mean.end(), task.mean);
    task.scale = network.input.scale;
    task.padding = 11;
    const Steps steps = make_steps(network, precision, true, device.shared_memory, view());
    const Step& stem = steps.groups.front().front();
    const NetworkRun fused(network, steps, precision, device, 224, 160, 4, true, view());
    const NetworkRun apart(network, steps, precision, device, 224, 160, 4, false, view());
    ASSERT_EQ(fused.input().data, nullptr);
    fused.enqueue_input(task, 4, view());
    apart.enqueue_input(task, 4, view());
    apart.enqueue_launch(0, view());
    const std::size_t element = precision == Precision::fp32 ? 4 : 2;
    EXPECT_EQ(stem_output(fused, stem, element, view()), stem_output(apart, stem, element, view()));
}

INSTANTIATE_TEST_SUITE_P(Networks, CnnStem,
                         testing::Combine(testing::Values(PixelFormat::nv12, PixelFormat::yuv420p, PixelFormat::gray8,
                                                          PixelFormat::bgr24),
                                          testing::Values(&random_yunet, &random_ultraface, &random_yolox),
                                          testing::Values(Precision::fp32, Precision::fp16)));

}  // namespace
}  // namespace throng::test
