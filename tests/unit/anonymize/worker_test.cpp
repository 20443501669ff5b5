// The worker of anonymize after a failure that is no throng::Error.
#include "app/commands/anonymize_worker.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "app/commands/anonymize_files.h"
#include "core/base/error.h"
#include "core/base/output_file.h"
#include "core/cpu/cpu_backend.h"
#include "core/video/image_file.h"
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

// The output of a small image that is read in strips is that of the whole image, pixel for pixel.
TEST(AnonymizeWorker, AnImageInStripsIsHiddenAsAWhole) {
    const test::ScratchDir dir;
    const auto path = [&](const std::string& name) { return (dir.path() / name).string(); };
    ASSERT_EQ(test::run_program({"crowd", path("crowd.jpg"), "--faces", "5", "--size", "480x360"}).status, 0);
    for (const char* name : {"crowd.png", "crowd.tif"}) {
        ASSERT_EQ(test::run_program({"crowd", path(name), "--faces", "5", "--size", "480x360"}).status, 0);
    }
    const std::string jpeg = test::contents(path("crowd.jpg"));
    write_file(path("cut.jpg"), std::string_view(jpeg).substr(0, jpeg.size() / 2));
    AnonymizeArguments arguments;
    arguments.detection.chosen.set("detector", "haar");
    arguments.regions = path("regions.jsonl");
    const AnonymizeSetup setup = make_anonymize_setup(arguments);
    EncoderOnDemand encoder("auto");
    AnonymizeWorker worker(setup, encoder, CommonOptions(), {make_cpu_backend(1), ""});
    const auto hide = [&](const std::string& name, const std::string& output) {
        const InputFiles files = input_files(path(name));
        return worker.process(files, true, "", path(output), [](const AnonymizeProgress&) {}, {});
    };
    for (const auto& [name, format] :
         {std::pair{"crowd.jpg", "jpg"}, {"crowd.png", "png"}, {"crowd.tif", "tif"}, {"cut.jpg", "jpg"}}) {
        const ReportedFile whole = hide(name, std::string("whole.") + format);
        const std::string regions = test::contents(path("regions.jsonl"));
        strip_limits() = {.whole_pixels = 1000, .strip_bytes = 20'000};
        const ReportedFile strips = hide(name, std::string("strips.") + format);
        EXPECT_THROW(static_cast<void>(hide(name, "strips.webp")), Error);
        strip_limits() = {};
        EXPECT_FALSE(std::filesystem::exists(path("strips.webp")));
        EXPECT_EQ(strips.detected, whole.detected) << name;
        EXPECT_EQ(strips.incomplete, whole.incomplete);
        EXPECT_EQ(strips.whole_frames, whole.whole_frames);
        EXPECT_EQ(test::contents(path("regions.jsonl")), regions);
        const cv::Mat expected = cv::imread(path(std::string("whole.") + format));
        const cv::Mat found = cv::imread(path(std::string("strips.") + format));
        ASSERT_FALSE(expected.empty());
        ASSERT_EQ(found.size(), expected.size());
        EXPECT_EQ(cv::norm(found, expected, cv::NORM_INF), 0) << name;
        EXPECT_EQ(whole.whole_frames > 0, std::string(name) == "cut.jpg");
    }
}

// Fails for what a later pass cannot read, which may be a face. A part of the image is not written as the whole.
TEST(AnonymizeWorker, AnImageInStripsIsReadToItsEndInEachPass) {
    const test::ScratchDir dir;
    const auto path = [&](const std::string& name) { return (dir.path() / name).string(); };
    ASSERT_EQ(test::run_program({"crowd", path("crowd.jpg"), "--faces", "5", "--size", "480x360"}).status, 0);
    const std::string jpeg = test::contents(path("crowd.jpg"));
    AnonymizeArguments arguments;
    arguments.detection.chosen.set("detector", "haar");
    const AnonymizeSetup setup = make_anonymize_setup(arguments);
    EncoderOnDemand encoder("auto");
    strip_limits() = {.whole_pixels = 1000, .strip_bytes = 20'000};
    for (const bool detected : {false, true}) {
        write_file(path("in.jpg"), jpeg);
        write_file(path("out.jpg"), "before");
        const auto cut = [&] { write_file(path("in.jpg"), std::string_view(jpeg).substr(0, jpeg.size() / 2)); };
        AnonymizeWorker worker(
            setup, encoder, CommonOptions(),
            {std::make_shared<test::WrappedBackend>(make_cpu_backend(1),
                                                    [&](const Frame&, const std::function<void()>& enqueue) {
                                                        if (!detected) cut();
                                                        enqueue();
                                                        if (detected) cut();
                                                    }),
             ""});
        const InputFiles files = input_files(path("in.jpg"));
        try {
            static_cast<void>(worker.process(files, true, "", path("out.jpg"), [](const AnonymizeProgress&) {}, {}));
            ADD_FAILURE() << "no error, detected: " << detected;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("read again"), std::string::npos) << error.what();
        }
        EXPECT_EQ(test::contents(path("out.jpg")), "before");
    }
    strip_limits() = {};
}

}  // namespace
}  // namespace throng
