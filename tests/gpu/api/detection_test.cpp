// libthrong with CUDA: detectors of one process side by side, and processes that are forked afterwards.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "app/api/throng.h"
#include "core/synth/crowd.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/forked.h"
#include "tests/support/test_data.h"

namespace throng::test {
namespace {

struct LibraryCase {
    const char* kind;
    int min_size;
};
constexpr LibraryCase kLibraryCases[] = {{"haar", 24}, {"haar", 60}, {"lbp", 24}, {"lbp", 45}, {"hog", 0}};

class DetectionOnCuda : public GpuTest {
protected:
    void SetUp() override {
        GpuTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        TH_NEED(haar, cascade_file("haarcascade_frontalface_alt2.xml"), "opencv-data");
        CrowdOptions options;
        options.width = 1920;
        options.height = 1080;
        frame_ = Crowd(options).frame(0);
        image_ = throng_image_default();
        image_.format = THRONG_GRAY8;
        image_.width = frame_.width();
        image_.height = frame_.height();
        image_.planes[0] = frame_.plane(0).data;
        image_.pitch[0] = frame_.plane(0).pitch;
    }

    static throng_options options_of(const LibraryCase& of, std::int32_t backend) {
        throng_options options = throng_options_default();
        options.backend = backend;
        options.detector = of.kind;
        options.min_size = of.min_size;
        return options;
    }

    // A text instead of the detections in the case of an error.
    std::string detect(throng_detector* detector) const {
        std::vector<throng_detection> found(10000);
        std::int64_t count = 0;
        if (throng_detect(detector, &image_, found.data(), sizeof found[0], 10000, &count) != THRONG_OK) {
            return throng_detector_error(detector);
        }
        std::string text;
        for (std::int64_t k = 0; k < count; ++k) {
            const throng_detection& d = found[static_cast<std::size_t>(k)];
            for (const float v : {d.x, d.y, d.width, d.height, d.score}) text += std::to_string(v) + " ";
            text += std::to_string(d.hits) + "\n";
        }
        return text;
    }

    std::string detect_by_new(const LibraryCase& of, int calls) const {
        const throng_options options = options_of(of, THRONG_BACKEND_CUDA);
        throng_detector* detector = nullptr;
        if (throng_detector_create(&detector, THRONG_ABI, &options) != THRONG_OK) return throng_detector_error(nullptr);
        std::string text = detect(detector);
        for (int n = 1; n < calls; ++n) {
            if (const std::string again = detect(detector); again != text) text = again;
        }
        throng_detector_destroy(detector);
        return text;
    }

    Frame frame_;
    throng_image image_{};
};

TEST_F(DetectionOnCuda, DetectorsOfOneProcessDoNotDisturbEachOther) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::vector<std::string> expected;
    for (const LibraryCase& of : kLibraryCases) {
        expected.push_back(detect_by_new(of, 1));
        EXPECT_GT(expected.back().size(), 100U) << of.kind << ": " << expected.back();
    }
    constexpr std::size_t kThreads = 10;
    std::vector<std::string> problems(kThreads);
    std::latch started(kThreads);
    {
        std::vector<std::jthread> threads;
        for (std::size_t t = 0; t < kThreads; ++t) {
            threads.emplace_back([&, t] {
                started.arrive_and_wait();
                const std::size_t c = t % std::size(kLibraryCases);
                for (int turn = 0; turn < 10 && problems[t].empty(); ++turn) {
                    const std::string found = detect_by_new(kLibraryCases[c], 15);
                    if (found != expected[c]) problems[t] = found;
                }
            });
        }
    }
    for (std::size_t t = 0; t < kThreads; ++t) EXPECT_EQ(problems[t], "") << kLibraryCases[t % 5].kind;
}

TEST_F(DetectionOnCuda, AForkedProcessIsToldAndHasTheCpu) {
    if (IsSkipped() || HasFatalFailure()) return;
    throng_options options = options_of(kLibraryCases[1], THRONG_BACKEND_CUDA);
    throng_detector* detector = nullptr;
    ASSERT_EQ(throng_detector_create(&detector, THRONG_ABI, &options), THRONG_OK) << throng_detector_error(nullptr);
    throng_stream* opened = nullptr;
    ASSERT_EQ(throng_stream_open(&opened, THRONG_ABI, "crowd:faces=2,size=320x240", &options), THRONG_OK);
    const std::string expected = detect(detector);
    EXPECT_TRUE(holds_in_fork([&] {
        EXPECT_NE(detect(detector).find("made before fork"), std::string::npos);
        const throng_frame* frame = nullptr;
        EXPECT_EQ(throng_stream_next(opened, -1, &frame, nullptr), THRONG_ERROR_USAGE);
        throng_stream_destroy(opened);
        throng_detector_destroy(detector);
        EXPECT_EQ(throng_detector_create(&detector, THRONG_ABI, &options), THRONG_ERROR_UNAVAILABLE);
        EXPECT_NE(std::string(throng_detector_error(nullptr)).find("forked"), std::string::npos)
            << throng_detector_error(nullptr);
        options.backend = THRONG_BACKEND_AUTO;
        ASSERT_EQ(throng_detector_create(&detector, THRONG_ABI, &options), THRONG_OK) << throng_detector_error(nullptr);
        EXPECT_STREQ(throng_detector_backend(detector), "cpu");
        EXPECT_EQ(detect(detector), expected);
        throng_detector_destroy(detector);
    }));
    EXPECT_EQ(detect(detector), expected);
    throng_stream_destroy(opened);
    throng_detector_destroy(detector);
}

}  // namespace
}  // namespace throng::test
