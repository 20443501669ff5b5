// The worker of anonymize after a failure that is no throng::Error.
#include "app/commands/anonymize_worker.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <new>
#include <string>

#include "app/commands/anonymize_files.h"
#include "core/cpu/cpu_backend.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"
#include "tests/support/wrapped_backend.h"

namespace throng {
namespace {

// The CPU backend with two frames in flight, as CUDA has. Its detectors run out of memory at their second frame.
std::shared_ptr<Backend> scarce_backend() {
    return std::make_shared<test::WrappedBackend>(
        make_cpu_backend(1),
        [frames = 0](const Frame&, const std::function<void()>& enqueue) mutable {
            if (++frames == 2) throw std::bad_alloc();
            enqueue();
        },
        2);
}

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
    arguments.detection.chosen.set("detector", "haar");
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

    AnonymizeWorker scarce(setup, encoder, common, {scarce_backend(), ""});
    static_cast<void>(hide(scarce, "1.png"));
    EXPECT_THROW(static_cast<void>(hide(scarce, "1.png")), std::bad_alloc);
    const ReportedFile next = hide(scarce, "2.png");
    EXPECT_EQ(next.detected, expected.detected);
    EXPECT_EQ(test::contents(path("out.png")), pixels);
}

}  // namespace
}  // namespace throng
