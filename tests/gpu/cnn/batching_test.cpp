// Frames of several sources in shared launches: every source gets its own detections.
#include <latch>
#include <memory>
#include <thread>

#include "core/model/onnx.pb.h"
#include "gpu/cnn/batching_detector.h"
#include "gpu/cnn/cnn_detector.h"
#include "gpu/cnn/dynamic_batcher.h"
#include "tests/gpu/cnn/random_frames.h"
#include "tests/gpu/frame/device_memory.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/network_reference.h"
#include "tests/support/onnx_maker.h"
#include "tests/support/random.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"

namespace throng::test {
namespace {

using namespace throng::gpu;

// Returns the frame as a decoder on the device would.
Frame on_device(const Frame& frame) {
    std::vector<std::uint8_t> bytes;
    FrameInfo info = frame.info();
    info.memory = MemoryKind::device;
    PlaneView planes[Frame::kMaxPlanes];
    std::size_t first[Frame::kMaxPlanes] = {};
    for (int p = 0; p < plane_count(info.format); ++p) {
        planes[p] = frame.plane(p);
        first[p] = bytes.size();
        const auto size = static_cast<std::size_t>(planes[p].pitch) * static_cast<std::size_t>(planes[p].height);
        bytes.insert(bytes.end(), planes[p].data, planes[p].data + size);
    }
    auto memory = std::make_shared<DeviceBuffer<std::uint8_t>>(to_device(bytes));
    for (int p = 0; p < plane_count(info.format); ++p) planes[p].data = memory->data() + first[p];
    return {info, planes, std::move(memory)};
}

class BatchingTest : public GpuTest {
protected:
    [[nodiscard]] static DetectorParams params() {
        DetectorParams params;
        params.kind = DetectorId::cnn;
        params.min_size = 10;
        params.score_threshold = 0.3F;
        return params;
    }
};

TEST_F(BatchingTest, EverySourceGetsItsOwnDetections) {
    if (IsSkipped()) return;
    constexpr std::size_t kFrames = 6;
    std::vector<Frame> frames;
    std::vector<decltype(sorted({}))> expected;
    CnnDetector alone(view(), device, random_network(), params());
    NullRecorder none;
    for (std::size_t i = 0; i < kFrames; ++i) {
        const bool wide = i % 3 == 2;  // two sizes
        frames.push_back(on_device(random_image(wide ? 320 : 300, wide ? 240 : 200, seed(61) + i)));
        DetectionBuffer raw = make_device_buffer(1 << 14, {false, 0, true}, view());
        alone.enqueue(frames.back(), raw, none);
        expected.push_back(sorted(download(raw)));
        EXPECT_GT(expected.back().size(), 5U);
    }

    const auto batcher = DynamicBatcher::of(device, random_network(), params());
    EXPECT_EQ(DynamicBatcher::of(device, random_network(), params()), batcher);
    DetectorParams others = params();
    others.min_size = 11;
    EXPECT_NE(DynamicBatcher::of(device, random_network(), others), batcher);
    EXPECT_NE(DynamicBatcher::of(device, random_yunet(6), params()), batcher);

    constexpr int kSources = 18;  // more than one batch
    std::latch started(kSources);
    std::vector<std::size_t> enqueued(kSources, 0);
    std::vector<std::size_t> wrong(kSources, 0);
    {
        std::vector<std::jthread> threads;
        for (std::size_t s = 0; s < kSources; ++s) {
            threads.emplace_back([&, s] {
                use_device(0);
                const Stream own;
                DynamicBatcher::Source source(batcher);
                DetectionTransfer own_transfer;
                NullRecorder own_none;
                DetectionBuffer raw[2] = {make_device_buffer(1 << 14, {false, 0, true}, own.view()),
                                          make_device_buffer(1 << 14, {false, 0, true}, own.view())};
                started.arrive_and_wait();
                const std::size_t count = 10 + 4 * s;  // sources leave one after the other
                for (std::size_t i = 0; i <= count; ++i) {
                    // Two frames are in flight, as in the pipeline.
                    if (i < count) {
                        enqueued[s] += source.enqueue(frames[(i + s) % kFrames], raw[i % 2], own_none, own.view());
                    }
                    if (i == 0) continue;
                    DetectionSet found;
                    own_transfer.download(raw[(i - 1) % 2], found, own.view());
                    wrong[s] += sorted(found) != expected[(i - 1 + s) % kFrames];
                }
            });
        }
    }
    std::size_t total = 0;
    for (std::size_t s = 0; s < kSources; ++s) {
        EXPECT_EQ(enqueued[s], 10 + 4 * s);
        EXPECT_EQ(wrong[s], 0U) << "source " << s;
        total += enqueued[s];
    }
    EXPECT_LT(batcher->batches(), total) << "frames did not share launches";
}

TEST_F(BatchingTest, AFrameDoesNotWaitForSilentSources) {
    if (IsSkipped()) return;
    const auto batcher = DynamicBatcher::of(device, random_network(), params());
    DynamicBatcher::Source source(batcher);
    EXPECT_FALSE(source.can_share(true));
    DynamicBatcher::Source silent(batcher);
    EXPECT_FALSE(source.can_share(true)) << "the other source has no frame that fits";
    EXPECT_FALSE(silent.can_share(false));
    EXPECT_FALSE(source.can_share(true));
    EXPECT_TRUE(silent.can_share(true));
    EXPECT_FALSE(source.can_share(false));
    EXPECT_FALSE(silent.can_share(true)) << "the frames of the other source no longer fit";
    EXPECT_TRUE(source.can_share(true));
    const Frame frame = on_device(random_image(300, 200, seed(62)));
    NullRecorder none;
    constexpr std::size_t kFrames = 20;
    std::vector<DetectionBuffer> raw;
    for (std::size_t i = 0; i < kFrames; ++i) raw.push_back(make_device_buffer(1 << 14, {}, view()));
    for (DetectionBuffer& each : raw) ASSERT_TRUE(source.enqueue(frame, each, none, view()));
    const auto expected = sorted(download(raw.front()));
    EXPECT_GT(expected.size(), 5U);
    for (const DetectionBuffer& each : raw) EXPECT_EQ(sorted(download(each)), expected);
    EXPECT_EQ(batcher->batches(), kFrames);
}

TEST_F(BatchingTest, TheLastFrameAloneIsReturnedToItsDecoder) {
    if (IsSkipped()) return;
    const ScratchDir folder;
    DetectorParams of_file = params();
    of_file.model = (folder.path() / "faces.onnx").string();
    of_file.min_size = 40;
    const std::string network = bytes_of(yunet_of_faces_everywhere());
    write_file(of_file.model, {network.begin(), network.end()});
    const auto first = make_cnn_detector(view(), device, of_file);
    const auto second = make_cnn_detector(view(), device, of_file);
    DetectionBuffer raw = make_device_buffer(1 << 14, {false, 0, true}, view());
    NullRecorder none;
    const Frame large = on_device(random_image(1280, 832, seed(63)));
    const auto enqueue = [&](Detector& detector, const Frame& frame) {
        detector.enqueue(frame, raw, none);
        stream->synchronize();
    };
    std::weak_ptr<const Frame> surface;
    {
        const auto held = std::make_shared<const Frame>(large);
        surface = held;
        PlaneView planes[Frame::kMaxPlanes];
        for (int p = 0; p < plane_count(large.info().format); ++p) planes[p] = large.plane(p);
        enqueue(*first, Frame(large.info(), planes, held));
    }
    enqueue(*second, large);
    EXPECT_FALSE(surface.expired()) << "the detector no longer keeps a frame: this test shows nothing";
    enqueue(*first, large);
    EXPECT_TRUE(surface.expired());
}

}  // namespace
}  // namespace throng::test
