#include "core/cpu/cnn_detector.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <tuple>

#include "core/base/error.h"
#include "core/detect/detector_kinds.h"
#include "core/detect/null_recorder.h"
#include "core/frame/frame_pool.h"
#include "core/model/onnx.pb.h"
#include "core/model/onnx_reader.h"
#include "tests/support/onnx_maker.h"
#include "tests/support/random.h"
#include "tests/support/strip_frame.h"

namespace throng {
namespace {

Frame noise(PixelFormat format, int width, int height, std::mt19937_64& random) {
    FramePool pool;
    WritableFrame frame = pool.take(format, width, height);
    const PlaneView plane = frame.plane(0);
    for (int y = 0; y < plane.height; ++y) {
        for (int x = 0; x < plane.width; ++x) frame.data(0)[y * plane.pitch + x] = static_cast<std::uint8_t>(random());
    }
    frame.info().range = ColorRange::full;
    return std::move(frame).finish();
}

Frame pattern(int width, int height) {
    FramePool pool;
    WritableFrame frame = pool.take(PixelFormat::nv12, width, height);
    for (int p = 0; p < 2; ++p) {
        const PlaneView plane = frame.plane(p);
        for (int y = 0; y < plane.height; ++y) {
            for (int x = 0; x < plane.width; ++x) {
                frame.data(p)[y * plane.pitch + x] = static_cast<std::uint8_t>((x * 7) ^ (y * 13));
            }
        }
    }
    return std::move(frame).finish();
}

class CnnDetection : public ::testing::Test {
protected:
    DetectorParams params_ = [] {
        DetectorParams params = detector_kind("cnn").params;
        params.score_threshold = 0.3F;
        return params;
    }();
    CnnDetector detector_{parse_onnx(test::bytes_of(test::tiny_yunet(21)), "m.onnx"), params_};
    NullRecorder recorder_;

    DetectionSet run(const Frame& frame, std::int32_t capacity = 1 << 18) {
        DetectionBuffer raw = make_host_buffer(capacity, detector_.optional_fields());
        detector_.enqueue(frame, raw, recorder_);
        DetectionSet set;
        copy_from_host_buffer(raw.span(), set);
        return set;
    }
};

TEST_F(CnnDetection, AcceptsFramesOfChangingSize) {
    for (const auto& [width, height] : {std::pair{1, 1}, {17, 3}, {320, 240}, {641, 359}, {320, 240}}) {
        const DetectionSet found = run(pattern(width, height));
        EXPECT_EQ(found.landmarks.size(), found.detections.size());
        for (const Detection& d : found.detections) EXPECT_GE(std::max(d.box.w, d.box.h), 10.0F);
    }
}

TEST_F(CnnDetection, ResultsDoNotDependOnTheNumberOfThreads) {
    const Frame frame = pattern(320, 240);
    const DetectionSet one = run(frame);
    params_.threads = 3;
    detector_.configure(params_);
    const DetectionSet three = run(frame);
    ASSERT_GT(one.detections.size(), 0U);
    ASSERT_EQ(one.detections.size(), three.detections.size());
    for (std::size_t i = 0; i < one.detections.size(); ++i) {
        EXPECT_EQ(one.detections[i].score, three.detections[i].score);
        EXPECT_EQ(one.detections[i].box.x, three.detections[i].box.x);
    }
}

// Also those of several tiles, in both directions, and in the same order.
TEST_F(CnnDetection, AFrameInStripsHasTheDetectionsOfTheWholeFrame) {
    std::mt19937_64 random(test::seed(1));
    for (const auto& [width, height, min_size] :
         {std::tuple{333, 217, 10}, {4300, 60, 10}, {60, 2500, 10}, {97, 650, 3}}) {
        for (const PixelFormat format : {PixelFormat::bgr24, PixelFormat::gray8}) {
            params_.min_size = min_size;
            params_.scale_factor = 1.4;
            detector_.configure(params_);
            const Frame frame = noise(format, width, height, random);
            for (const std::int32_t capacity : {1 << 18, 40}) {
                const DetectionSet whole = run(frame, capacity);
                const int rows = 1 + static_cast<int>(random() % 80);
                const int last = (height - 1) / rows * rows;  // strip, which cannot be read
                EXPECT_THROW(static_cast<void>(run(test::in_strips(frame, rows, last), capacity)), Error);
                const DetectionSet strips = run(test::in_strips(frame, rows), capacity);
                SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height) + ", " + std::to_string(rows));
                ASSERT_GT(whole.detections.size(), 30U);
                ASSERT_EQ(strips.total, whole.total);
                ASSERT_EQ(strips.detections.size(), whole.detections.size());
                for (std::size_t i = 0; i < whole.detections.size(); ++i) {
                    const Detection& a = strips.detections[i];
                    const Detection& b = whole.detections[i];
                    ASSERT_EQ(std::tie(a.box.x, a.box.y, a.box.w, a.box.h, a.score),
                              std::tie(b.box.x, b.box.y, b.box.w, b.box.h, b.score))
                        << i;
                    ASSERT_EQ(std::memcmp(&strips.landmarks[i], &whole.landmarks[i], sizeof(strips.landmarks[i])), 0);
                }
            }
        }
    }
}

TEST_F(CnnDetection, CountsDetectionsThatExceedTheBuffer) {
    const DetectionSet all = run(pattern(320, 240));
    const DetectionSet few = run(pattern(320, 240), 3);
    EXPECT_EQ(few.detections.size(), 3U);
    EXPECT_EQ(few.total, all.total);
}

TEST_F(CnnDetection, AppliesSizeLimitsAndThreshold) {
    params_.min_size = 20;
    params_.max_size = 60;
    params_.score_threshold = 0.45F;
    detector_.configure(params_);
    for (const Detection& d : run(pattern(640, 480)).detections) {
        EXPECT_GE(std::max(d.box.w, d.box.h), 20.0F);
        EXPECT_LE(std::max(d.box.w, d.box.h), 60.0F);
        EXPECT_GE(d.score, 0.45F);
    }
}

TEST_F(CnnDetection, KeepsItsParametersIfNewOnesAreInvalid) {
    DetectorParams bad = params_;
    bad.score_threshold = 3.0F;
    EXPECT_THROW(detector_.configure(bad), Error);
    bad = params_;
    bad.model = "other";
    EXPECT_THROW(detector_.configure(bad), Error);
    EXPECT_NO_THROW(static_cast<void>(run(pattern(64, 64))));
}

TEST(CnnSwitches, ReportTheInput) {
    DetectorParams params = detector_kind("cnn").params;
    params.switches["input"] = "letterbox";
    const CnnDetector detector(parse_onnx(test::bytes_of(test::tiny_ultraface(1)), "m.onnx"), params);
    ASSERT_EQ(detector.switches().size(), 1U);
    EXPECT_EQ(detector.switches()[0].chosen, "letterbox");
    EXPECT_FALSE(detector.optional_fields().landmarks);
}

}  // namespace
}  // namespace throng
