// Extensions of file names count without case: cameras write CLIP.MP4.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/base/extension.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using test::run_program;

TEST(ExtensionCase, OutputsAndInputsTakeAnyCase) {
    EXPECT_EQ(lower_extension("a.B/C.Mp4"), ".mp4");
    EXPECT_EQ(lower_extension("a.b/c"), "");
    if (!test::cascade_file("lbpcascade_frontalface.xml")) GTEST_SKIP() << "skipped: no opencv-data";
    const test::ScratchDir dir;
    const auto path = [&](const std::string& name) { return (dir.path() / name).string(); };
    fs::create_directory(path("in"));
    for (const std::string name : {"CLIP.MP4", "In.Mkv", "Photo.JPG", "Anim.PNG"}) {
        const bool is_video = name != "Photo.JPG" && name != "Anim.PNG";
        const auto result = run_program(
            {"crowd", path("in/" + name), "--faces", "2", "--size", "320x240", "--frames", is_video ? "3" : "1"});
        ASSERT_EQ(result.status, 0) << result.err;
    }
    for (const std::string name : {"OUT.MP4", "OUT.Mkv", "OUT.MOV", "OUT.M4V"}) {
        const auto result =
            run_program({"detect", path("in/CLIP.MP4"), "--detector", "lbp", "--video", path("video-" + name)});
        EXPECT_EQ(result.status, 0) << result.err;
        const auto hidden = run_program({"anonymize", path("in/CLIP.MP4"), "--detector", "lbp", "--encoder", "libx264",
                                         "--out", path("hidden-" + name)});
        EXPECT_EQ(hidden.status, 0) << hidden.err;
        // The container is that of the extension.
        const bool is_matroska = name == "OUT.Mkv";
        for (const std::string kind : {"video-", "hidden-"}) {
            EXPECT_EQ(test::contents(path(kind + name)).substr(0, 4) == "\x1A\x45\xDF\xA3", is_matroska)
                << kind << name;
        }
    }
    const auto folder =
        run_program({"anonymize", path("in"), "--detector", "lbp", "--encoder", "libx264", "--out", path("hidden")});
    EXPECT_EQ(folder.status, 0) << folder.err;
    for (const char* name : {"CLIP.MP4", "In.Mkv", "Photo.JPG", "Anim.PNG"}) {
        EXPECT_TRUE(fs::exists(dir.path() / "hidden" / name)) << name << ": a file keeps its name";
    }
    const auto image = run_program({"anonymize", path("in/Photo.JPG"), "--detector", "lbp", "--out", path("OUT.PNG")});
    EXPECT_EQ(image.status, 0) << image.err;
    EXPECT_EQ(test::contents(path("OUT.PNG")).substr(1, 3), "PNG");
    // An installed model, by its name.
    fs::create_directory(path("models"));
    fs::copy_file(*test::cascade_file("lbpcascade_frontalface.xml"), path("models/lbpcascade_own.XML"));
    for (const char* model : {"lbpcascade_own", "lbpcascade_own.XML"}) {
        const auto result = run_program({"detect", path("in/Photo.JPG"), "--detector", "lbp", "--model", model},
                                        test::own_process({"THRONG_MODELS=" + path("models")}));
        EXPECT_EQ(result.status, 0) << result.err;
    }
}

}  // namespace
}  // namespace throng
