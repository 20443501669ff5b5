// detect --audio, as a user calls it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/program/program.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"

namespace throng {
namespace {

using test::run_program;

TEST(AudioOption, CopiesOnRequestOnly) {
    TH_NEED_FFMPEG();
    const test::ScratchDir dir;
    const std::string input = (dir.path() / "in.mp4").string();
    test::ffmpeg("-f lavfi -i testsrc=size=160x120:rate=10:duration=1 -f lavfi -i sine=440:duration=1 -c:a aac", input);
    for (const bool copy : {false, true}) {
        const std::string output = (dir.path() / "out.mp4").string();
        const auto result = run_program({"detect", input, "--video", output, "--audio", copy ? "copy" : "drop"});
        EXPECT_EQ(result.status, 0) << result.err;
        // The codec's tag of AAC in the sample description.
        EXPECT_EQ(test::contents(output).find("mp4a") != std::string::npos, copy);
    }
}

TEST(AudioOption, RejectsWhatHasNoAudioBeforeAnythingIsWritten) {
    const test::ScratchDir dir;
    const std::string output = (dir.path() / "out.mp4").string();
    const auto drawn =
        run_program({"detect", "crowd:faces=2,size=320x240,frames=3", "--video", output, "--audio", "copy"});
    EXPECT_EQ(drawn.status, 2);
    EXPECT_NE(drawn.err.find("media files only"), std::string::npos) << drawn.err;
    const auto no_video = run_program({"detect", "crowd:faces=2,size=320x240,frames=3", "--audio", "copy"});
    EXPECT_EQ(no_video.status, 2);
    EXPECT_NE(no_video.err.find("--video"), std::string::npos) << no_video.err;
    EXPECT_FALSE(std::filesystem::exists(output));
}

}  // namespace
}  // namespace throng
