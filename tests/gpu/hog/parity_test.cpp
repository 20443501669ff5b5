// The CUDA people detector gives the CPU's descriptors and windows, with every setting of its switches.
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <tuple>

#include "core/base/error.h"
#include "core/cpu/hog_detector.h"
#include "core/frame/frame_pool.h"
#include "gpu/lab/hog_steps.h"
#include "tests/gpu/frame/device_memory.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/random.h"

namespace throng::test {
namespace {

constexpr float kTolerance = 1e-4F;
// Upper limits of the differences seen with these images. The exact arc tangent moves a vote by up to 0.0006 of a bin,
// 16 bits by up to 0.004.
constexpr float kExactTolerance = 1e-3F;
constexpr float kHalfTolerance = 6e-3F;
constexpr float kHalfMargin = 0.03F;
constexpr float kEverything = -1e6F;

// Noise, summed over `blur` pixels in both directions and scaled to the full range: edges of all orientations.
Frame random_image(std::mt19937_64& random, int width, int height, int blur, PixelFormat format = PixelFormat::gray8) {
    FramePool pool;
    WritableFrame frame = pool.take(format, width, height);
    for (int p = 0; p < plane_count(format); ++p) {
        const PlaneView& plane = frame.plane(p);
        std::vector<int> noise(static_cast<std::size_t>((plane.width + blur) * (plane.height + blur)));
        for (int& v : noise) v = static_cast<int>(random() % 256);
        for (int y = 0; y < plane.height; ++y) {
            for (int x = 0; x < plane.width; ++x) {
                int sum = 0;
                for (int i = 0; i < blur * blur; ++i) {
                    const int at = (y + i / blur) * (plane.width + blur) + x + i % blur;
                    sum += noise[static_cast<std::size_t>(at)];
                }
                const int mean = sum / (blur * blur);
                frame.data(p)[y * plane.pitch + x] =
                    static_cast<std::uint8_t>(std::clamp((mean - 128) * blur + 128, 0, 255));
            }
        }
    }
    return std::move(frame).finish();
}

DetectorParams params_of(double factor, int min_size, float threshold) {
    DetectorParams params;
    params.kind = DetectorId::hog;
    params.scale_factor = factor;
    params.min_size = min_size;
    params.score_threshold = threshold;
    params.threads = 2;
    return params;
}

class HogParity : public GpuTest {
protected:
    using Windows = std::map<std::tuple<float, float, float>, float>;

    void SetUp() override {
        GpuTest::SetUp();
        model_ = read_hog_model("");
    }

    static Windows windows_of(const DetectionSet& set) {
        EXPECT_EQ(set.overflow(), 0U);
        Windows windows;
        for (const Detection& d : set.detections) windows[{d.box.x, d.box.y, d.box.h}] = d.score;
        EXPECT_EQ(windows.size(), set.detections.size());
        return windows;
    }

    Windows on_cpu(HogDetector& detector, const Frame& frame) {
        DetectionBuffer raw = make_host_buffer(1 << 18);
        NullRecorder recorder;
        detector.enqueue(frame, raw, recorder);
        DetectionSet set;
        copy_from_host_buffer(raw.span(), set);
        return windows_of(set);
    }

    Windows on_gpu(gpu::HogDetector& detector, const Frame& frame) {
        DetectionBuffer raw = gpu::make_device_buffer(1 << 18, {}, view());
        NullRecorder recorder;
        detector.enqueue(frame, raw, recorder);
        return windows_of(download(raw));
    }

    // A window that only one side reports must have a margin within the tolerance of the threshold.
    static void expect_same(const Windows& cpu, const Windows& cuda, float threshold, float tolerance,
                            const std::string& what) {
        float max_difference = 0;
        for (const auto& [window, margin] : cpu) {
            const auto found = cuda.find(window);
            if (found == cuda.end()) {
                EXPECT_LT(margin, threshold + tolerance) << what;
            } else {
                max_difference = std::max(max_difference, std::fabs(found->second - margin));
            }
        }
        EXPECT_LT(max_difference, tolerance) << what;
        for (const auto& [window, margin] : cuda) {
            if (cpu.find(window) != cpu.end()) continue;
            EXPECT_LT(margin, threshold + tolerance) << what;
        }
    }

