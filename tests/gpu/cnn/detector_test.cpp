// The complete detector: switches and batches do not change the detections.
#include "gpu/cnn/cnn_detector.h"

#include "core/base/error.h"
#include "tests/gpu/cnn/random_frames.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/random.h"

namespace throng::test {
namespace {

using namespace throng::gpu;

class CnnDetectorTest : public GpuTest {
protected:
    [[nodiscard]] static DetectorParams params() {
        DetectorParams params;
        params.kind = DetectorId::cnn;
        params.min_size = 1;
        params.scale_factor = 3;
        params.score_threshold = 0.3F;
        params.switches["input"] = "letterbox";
        return params;
    }
    DetectionSet detect(CnnDetector& detector, const Frame& frame, int frames = 1) {
        DetectionBuffer raw = make_device_buffer(1 << 16, {false, 0, true}, view());
        for (int i = 0; i < frames; ++i) detector.enqueue(frame, raw, none);
        return download(raw);
    }
    NullRecorder none;
};

TEST_F(CnnDetectorTest, SwitchesChangeNothing) {
    if (IsSkipped()) return;
    const Frame frame = random_image(320, 240, seed(1));
    CnnDetector plain(view(), device, random_network(), params());
    const auto expected = sorted(detect(plain, frame));
    ASSERT_GT(expected.size(), 10U);
    for (const char* graph : {"on", "off"}) {
        for (const char* overlap : {"on", "off"}) {
            DetectorParams chosen = params();
            chosen.switches["graph"] = graph;
            chosen.switches["overlap"] = overlap;
            plain.configure(chosen);
            EXPECT_EQ(sorted(detect(plain, frame, 3)), expected) << graph << overlap;
        }
    }
    for (const DetectorSwitch& s : plain.switches()) {
        EXPECT_EQ(s.chosen, s.id == "input"                        ? "letterbox"
                            : s.id == "graph" || s.id == "overlap" ? "off"
                                                                   : "on")
            << s.id;
    }
    DetectorParams apart = params();
    apart.switches["fusion"] = "off";
    plain.configure(apart);
    EXPECT_NEAR(static_cast<double>(detect(plain, frame).detections.size()), static_cast<double>(expected.size()), 2.0);
    plain.configure(params());
    EXPECT_EQ(sorted(detect(plain, frame)), expected);
}

TEST_F(CnnDetectorTest, BatchesEqualSingleFrames) {
    if (IsSkipped()) return;
    DetectorParams native = params();
    native.switches["input"] = "native";
    native.min_size = 10;
    CnnDetector detector(view(), device, random_network(), native);
    std::vector<Frame> frames;
    std::vector<DetectionBuffer> buffers;
    std::vector<DetectionBuffer*> raw;
    constexpr int kFrames = kMaxBatch;
    for (int i = 0; i < kFrames; ++i) {
        frames.push_back(random_image(300, 200, seed(2) + static_cast<std::uint64_t>(i)));
        buffers.push_back(make_device_buffer(1 << 14, {false, 0, true}, view()));
    }
    for (DetectionBuffer& buffer : buffers) raw.push_back(&buffer);
    for (int repeat = 0; repeat < 3; ++repeat) {  // launched, captured, replayed
        detector.enqueue_batch(frames.data(), raw.data(), kFrames, none);
        for (std::size_t i = 0; i < frames.size(); i += 5) {
            const auto batched = sorted(download(buffers[i]));
            CnnDetector alone(view(), device, random_network(), native);
            EXPECT_EQ(batched, sorted(detect(alone, frames[i]))) << "frame " << i;
            EXPECT_GT(batched.size(), 5U);
        }
    }
}

TEST_F(CnnDetectorTest, FullBufferReportsTheTotal) {
    if (IsSkipped()) return;
    const Frame frame = random_image(320, 240, seed(3));
    CnnDetector detector(view(), device, random_network(), params());
    const std::size_t all = detect(detector, frame).detections.size();
    DetectionBuffer small = make_device_buffer(5, {}, view());  // without landmarks
    detector.enqueue(frame, small, none);
    const DetectionSet set = download(small);
    EXPECT_EQ(set.detections.size(), 5U);
    EXPECT_EQ(set.total, all);
    EXPECT_EQ(set.overflow(), all - 5);
}

TEST_F(CnnDetectorTest, SizeLimitsAndThresholdAreApplied) {
    if (IsSkipped()) return;
    const Frame frame = random_image(400, 300, seed(4));
    DetectorParams limited = params();
    limited.min_size = 20;
    limited.max_size = 90;
    limited.score_threshold = 0.5F;
    CnnDetector detector(view(), device, random_network(), limited);
    const DetectionSet set = detect(detector, frame);
    EXPECT_GT(set.detections.size(), 0U);
    for (const Detection& d : set.detections) {
        EXPECT_GE(d.score, 0.5F);
        EXPECT_GE(std::max(d.box.w, d.box.h), 20.0F);
        EXPECT_LE(std::max(d.box.w, d.box.h), 90.0F);
    }
}

TEST_F(CnnDetectorTest, InvalidChoicesAreReported) {
    if (IsSkipped()) return;
    DetectorParams bad = params();
    bad.switches["graph"] = "perhaps";
    EXPECT_THROW(CnnDetector(view(), device, random_network(), bad), Error);
    bad = params();
    bad.switches["grafh"] = "on";
    EXPECT_THROW(CnnDetector(view(), device, random_network(), bad), Error);
    CnnDetector detector(view(), device, random_network(), params());
    bad = params();
    bad.score_threshold = 1.5F;
    EXPECT_THROW(detector.configure(bad), Error);
    const Frame frame = random_image(320, 240, seed(1));
    EXPECT_GT(detect(detector, frame).detections.size(), 10U);  // the previous parameters are kept
    DetectionBuffer host = make_host_buffer(10);
    EXPECT_THROW(detector.enqueue(frame, host, none), Error);
}

}  // namespace
}  // namespace throng::test
