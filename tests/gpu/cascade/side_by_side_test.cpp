// Detectors of different models, sizes and plans on threads of their own: each finds what it finds alone.
#include <functional>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/model/cascade_xml.h"
#include "core/synth/crowd.h"
#include "gpu/cascade/cascade_detector.h"
#include "gpu/cnn/cnn_detector.h"
#include "gpu/hog/hog_detector.h"
#include "tests/gpu/cascade/compare.h"
#include "tests/gpu/cnn/random_frames.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/random.h"
#include "tests/support/test_data.h"

namespace throng::test {
namespace {

constexpr std::int32_t kSideBySideCapacity = 1 << 16;

struct SideBySideCase {
    DetectorId kind;
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
        DetectionSet set;
        do {
            detector_.enqueue(of_.frame, raw_, recorder_);
            transfer_.download(raw_, set, stream_.view());
        } while (detector_.reserve(set.candidates));
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
        const DetectorId kind = std::string(name).substr(0, 3) == "lbp" ? DetectorId::lbp : DetectorId::haar;
        cases.push_back({kind, model, 24, frame(640, 480)});
        cases.push_back({kind, model, 60, frame(640, 480)});
        if (kind == DetectorId::lbp || cases.size() == 2) cases.push_back({kind, model, 45, frame(1920, 1080)});
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

// Two detectors of every pair of kinds, each on a thread and a stream of its own.
TEST_F(SideBySide, EveryPairOfKinds) {
    if (IsSkipped() || HasFatalFailure()) return;
    TH_NEED(haar, cascade_file("haarcascade_frontalface_alt2.xml"), "haarcascade_frontalface_alt2.xml");
    TH_NEED(lbp, cascade_file("lbpcascade_frontalface_improved.xml"), "lbpcascade_frontalface_improved.xml");
    const gpu::DeviceInfo on = gpu::use_device(0);
    const auto params = [](DetectorId kind, int min_size) {
        DetectorParams of;
        of.kind = kind;
        of.min_size = min_size;
        return of;
    };
    using Make = std::function<std::unique_ptr<Detector>(gpu::StreamView)>;
    const auto cascade = [&](const std::filesystem::path& file, DetectorParams of) {
        return [&on, model = read_cascade(file), of](gpu::StreamView own) {
            return std::make_unique<gpu::CascadeDetector>(own, on, model, of);
        };
    };
    const auto cnn = [&](gpu::StreamView own) {
        DetectorParams of = params(DetectorId::cnn, 10);
        of.score_threshold = 0.3F;
        return std::make_unique<gpu::CnnDetector>(own, on, random_network(), of);
    };
    const auto hog = [&](gpu::StreamView own) {
        DetectorParams of = params(DetectorId::hog, 64);
        of.score_threshold = -1.0F;
        return std::make_unique<gpu::HogDetector>(own, on, read_hog_model(""), of, gpu::hog_kernels);
    };
    const std::vector<std::pair<std::string, Make>> kinds = {{"haar 24", cascade(haar, params(DetectorId::haar, 24))},
                                                             {"haar 60", cascade(haar, params(DetectorId::haar, 60))},
                                                             {"lbp 24", cascade(lbp, params(DetectorId::lbp, 24))},
                                                             {"hog", hog},
                                                             {"cnn", cnn}};
    const Frame frame = random_image(320, 240, seed(64));
    // Detects repeatedly with a new detector. Returns what it finds, or the first difference from `expected`.
    const auto detect = [&](const Make& make, int calls, const std::vector<ScoredBox>* expected) {
        std::pair<std::vector<ScoredBox>, std::string> result;
        try {
            const gpu::Stream own;
            const std::unique_ptr<Detector> detector = make(own.view());
            DetectionBuffer raw = gpu::make_device_buffer(kSideBySideCapacity, detector->optional_fields(), own.view());
            gpu::DetectionTransfer own_transfer;
            NullRecorder none;
            for (int n = 0; n < calls && result.second.empty(); ++n) {
                DetectionSet set;
                do {
                    detector->enqueue(frame, raw, none);
                    own_transfer.download(raw, set, own.view());
                } while (detector->reserve(set.candidates));
                result.first = sorted_boxes(set);
                if (expected != nullptr) result.second = difference(*expected, result.first);
            }
        } catch (const Error& error) {
            result.second = error.what();
        }
        return result;
    };
    const auto calls = static_cast<int>(case_count(2000));
    std::vector<std::vector<ScoredBox>> alone;
    for (const auto& [name, make] : kinds) {
        auto [found, problem] = detect(make, 1, nullptr);
        EXPECT_EQ(problem, "") << name;
        alone.push_back(std::move(found));
    }
    EXPECT_GT(alone[4].size(), 5U);
    for (std::size_t a = 0; a < kinds.size(); ++a) {
        for (std::size_t b = a; b < kinds.size(); ++b) {
            std::string problems[2];
            {
                std::latch started(2);
                std::vector<std::jthread> threads;
                for (const std::size_t side : {0U, 1U}) {
                    threads.emplace_back([&, side] {
                        const std::size_t kind = side == 0 ? a : b;
                        started.arrive_and_wait();
                        problems[side] = detect(kinds[kind].second, calls, &alone[kind]).second;
                    });
                }
            }
            EXPECT_EQ(problems[0] + problems[1], "") << kinds[a].first << " beside " << kinds[b].first;
        }
    }
}

}  // namespace
}  // namespace throng::test
