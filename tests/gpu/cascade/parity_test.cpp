// The CUDA detector gives the CPU's detections on photographs, the drawn crowd, noise, and frames of odd sizes.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/base/error.h"
#include "core/cpu/cascade_detector.h"
#include "core/detect/detector_kinds.h"
#include "core/model/cascade_xml.h"
#include "core/synth/crowd.h"
#include "core/video/formats.h"
#include "core/video/image_file.h"
#include "gpu/lab/cascade_steps.h"
#include "tests/gpu/cascade/compare.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/random.h"
#include "tests/support/test_data.h"

namespace throng::test {
namespace {

constexpr std::int32_t kCapacity = 1 << 18;

class CascadeParity : public GpuTest {
protected:
    // Runs both detectors on one frame.
    void expect_same(CascadeDetector& cpu, gpu::CascadeDetector& cuda, const Frame& frame, const std::string& what) {
        if (!raw_) {
            raw_ = gpu::make_device_buffer(kCapacity, {}, view());
            host_ = make_host_buffer(kCapacity);
        }
        cpu.enqueue(frame, *host_, recorder_);
        DetectionSet expected;
        copy_host(expected);
        const DetectionSet found = raw_detections(cuda, frame, *raw_);
        EXPECT_EQ(expected.total, found.total) << what;
        EXPECT_EQ(difference(sorted_boxes(expected), sorted_boxes(found)), "") << what;
        total_ += found.total;
    }

    std::uint64_t total_ = 0;

private:
    void copy_host(DetectionSet& out) {
        const DetectionSpan& span = host_->span();
        out.total = span.count->total;
        for (std::uint32_t i = 0; i < std::min<std::uint32_t>(span.count->total, kCapacity); ++i) {
            out.detections.push_back({span.boxes[i], span.scores[i]});
        }
    }

