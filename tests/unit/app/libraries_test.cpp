// Shared libraries that the program loads when it first uses them.
#include <gtest/gtest.h>

#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <string>

#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

// The loader lists what a start loads, and does not start the program.
TEST(Libraries, AStartLoadsNoneThatFewRunsNeed) {
    const test::ProgramResult listed =
        test::run_program({"--version"}, test::own_process({"LD_TRACE_LOADED_OBJECTS=1"}));
    EXPECT_NE(listed.out.find("libavcodec"), std::string::npos) << listed.out;
    for (const char* library : {"libavdevice", "libavfilter", "libopencv_imgcodecs", "libopencv_videoio",
                                "libopencv_highgui", "libgstreamer", "libgdal", "libQt6", "libmosquitto"}) {
        EXPECT_EQ(listed.out.find(library), std::string::npos) << library;
    }
}

TEST(Libraries, AMissingModuleIsNamed) {
    const test::ScratchDir dir;
    const std::string alone = (dir.path() / "throng").string();  // its module is not where it searches
    std::filesystem::copy_file(test::program_path(), alone);
    test::ProgramOptions options = test::own_process();
    options.launcher = {"sh", "-c", "exec '" + alone + "' \"$@\""};
    const auto detect = [&](const char* name) {
        const std::string file = (dir.path() / name).string();
        EXPECT_TRUE(cv::imwrite(file, cv::Mat(240, 320, CV_8UC3, cv::Scalar(20, 90, 160))));
        return test::run_program({"detect", file, "--detector", "haar", "--backend", "cpu"}, options);
    };
    EXPECT_EQ(detect("a.jpg").status, 0);
    EXPECT_EQ(detect("a.png").status, 0);
    const test::ProgramResult webp = detect("a.webp");
    EXPECT_EQ(webp.status, 4) << webp.err;
    EXPECT_NE(webp.err.find("throng-media"), std::string::npos) << webp.err;
    const test::ProgramResult window = test::run_program({"view", "crowd:faces=2"}, options);
    EXPECT_EQ(window.status, 4) << window.err;
    EXPECT_NE(window.err.find("install the package throng, or use `throng detect"), std::string::npos) << window.err;
}

}  // namespace
}  // namespace throng