    // Returns the values of a level of the last frame, [block row][value][column].
    [[nodiscard]] std::vector<float> read_blocks(const gpu::HogDetector& cuda, std::size_t level) const {
        EXPECT_EQ(cuda.plan()->groups().size(), 1U) << "groups share the memory";
        const gpu::HogDeviceLevel& at = cuda.plan()->levels()[level];
        const auto pitch = static_cast<std::size_t>(at.block_pitch);
        const std::size_t count = static_cast<std::size_t>(at.block_rows) * kHogBlockValues * pitch;
        const void* values = cuda.plan()->tables().values;
        std::vector<float> padded(count);
        if (cuda.options().half) {
            const std::vector<__half> pairs = to_host(static_cast<const __half*>(values) + at.blocks, count, view());
            for (std::size_t i = 0; i < count; ++i) {
                const std::size_t pair_row = i / pitch / 2;
                padded[i] = __half2float(pairs[(pair_row * pitch + i % pitch) * 2 + i / pitch % 2]);
            }
        } else {
            padded = to_host(static_cast<const float*>(values) + at.blocks, count, view());
        }
        std::vector<float> blocks;
        for (std::size_t i = 0; i < count; ++i) {
            if (static_cast<int>(i % pitch) < at.block_columns) blocks.push_back(padded[i]);
        }
        return blocks;
    }

    [[nodiscard]] float difference(const HogDetector& cpu, const gpu::HogDetector& cuda, std::size_t level) const {
        const std::vector<float> a = cpu.blocks(level);
        const std::vector<float> b = read_blocks(cuda, level);
        EXPECT_EQ(a.size(), b.size());
        float max_difference = a.empty() ? 1.0F : 0.0F;
        for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
            max_difference = std::max(max_difference, std::fabs(a[i] - b[i]));
        }
        return max_difference;
    }

    HogModel model_;
};

TEST_F(HogParity, DescriptorsWithEverySwitch) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(71));
    const Frame images[] = {random_image(random, 333, 261, 3), random_image(random, 64, 128, 5)};
    float exact_max_difference = 0;
    float half_max_difference = 0;
    float max_difference = 0;
    for (const bool gamma : {true, false}) {
        HogModel model = model_;
        model.gamma = gamma;
        HogDetector cpu(model, params_of(1.2, 128, kEverything));
        for (int bits = 0; bits < 32; ++bits) {
            DetectorParams params = params_of(1.2, 128, kEverything);
            params.half = (bits & 1) != 0;
            const bool exact = (bits & 2) != 0;
            if (exact) params.switches["arctangent"] = "exact";
            if ((bits & 4) != 0) params.switches["work"] = "one";
            if ((bits & 8) != 0) params.switches["unroll"] = "off";
            if ((bits & 16) != 0) params.switches["graph"] = "on";
            gpu::HogDetector cuda(view(), device, model, params, gpu::hog_step_kernels);
            for (const Frame& image : images) {
                const std::string what = "switches " + std::to_string(bits) + " gamma " + std::to_string(gamma);
                const Windows expected = on_cpu(cpu, image);
                for (int turn = 0; turn < 2; ++turn) {
                    const Windows found = on_gpu(cuda, image);
                    EXPECT_EQ(expected.size(), found.size()) << what;
                    expect_same(expected, found, kEverything, params.half || exact ? kHalfMargin : kTolerance, what);
                }
                float& worst = params.half ? half_max_difference : exact ? exact_max_difference : max_difference;
                for (std::size_t level = 0; level < cpu.levels().size(); ++level) {
                    worst = std::max(worst, difference(cpu, cuda, level));
                }
            }
        }
    }
    EXPECT_LT(max_difference, kTolerance);
    EXPECT_LT(exact_max_difference, kExactTolerance);
    EXPECT_LT(half_max_difference, kHalfTolerance);
    std::printf("max differences: %.2e, exact arc tangent %.2e, 16 bits %.2e\n", static_cast<double>(max_difference),
                static_cast<double>(exact_max_difference), static_cast<double>(half_max_difference));
}

TEST_F(HogParity, LevelsInSharedAndSeparateLaunches) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(72));
    for (const auto& [width, height, factor, min_size] :
         {std::tuple{640, 480, 1.05, 128}, std::tuple{201, 307, 1.1, 64}, std::tuple{1279, 719, 1.3, 100}}) {
        const Frame image = random_image(random, width, height, 4);
        for (const float threshold : {kEverything, -1.5F}) {
            DetectorParams params = params_of(factor, min_size, threshold);
            HogDetector cpu(model_, params);
            const Windows expected = on_cpu(cpu, image);
            gpu::HogDetector cuda(view(), device, model_, params, gpu::hog_step_kernels);
            expect_same(expected, on_gpu(cuda, image), threshold, kTolerance, "together");
            params.switches["scales"] = "apart";
            cuda.configure(params);
            const Windows apart = on_gpu(cuda, image);
            expect_same(expected, apart, threshold, kTolerance, "apart");
            EXPECT_EQ(cuda.plan()->groups().size(), cuda.plan()->levels().size());
        }
    }
}

