// Detectors of different models, sizes and plans on threads of their own: each finds what it finds alone.
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/model/cascade_xml.h"
#include "core/synth/crowd.h"
#include "gpu/cascade/cascade_detector.h"
#include "tests/gpu/cascade/compare.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/test_data.h"

namespace throng::test {
namespace {

constexpr std::int32_t kSideBySideCapacity = 1 << 16;

struct SideBySideCase {
    std::string kind;
    CascadeModel model;
    int min_size;
    Frame frame;
};

// A detector with a stream of its own.
class SideBySideDetector {
public:
    explicit SideBySideDetector(const SideBySideCase& of)
        : of_(of), detector_(stream_.view(), gpu::use_device(0), of.model, params(of)) {}

    std::vector<ScoredBox> detect() {
        detector_.enqueue(of_.frame, raw_, recorder_);
        DetectionSet set;
        transfer_.download(raw_, set, stream_.view());
        return sorted_boxes(set);
    }

private:
    static DetectorParams params(const SideBySideCase& of) {
        DetectorParams params;
        params.kind = of.kind;
        params.min_size = of.min_size;
        return params;
    }

    const SideBySideCase& of_;
    gpu::Stream stream_;
    gpu::CascadeDetector detector_;
    gpu::DetectionTransfer transfer_;
    DetectionBuffer raw_ = gpu::make_device_buffer(kSideBySideCapacity, {}, stream_.view());
    NullRecorder recorder_;
};

using SideBySide = GpuTest;

TEST_F(SideBySide, DetectorsDoNotDisturbEachOther) {
    if (IsSkipped() || HasFatalFailure()) return;
    const auto frame = [](int width, int height) {
        CrowdOptions options;
        options.width = width;
        options.height = height;
        return Crowd(options).frame(0);
    };
    std::vector<SideBySideCase> cases;
    for (const char* name :
         {"haarcascade_frontalface_alt2.xml", "haarcascade_frontalface_alt.xml", "haarcascade_frontalface_default.xml",
          "lbpcascade_frontalface_improved.xml", "lbpcascade_profileface.xml"}) {
        TH_NEED(file, cascade_file(name), name);
        const CascadeModel model = read_cascade(file);
        const std::string kind = std::string(name).substr(0, 3) == "lbp" ? "lbp" : "haar";
        cases.push_back({kind, model, 24, frame(640, 480)});
        cases.push_back({kind, model, 60, frame(640, 480)});
        if (kind == "lbp" || cases.size() == 2) cases.push_back({kind, model, 45, frame(1920, 1080)});
    }
    std::vector<std::vector<ScoredBox>> expected;
    std::size_t found = 0;
    for (const SideBySideCase& of : cases) {
        expected.push_back(SideBySideDetector(of).detect());
        found += expected.back().size();
    }
    EXPECT_GT(found, 100U);

    std::vector<std::string> problems(cases.size());
    std::latch started(static_cast<std::ptrdiff_t>(cases.size()));
    {
        std::vector<std::jthread> threads;
        for (std::size_t c = 0; c < cases.size(); ++c) {
            threads.emplace_back([&, c] {
                started.arrive_and_wait();
                try {
                    for (int turn = 0; turn < 20 && problems[c].empty(); ++turn) {
                        SideBySideDetector detector(cases[c]);
                        for (int n = 0; n < 15; ++n) problems[c] += difference(expected[c], detector.detect());
                    }
                } catch (const Error& error) {
                    problems[c] = error.what();
                }
            });
        }
    }
    for (std::size_t c = 0; c < cases.size(); ++c) {
        EXPECT_EQ(problems[c], "") << cases[c].model.name << ", at least " << cases[c].min_size << " px";
    }
}

}  // namespace
}  // namespace throng::test
