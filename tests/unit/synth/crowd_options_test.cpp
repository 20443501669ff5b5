#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "core/base/error.h"
#include "core/synth/crowd.h"

namespace throng {
namespace {

TEST(CrowdOptions, KeysAreAcceptedInAnyOrder) {
    const CrowdOptions options =
        parse_crowd_options("uncover=3,fps=29.97,seed=18446744073709551615,size=640x480,frames=12,faces=7");
    EXPECT_EQ(options.faces, 7);
    EXPECT_EQ(options.width, 640);
    EXPECT_EQ(options.height, 480);
    EXPECT_EQ(options.seed, std::numeric_limits<std::uint64_t>::max());
    EXPECT_DOUBLE_EQ(options.fps, 29.97);
    EXPECT_EQ(options.frames, 12);
    EXPECT_EQ(options.uncover, 3);
    EXPECT_EQ(parse_crowd_options("motion=walk").motion, CrowdMotion::walk);
    EXPECT_EQ(parse_crowd_options("motion=stand"), CrowdOptions{});
    EXPECT_EQ(parse_crowd_options(""), CrowdOptions{});
}

TEST(CrowdOptions, InvalidOptionsAreRejected) {
    for (const char* spec :
         {"faces",           "faces=",          "faces=-1",   "faces=5001", "faces=1.5",
          "faces=1 ",        "faces=1,faces=2", "people=3",   "size=640",   "size=63x64",
          "size=64x16385",   "size=640x480x3",  "size=x",     "seed=-1",    "seed=18446744073709551616",
          "fps=0",           "fps=nan",         "fps=inf",    "fps=-5",     "frames=-1",
          "frames=x",        "uncover=-1",      "uncover=61", "=",          ",faces=1",
          "faces=1,,seed=2", "motion=run"}) {
        try {
            static_cast<void>(parse_crowd_options(spec));
            ADD_FAILURE() << spec << " was accepted";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::usage) << spec;
        }
    }
}

TEST(CrowdOptions, CheckOptionsValidatesStructs) {
    CrowdOptions options;
    EXPECT_NO_THROW(check_options(options));
    options.fps = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(check_options(options), Error);
    EXPECT_THROW(Crowd{options}, Error);
}

}  // namespace
}  // namespace throng
