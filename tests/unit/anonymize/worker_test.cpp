// The worker of anonymize after a failure that is no throng::Error.
#include "app/commands/anonymize_worker.h"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <string>
#include <utility>

#include "app/commands/anonymize_files.h"
#include "core/cpu/cpu_backend.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

// The CPU backend with two frames in flight, as CUDA has. Its detectors run out of memory at their second frame.
class ScarceBackend final : public Backend {
public:
    [[nodiscard]] std::string name() const override { return inner_->name(); }
    [[nodiscard]] std::string description() const override { return inner_->description(); }
    std::unique_ptr<Detector> make_detector(const DetectorParams& params) override {
        return std::make_unique<ScarceDetector>(inner_->make_detector(params));
    }
    std::unique_ptr<Nms> make_nms() override { return inner_->make_nms(); }
    DetectionBuffer make_buffer(std::int32_t capacity, const OptionalFields& optional_fields) override {
        return inner_->make_buffer(capacity, optional_fields);
    }
    std::unique_ptr<StageRecorder> make_recorder() override { return inner_->make_recorder(); }
    void download(const DetectionBuffer& buffer, DetectionSet& out) override { inner_->download(buffer, out); }
    void upload(const DetectionSet& in, DetectionBuffer& buffer) override { inner_->upload(in, buffer); }
    [[nodiscard]] int frames_in_flight() const override { return 2; }
    std::unique_ptr<FrameReadback> make_readback() override { return inner_->make_readback(); }

private:
    class ScarceDetector final : public Detector {
    public:
        explicit ScarceDetector(std::unique_ptr<Detector> inner) : inner_(std::move(inner)) {}
        void enqueue(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder) override {
            if (++frames_ == 2) throw std::bad_alloc();
            inner_->enqueue(frame, raw, recorder);
        }
        void configure(const DetectorParams& params) override { inner_->configure(params); }

    private:
        std::unique_ptr<Detector> inner_;
        int frames_ = 0;
    };

    std::shared_ptr<Backend> inner_ = make_cpu_backend(1);
};

TEST(AnonymizeWorker, AnImageHasItsOwnFacesAfterMemoryRanOut) {
    const test::ScratchDir dir;
    const auto path = [&](const std::string& name) { return (dir.path() / name).string(); };
    for (const char* seed : {"1", "2"}) {
        ASSERT_EQ(test::run_program(
                      {"crowd", path(std::string(seed) + ".png"), "--faces", "3", "--size", "320x240", "--seed", seed})
                      .status,
                  0);
    }
    AnonymizeArguments arguments;
    arguments.detector.kind = "haar";
    const AnonymizeSetup setup = make_anonymize_setup(arguments);
    EncoderOnDemand encoder("auto");
    const CommonOptions common;
    const auto hide = [&](AnonymizeWorker& worker, const std::string& name) {
        const InputFiles files = input_files(path(name));
        return worker.process(files, true, "", path("out.png"), [](const AnonymizeProgress&) {}, {});
    };
    AnonymizeWorker plain(setup, encoder, common, {make_cpu_backend(1), ""});
    const ReportedFile expected = hide(plain, "2.png");
    const std::string pixels = test::contents(path("out.png"));
    ASSERT_GE(expected.detected, 1);

    AnonymizeWorker scarce(setup, encoder, common, {std::make_shared<ScarceBackend>(), ""});
    static_cast<void>(hide(scarce, "1.png"));
    EXPECT_THROW(static_cast<void>(hide(scarce, "1.png")), std::bad_alloc);
    const ReportedFile next = hide(scarce, "2.png");
    EXPECT_EQ(next.detected, expected.detected);
    EXPECT_EQ(test::contents(path("out.png")), pixels);
}

}  // namespace
}  // namespace throng
