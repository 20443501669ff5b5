// Tests the CPU people detector: threads, parameters, formats, capacity. tests/parity/hog tests its numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <opencv2/objdetect.hpp>
#include <random>

#include "core/base/error.h"
#include "core/cpu/hog_detector.h"
#include "core/detect/null_recorder.h"
#include "core/frame/frame_pool.h"
#include "core/synth/crowd.h"
#include "tests/support/random.h"
#include "tests/support/test_data.h"

namespace throng::test {
namespace {

DetectorParams params_of(int threads, float threshold) {
    DetectorParams params;
    params.kind = DetectorId::hog;
    params.min_size = 128;
    params.scale_factor = 1.1;
    params.threads = threads;
    params.score_threshold = threshold;
    return params;
}

Frame noise(std::uint64_t start, int width, int height, PixelFormat format = PixelFormat::gray8) {
    std::mt19937_64 random(start);
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

DetectionSet detect(Detector& detector, const Frame& frame, std::int32_t capacity = 1 << 16) {
    DetectionBuffer raw = make_host_buffer(capacity);
    NullRecorder recorder;
    detector.enqueue(frame, raw, recorder);
    DetectionSet set;
    copy_from_host_buffer(raw.span(), set);
    return set;
}

void expect_same(const DetectionSet& a, const DetectionSet& b) {
    ASSERT_EQ(a.detections.size(), b.detections.size());
    for (std::size_t i = 0; i < a.detections.size(); ++i) {
        EXPECT_EQ(a.detections[i].score, b.detections[i].score);
        EXPECT_EQ(a.detections[i].box.x, b.detections[i].box.x);
        EXPECT_EQ(a.detections[i].box.y, b.detections[i].box.y);
        EXPECT_EQ(a.detections[i].box.h, b.detections[i].box.h);
    }
}

TEST(HogDetector, ResultsDoNotDependOnTheNumberOfThreads) {
    const Frame frame = noise(seed(82), 300, 280);
    HogDetector one(read_hog_model(""), params_of(1, -1e6F));
    const DetectionSet expected = detect(one, frame);
    EXPECT_EQ(static_cast<std::int64_t>(expected.detections.size()), one.window_count());
    for (const int threads : {2, 3, 7}) {
        HogDetector several(read_hog_model(""), params_of(threads, -1e6F));
        for (int turn = 0; turn < 2; ++turn) expect_same(expected, detect(several, frame));
    }
}

TEST(HogDetector, AdaptsToChangedSizesAndParameters) {
    HogDetector detector(read_hog_model(""), params_of(2, -1e6F));
    const std::uint64_t start = seed(83);
    const std::size_t first = detect(detector, noise(start, 200, 200)).detections.size();
    EXPECT_EQ(detect(detector, noise(start, 50, 50)).detections.size(), 0U);
    EXPECT_EQ(detect(detector, noise(start, 200, 200)).detections.size(), first);
    DetectorParams params = params_of(1, -1e6F);
    params.min_size = 64;
    detector.configure(params);
    EXPECT_GT(detect(detector, noise(start, 200, 200)).detections.size(), first);
    params.score_threshold = 1e6F;
    detector.configure(params);
    EXPECT_EQ(detect(detector, noise(start, 200, 200)).detections.size(), 0U);
    params.model = "other";
    EXPECT_THROW(detector.configure(params), Error);
}

TEST(HogDetector, CountsDetectionsThatExceedTheBuffer) {
    HogDetector detector(read_hog_model(""), params_of(2, -1e6F));
    const DetectionSet set = detect(detector, noise(seed(84), 200, 200), 5);
    EXPECT_EQ(set.detections.size(), 5U);
    EXPECT_EQ(static_cast<std::int64_t>(set.total), detector.window_count());
}

TEST(HogDetector, AcceptsEveryFormat) {
    const std::uint64_t start = seed(85);
    HogDetector detector(read_hog_model(""), params_of(2, -1e6F));
    const DetectionSet gray = detect(detector, noise(start, 131, 203));
    expect_same(gray, detect(detector, noise(start, 131, 203, PixelFormat::nv12)));
    EXPECT_EQ(detect(detector, noise(start, 131, 203, PixelFormat::bgr24)).total, gray.total);
}

TEST(HogDetector, RejectsUnknownSwitches) {
    DetectorParams params = params_of(1, 0);
    params.switches["unroll"] = "off";
    EXPECT_THROW(HogDetector(read_hog_model(""), params), Error);
}

ErrorKind kind_of_failure(const std::string& file) {
    try {
        (void)read_hog_model(file);
    } catch (const Error& error) {
        return error.kind();
    }
    ADD_FAILURE() << "was accepted: " << file;
    return ErrorKind::internal;
}

TEST(HogModel, IsReadFromAnOpenCVFile) {
    const ScratchDir scratch;
    const std::string file = (scratch.path() / "people.yml").string();
    cv::HOGDescriptor hog;
    hog.setSVMDetector(cv::HOGDescriptor::getDefaultPeopleDetector());
    hog.save(file);
    const HogModel read = read_hog_model(file);
    const HogModel own = read_hog_model("");
    EXPECT_EQ(read.weights, own.weights);
    EXPECT_EQ(read.bias, own.bias);
    EXPECT_EQ(read.gamma, own.gamma);
}

TEST(HogModel, RejectsInvalidFiles) {
    const ScratchDir scratch;
    EXPECT_EQ(kind_of_failure((scratch.path() / "none.yml").string()), ErrorKind::unavailable);
    const std::string file = (scratch.path() / "broken.yml").string();
    std::ofstream(file) << "%YAML:1.0\n---\nwinSize: [ 64, ";
    EXPECT_EQ(kind_of_failure(file), ErrorKind::input);
    std::ofstream(file) << "people\n";
    EXPECT_EQ(kind_of_failure(file), ErrorKind::input);
    cv::HOGDescriptor daimler({48, 96}, {16, 16}, {8, 8}, {8, 8}, 9);
    daimler.setSVMDetector(cv::HOGDescriptor::getDaimlerPeopleDetector());
    daimler.save(file);
    EXPECT_EQ(kind_of_failure(file), ErrorKind::input);
    cv::HOGDescriptor().save(file);  // no coefficients
    EXPECT_EQ(kind_of_failure(file), ErrorKind::input);
}

}  // namespace
}  // namespace throng::test