TEST_F(HogParity, FormatsAndSizes) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(73));
    const DetectorParams params = params_of(1.15, 64, -1.0F);
    HogDetector cpu(model_, params);
    gpu::HogDetector cuda(view(), device, model_, params, gpu::hog_step_kernels);
    const int sizes[][2] = {{64, 128}, {63, 400}, {400, 127}, {32, 64},   {31, 64},  {1, 1},
                            {65, 129}, {71, 135}, {72, 136},  {4000, 64}, {64, 900}, {323, 517}};
    for (const auto& [width, height] : sizes) {
        for (const PixelFormat format : {PixelFormat::gray8, PixelFormat::bgr24, PixelFormat::nv12}) {
            const Frame image = random_image(random, width, height, 3, format);
            const std::string what = std::to_string(width) + "x" + std::to_string(height);
            expect_same(on_cpu(cpu, image), on_gpu(cuda, image), -1.0F, kTolerance, what);
        }
    }
}

TEST_F(HogParity, LargeFramesAreSplitIntoGroups) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(74));
    const Frame image = random_image(random, 3840, 2160, 3);
    const DetectorParams params = params_of(1.1, 128, -0.5F);
    HogDetector cpu(model_, params);
    gpu::HogDetector cuda(view(), device, model_, params, gpu::hog_step_kernels);
    expect_same(on_cpu(cpu, image), on_gpu(cuda, image), -0.5F, kTolerance, "2160p");
    EXPECT_GT(cuda.plan()->groups().size(), 1U);
}

TEST_F(HogParity, LittleSharedMemorySuffices) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(76));
    const Frame image = random_image(random, 400, 300, 3);
    HogDetector cpu(model_, params_of(1.1, 128, kEverything));
    const Windows expected = on_cpu(cpu, image);
    gpu::DeviceInfo small = device;
    small.shared_memory = 48U << 10;
    for (int bits = 0; bits < 8; ++bits) {
        DetectorParams params = params_of(1.1, 128, kEverything);
        params.half = (bits & 1) != 0;
        if ((bits & 2) != 0) params.switches["work"] = "one";
        if ((bits & 4) != 0) params.switches["unroll"] = "off";
        gpu::HogDetector cuda(view(), small, model_, params, gpu::hog_step_kernels);
        expect_same(expected, on_gpu(cuda, image), kEverything, params.half ? kHalfMargin : kTolerance,
                    "switches " + std::to_string(bits));
    }
}

TEST_F(HogParity, FullBufferReportsTheTotal) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(75));
    const Frame image = random_image(random, 640, 480, 3);
    gpu::HogDetector cuda(view(), device, model_, params_of(1.05, 128, kEverything), gpu::hog_step_kernels);
    DetectionBuffer small = gpu::make_device_buffer(100, {}, view());
    NullRecorder recorder;
    cuda.enqueue(image, small, recorder);
    const DetectionSet set = download(small);
    EXPECT_EQ(set.detections.size(), 100U);
    EXPECT_EQ(static_cast<std::int64_t>(set.total), cuda.plan()->window_count());
    for (const Detection& d : set.detections) EXPECT_GE(d.box.h, 128.0F);
}

TEST_F(HogParity, SwitchesAreChecked) {
    if (IsSkipped() || HasFatalFailure()) return;
    DetectorParams params = params_of(1.1, 128, 0);
    gpu::HogDetector cuda(view(), device, model_, params, gpu::hog_step_kernels);
    EXPECT_EQ(cuda.switches().size(), 5U);
    for (const DetectorSwitch& s : cuda.switches()) EXPECT_EQ(s.chosen, s.choices.front());
    params.switches = {{"unroll", "off"}};
    cuda.configure(params);
    EXPECT_FALSE(cuda.options().unrolled);
    params.switches = {{"unroll", "maybe"}};
    EXPECT_THROW(cuda.configure(params), Error);
    params.switches = {{"segments", "off"}};
    EXPECT_THROW(cuda.configure(params), Error);
    EXPECT_FALSE(cuda.options().unrolled) << "the previous options are kept";
}

// Needs no GPU.
TEST(HogSwitchTable, EachChoiceSetsItsOption) {
    DetectorParams params;
    const gpu::HogOptions defaults = gpu::hog_options(params);
    EXPECT_EQ(defaults, gpu::HogOptions());
    bool gpu::HogOptions::*const flags[] = {&gpu::HogOptions::several, &gpu::HogOptions::polynomial,
                                            &gpu::HogOptions::unrolled, &gpu::HogOptions::together,
                                            &gpu::HogOptions::graph};
    std::size_t row = 0;
    for (const DetectorSwitch& each : gpu::hog_switches(defaults)) {
        EXPECT_EQ(each.chosen, each.choices.front());
        params.switches = {{each.id, each.choices.back()}};
        gpu::HogOptions other = gpu::hog_options(params);
        EXPECT_EQ(gpu::hog_switches(other)[row].chosen, each.choices.back());
        EXPECT_FALSE(other.*flags[row]) << each.id;
        other.*flags[row++] = true;
        EXPECT_EQ(other, defaults) << each.id;
    }
    EXPECT_EQ(row, std::size(flags));
}

}  // namespace
}  // namespace throng::test
