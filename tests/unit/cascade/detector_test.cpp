#include <gtest/gtest.h>

#include <hwy/highway.h>
#include <algorithm>
#include <random>
#include <string>

#include "core/base/error.h"
#include "core/cpu/cascade_detector.h"
#include "core/cpu/cpu_backend.h"
#include "core/cpu/cpu_recorder.h"
#include "tests/support/failing_new.h"
#include "tests/support/random.h"
#include "tests/support/strip_frame.h"
#include "tests/unit/cascade/reference.h"

namespace throng::test {
namespace {

std::vector<ScoredBox> detections(CascadeDetector& detector, const Frame& frame, std::int32_t capacity = 200000) {
    DetectionBuffer raw = make_host_buffer(capacity);
    CpuRecorder recorder;
    detector.enqueue(frame, raw, recorder);
    std::vector<ScoredBox> result;
    const auto stored = std::min<std::uint32_t>(raw.span().count->total, static_cast<std::uint32_t>(capacity));
    for (std::uint32_t i = 0; i < stored; ++i) result.push_back({raw.span().boxes[i], raw.span().scores[i]});
    return result;
}

struct Case {
    CascadeKind kind;
    int window_width, window_height, nodes;
    bool tilted;
    const char* name;
};

class DetectorEqualsDefinition : public ::testing::TestWithParam<Case> {};

TEST_P(DetectorEqualsDefinition, RandomCascadesAndImagesWithEveryInstructionSet) {
    const Case& c = GetParam();
    std::mt19937_64 random(seed(20 + static_cast<std::uint64_t>(c.nodes)));
    std::size_t found = 0;
    for (int trial = 0; trial < 12; ++trial) {
        const CascadeModel model = random_cascade(random, c.kind, c.window_width, c.window_height, c.nodes, c.tilted);
        const int width = c.window_width + static_cast<int>(random() % 90);
        const int height = c.window_height + static_cast<int>(random() % 90);
        const GrayImage image = random_image(random, width, height);
        DetectorParams params;
        params.min_size = 1 + static_cast<int>(random() % 30);
        params.scale_factor = 1.05 + static_cast<double>(random() % 100) / 200.0;
        params.threads = 1 + trial % 3;
        const auto expected = reference_detections(model, image, params);
        found += expected.size();
        for (std::int64_t targets = hwy::SupportedTargets() & HWY_TARGETS; targets != 0; targets &= targets - 1) {
            hwy::SetSupportedTargetsForTest(targets & -targets);
            CascadeDetector detector(model, params);
            EXPECT_EQ(detections(detector, frame_of(image)), expected)
                << "trial " << trial << " " << hwy::TargetName(targets & -targets);
        }
        CascadeDetector detector(model, params);
        const int rows = 1 + static_cast<int>(random() % 50);
        EXPECT_THROW(static_cast<void>(detections(detector, in_strips(frame_of(image), rows, 0))), Error);
        EXPECT_EQ(detections(detector, in_strips(frame_of(image), rows)), expected)
            << "in strips of " << rows << " rows";
        hwy::SetSupportedTargetsForTest(0);
    }
    EXPECT_GT(found, 100U) << "too few accepted windows to compare";
}

INSTANTIATE_TEST_SUITE_P(Kinds, DetectorEqualsDefinition,
                         ::testing::Values(Case{CascadeKind::haar, 20, 20, 1, false, "haar_stumps"},
                                           Case{CascadeKind::haar, 20, 20, 2, false, "haar_pairs"},
                                           Case{CascadeKind::haar, 24, 18, 5, false, "haar_trees"},
                                           Case{CascadeKind::haar, 18, 24, 3, true, "haar_tilted"},
                                           Case{CascadeKind::lbp, 24, 24, 1, false, "lbp_stumps"},
                                           Case{CascadeKind::lbp, 20, 34, 4, false, "lbp_trees"},
                                           Case{CascadeKind::lbp, 60, 60, 1, false, "lbp_large_blocks"}),
                         [](const auto& test) { return test.param.name; });

// Returns a random cascade that accepts windows of noise.
CascadeModel some_model(std::uint64_t fixed) {
    std::mt19937_64 random(seed(fixed));
    const GrayImage image = random_image(random, 100, 100);
    while (true) {
        CascadeModel model = random_cascade(random, CascadeKind::haar, 20, 20, 2, false);
        if (reference_detections(model, image, {}).size() > 50) return model;
    }
}

TEST(CascadeDetector, ResultsDoNotDependOnTheNumberOfThreads) {
    const CascadeModel model = some_model(3);
    std::mt19937_64 random(4);
    const Frame frame = frame_of(random_image(random, 400, 300));
    DetectorParams params;
    params.threads = 1;
    CascadeDetector one(model, params);
    const auto expected = detections(one, frame);
    for (const int threads : {2, 3, 8}) {
        params.threads = threads;
        CascadeDetector detector(model, params);
        EXPECT_EQ(detections(detector, frame), expected) << threads;
        EXPECT_EQ(detections(detector, frame), expected) << threads << ", second frame";
    }
}

TEST(CascadeDetector, FindsNothingInAFrameSmallerThanTheWindow) {
    CascadeDetector detector(some_model(5), {});
    std::mt19937_64 random(6);
    for (const auto& [w, h] : {std::pair{1, 1}, std::pair{19, 300}, std::pair{300, 19}}) {
        EXPECT_TRUE(detections(detector, frame_of(random_image(random, w, h))).empty());
    }
    EXPECT_EQ(detector.counts().candidates, 0);
}

TEST(CascadeDetector, ConvertsColorToGrayAndUsesTheLumaOfVideo) {
    const CascadeModel model = some_model(7);
    CascadeDetector detector(model, {});
    std::mt19937_64 random(8);
    const GrayImage image = random_image(random, 131, 97);
    const auto expected = detections(detector, frame_of(image));

    FramePool pool;
    for (const PixelFormat format : {PixelFormat::bgr24, PixelFormat::nv12, PixelFormat::yuv420p}) {
        WritableFrame frame = pool.take(format, image.width, image.height);
        for (int y = 0; y < image.height; ++y) {
            for (int x = 0; x < image.width; ++x) {
                const std::uint8_t v = image.pixels[static_cast<std::size_t>(y * image.width + x)];
                std::uint8_t* row = frame.data(0) + y * frame.plane(0).pitch;
                if (format == PixelFormat::bgr24) {
                    std::fill_n(row + 3 * x, 3, v);
                } else {
                    row[x] = v;
                }
            }
        }
        EXPECT_EQ(detections(detector, std::move(frame).finish()), expected);
    }
}

TEST(CascadeDetector, CountsAllDetectionsAndStoresTheFirstOnOverflow) {
    CascadeDetector detector(some_model(9), {});
    std::mt19937_64 random(10);
    const Frame frame = frame_of(random_image(random, 300, 200));
    const auto all = detections(detector, frame);
    ASSERT_GT(all.size(), 10U);
    EXPECT_EQ(detector.counts().accepted, static_cast<std::int64_t>(all.size()));
    DetectionBuffer raw = make_host_buffer(7);
    CpuRecorder recorder;
    detector.enqueue(frame, raw, recorder);
    EXPECT_EQ(raw.span().count->total, all.size());
    EXPECT_EQ(detections(detector, frame, 7), std::vector<ScoredBox>(all.begin(), all.begin() + 7));
    EXPECT_TRUE(detections(detector, frame, 0).empty());
}

TEST(CascadeDetector, AdaptsToChangedSizesAndParameters) {
    const CascadeModel model = some_model(11);
    DetectorParams params;
    CascadeDetector detector(model, params);
    std::mt19937_64 random(12);
    for (int trial = 0; trial < 6; ++trial) {
        const GrayImage image =
            random_image(random, 20 + static_cast<int>(random() % 200), 20 + static_cast<int>(random() % 200));
        params.min_size = 10 + 10 * trial;
        params.max_size = trial % 2 == 0 ? 0 : 150;
        params.threads = trial % 3;
        detector.configure(params);
        EXPECT_EQ(detections(detector, frame_of(image)), reference_detections(model, image, params)) << trial;
    }
}

TEST(CascadeDetector, RejectsInvalidParametersAndKeepsTheOldOnes) {
    CascadeDetector detector(some_model(13), {});
    DetectorParams params;
    params.scale_factor = 1.0;
    EXPECT_THROW(detector.configure(params), Error);
    params = {};
    params.kind = DetectorId::lbp;
    EXPECT_THROW(detector.configure(params), Error);
    std::mt19937_64 random(14);
    EXPECT_NO_THROW(detections(detector, frame_of(random_image(random, 60, 60))));
}

// A plan fits one number of threads.
TEST(CascadeDetector, DetectsAfterAChangeThatFailed) {
    const CascadeModel model = some_model(29);
    std::mt19937_64 random(seed(29));
    const GrayImage image = random_image(random, 300, 240);
    DetectorParams params;
    params.threads = 1;
    CascadeDetector other(model, params);
    const auto expected = detections(other, frame_of(image));
    DetectorParams changed = params;
    changed.threads = 4;
    changed.switches["of no use to the processor, but it needs memory"] = "on";
    int failures = 0;
    for_every_failing_allocation([&](std::int64_t number) {
        CascadeDetector detector(model, params);
        EXPECT_EQ(detections(detector, frame_of(image)), expected);
        bool failed = false;
        {
            const FailingNew failing(number);
            try {
                detector.configure(changed);
            } catch (const std::bad_alloc&) {
                failed = true;
                ++failures;
            }
        }
        EXPECT_EQ(detections(detector, frame_of(image)), expected) << "allocation " << number;
        return failed;
    });
    EXPECT_GT(failures, 3);
}

TEST(CascadeDetector, RejectsDeviceMemory) {
    CascadeDetector detector(some_model(15), {});
    FrameInfo info;
    info.width = info.height = 64;
    info.memory = MemoryKind::device;
    const PlaneView planes[Frame::kMaxPlanes] = {};
    DetectionBuffer raw = make_host_buffer(1);
    CpuRecorder recorder;
    EXPECT_THROW(detector.enqueue(Frame(info, planes, nullptr), raw, recorder), Error);
}

TEST(CascadeDetector, MeasuresTheTimesOfItsStages) {
    CascadeDetector detector(some_model(17), {});
    std::mt19937_64 random(18);
    DetectionBuffer raw = make_host_buffer(1);
    CpuRecorder recorder;
    detector.enqueue(frame_of(random_image(random, 200, 200)), raw, recorder);
    const StageTimes& times = recorder.end_frame();
    ASSERT_EQ(times.size(), 3U);
    EXPECT_EQ(times[0].name, stage::kPyramid);
    EXPECT_EQ(times[1].name, stage::kIntegral);
    EXPECT_EQ(times[2].name, stage::kCascade);
    for (const StageTime& t : times) EXPECT_GT(t.ms, 0.0);
}

TEST(CpuBackend, DescribesTheProcessorAndRejectsUnavailableDetectors) {
    const auto backend = make_cpu_backend(2);
    EXPECT_EQ(backend->name(), "cpu");
    EXPECT_NE(backend->description().find("2 threads"), std::string::npos);
    DetectorParams params;
    params.kind = DetectorId::cnn;
    try {
        const auto detector = backend->make_detector(params);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unavailable);
    }
    params.kind = DetectorId::haar;
    params.min_size = -1;
    EXPECT_THROW(static_cast<void>(backend->make_detector(params)), Error);
}

}  // namespace
}  // namespace throng::test