    std::optional<DetectionBuffer> raw_, host_;
    NullRecorder recorder_;
};

struct Case {
    const char* model;
    DetectorId kind;
    double factor;
    int min_size;
};

void PrintTo(const Case& c, std::ostream* out) {
    *out << c.model;
}

class CascadeParityOfModels : public CascadeParity, public ::testing::WithParamInterface<Case> {};

TEST_P(CascadeParityOfModels, PhotographsAndCrowd) {
    if (IsSkipped() || HasFatalFailure()) return;
    TH_NEED(file, cascade_file(GetParam().model), GetParam().model);
    const CascadeModel model = read_cascade(file);
    DetectorParams params;
    params.kind = GetParam().kind;
    params.scale_factor = GetParam().factor;
    params.min_size = GetParam().min_size;
    CascadeDetector cpu(model, params);
    gpu::CascadeOptions switches;
    switches.graph = GetParam().min_size == 24;
    gpu::CascadeSteps cuda(view(), device, model, params, switches);

    CrowdOptions options;
    options.width = 1280;
    options.height = 720;
    const Crowd crowd(options);
    // The first frame runs without a graph. Then a graph is captured for each of the intake's three buffers and
    // replayed.
    for (int n = 0; n < 8; ++n) expect_same(cpu, cuda, crowd.frame(n), "crowd");

    if (const auto data = data_dir()) {
        for (const auto& entry : std::filesystem::directory_iterator(*data / "photos")) {
            if (format_of_name(entry.path()).kind != NameKind::image) continue;
            expect_same(cpu, cuda, load_image(entry.path()).frame, entry.path().filename().string());
        }
    }
    RecordProperty("detections", static_cast<int>(total_));
    EXPECT_GT(total_, 0U);
}

INSTANTIATE_TEST_SUITE_P(Models, CascadeParityOfModels,
                         ::testing::Values(Case{"haarcascade_frontalface_alt2.xml", DetectorId::haar, 1.1, 24},
                                           Case{"haarcascade_frontalface_alt.xml", DetectorId::haar, 1.25, 24},
                                           Case{"haarcascade_frontalface_default.xml", DetectorId::haar, 1.2, 24},
                                           Case{"haarcascade_profileface.xml", DetectorId::haar, 1.3, 24},
                                           Case{"haarcascade_eye_tree_eyeglasses.xml", DetectorId::haar, 1.2, 20},
                                           Case{"haarcascade_upperbody.xml", DetectorId::haar, 1.3, 24},
                                           Case{"lbpcascade_frontalface.xml", DetectorId::lbp, 1.1, 24},
                                           Case{"lbpcascade_frontalface_improved.xml", DetectorId::lbp, 1.1, 45},
                                           Case{"lbpcascade_profileface.xml", DetectorId::lbp, 1.2, 34}));

TEST_F(CascadeParity, SizesFromTheWindowTo8192x4320) {
    if (IsSkipped() || HasFatalFailure()) return;
    TH_NEED(file, cascade_file("haarcascade_frontalface_alt2.xml"), "haarcascade_frontalface_alt2.xml");
    const CascadeModel model = read_cascade(file);
    DetectorParams params;
    params.min_size = 20;
    CascadeDetector cpu(model, params);
    gpu::CascadeDetector cuda(view(), device, model, params);
    std::mt19937_64 random(seed(41));
    const int sizes[][2] = {{24, 24},   {20, 20},   {19, 300},  {300, 19},   {1, 1},     {4000, 1},
                            {21, 20},   {20, 471},  {471, 20},  {33, 65},    {127, 129}, {1921, 61},
                            {640, 480}, {641, 479}, {64, 2100}, {1279, 719}, {52, 52},   {53, 1000}};
    for (const auto& [width, height] : sizes) {
        for (int turn = 0; turn < 2; ++turn) {
            const std::string what = std::to_string(width) + "x" + std::to_string(height);
            expect_same(cpu, cuda, frame_of(random_image(random, width, height)), what);
        }
    }
    params.min_size = 60;
    params.scale_factor = 1.3;
    cpu.configure(params);
    cuda.configure(params);
    for (const auto& [width, height] : {std::pair{3840, 2160}, std::pair{8192, 4320}}) {
        CrowdOptions options;
        options.width = width;
        options.height = height;
        options.faces = 200;
        expect_same(cpu, cuda, Crowd(options).frame(0), std::to_string(width));
    }
    EXPECT_GT(total_, 0U);
}

TEST_F(CascadeParity, NoiseAndOddPitches) {
    if (IsSkipped() || HasFatalFailure()) return;
    TH_NEED(file, cascade_file("lbpcascade_frontalface.xml"), "lbpcascade_frontalface.xml");
    const CascadeModel model = read_cascade(file);
    DetectorParams params;
    params.kind = DetectorId::lbp;
    CascadeDetector cpu(model, params);
    gpu::CascadeDetector cuda(view(), device, model, params);
    std::mt19937_64 random(seed(42));
    for (const int extra : {0, 1, 3, 64, 129}) {
        FrameInfo info;
        info.width = 333;
        info.height = 211;
        auto pixels = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>((333 + extra) * 211 + 1));
        for (std::uint8_t& pixel : *pixels) pixel = static_cast<std::uint8_t>(random());
        const PlaneView planes[Frame::kMaxPlanes] = {{pixels->data() + 1, 333 + extra, 333, 211}};
        expect_same(cpu, cuda, Frame(info, planes, pixels), std::to_string(extra));
    }
}

// Queues begin with memory for few of the windows. A frame that needs more reports it, and has all detections when it
// runs again, also after frames of other sizes; then queues do not grow any more.
TEST_F(CascadeParity, AModelThatNeverRejectsFillsTheQueue) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(43));
    for (const CascadeKind kind : {CascadeKind::haar, CascadeKind::lbp}) {
        CascadeModel model = random_cascade(random, kind, 24, 24, 2, false);
        for (CascadeStage& stage : model.stages) stage.threshold = -1e6F;
        DetectorParams params;
        params.kind = kind == CascadeKind::haar ? DetectorId::haar : DetectorId::lbp;
        CascadeDetector cpu(model, params);
        gpu::CascadeDetector cuda(view(), device, model, params);
        const Frame frame = frame_of(random_image(random, 500, 300));
        const std::string name(detector_kind(params.kind).name);
        DetectionBuffer large = gpu::make_device_buffer(kCapacity, {}, view());
        NullRecorder recorder;
        cuda.enqueue(frame, large, recorder);
        const DetectionSet first = download(large);
        const std::size_t little = cuda.plan()->queue_memory();
        EXPECT_LE(little / sizeof(gpu::QueuedWindow) * 16, static_cast<std::size_t>(cuda.plan()->window_count()));
        EXPECT_LT(first.total, first.candidates);
        EXPECT_TRUE(cuda.reserve(first.candidates));
        EXPECT_TRUE(cuda.reserve(first.candidates - 1));  // of a frame that was in flight as well
        for (int turn = 0; turn < 3; ++turn) {
            expect_same(cpu, cuda, frame, name);
            expect_same(cpu, cuda, frame_of(random_image(random, 100 + 40 * turn, 90)), name);
        }
        cuda.enqueue(frame, large, recorder);
        const DetectionSet all = download(large);
        EXPECT_EQ(all.candidates, 0U);
        EXPECT_EQ(all.total, first.candidates);
        EXPECT_GT(cuda.plan()->queue_memory(), little);
        EXPECT_FALSE(cuda.reserve(0));

        // A buffer smaller than the number of detections: all are counted, the buffer holds some of them, and nothing
        // beyond it is written.
        DetectionBuffer small = gpu::make_device_buffer(100, {}, view());
        cuda.enqueue(frame, small, recorder);
        const DetectionSet set = download(small);
        EXPECT_EQ(set.detections.size(), 100U);
        EXPECT_GT(set.overflow(), 10000U);
        for (const Detection& d : set.detections) EXPECT_GE(d.box.w, 24.0F);
    }
}

}  // namespace
}  // namespace throng::test
