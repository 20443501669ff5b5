#include "core/model/model_finder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "core/base/error.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

class ModelFinder : public ::testing::Test {
protected:
    void SetUp() override {
        setenv("THRONG_MODELS", scratch_.path().c_str(), 1);
        for (const char* name : {"haarcascade_mine", "haarcascade_mine_alt9", "lbpcascade_mine", "other"}) {
            std::ofstream(scratch_.path() / (std::string(name) + ".xml")) << "x";
        }
    }
    void TearDown() override { unsetenv("THRONG_MODELS"); }

    fs::path file(const char* name) { return scratch_.path() / name; }

    test::ScratchDir scratch_;
};

TEST_F(ModelFinder, TakesAPathAsGiven) {
    EXPECT_EQ(find_cascade(file("other.xml").string(), "haar"), file("other.xml"));
}

TEST_F(ModelFinder, TakesANameWithAndWithoutExtension) {
    EXPECT_EQ(find_cascade("haarcascade_mine", "haar"), file("haarcascade_mine.xml"));
    EXPECT_EQ(find_cascade("haarcascade_mine.xml", "haar"), file("haarcascade_mine.xml"));
    EXPECT_EQ(find_cascade("other", "haar"), file("other.xml"));
}

TEST_F(ModelFinder, TakesTheEndOfANameOfTheKind) {
    EXPECT_EQ(find_cascade("alt9", "haar"), file("haarcascade_mine_alt9.xml"));
    EXPECT_EQ(find_cascade("mine", "haar"), file("haarcascade_mine.xml"));
    EXPECT_EQ(find_cascade("mine", "lbp"), file("lbpcascade_mine.xml"));
}

TEST_F(ModelFinder, SaysWhereItLooked) {
    try {
        static_cast<void>(find_cascade("nosuch", "haar"));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unavailable);
        EXPECT_NE(error.advice().find(scratch_.path().string()), std::string::npos) << error.advice();
    }
    EXPECT_THROW(static_cast<void>(find_cascade("/no/such.xml", "haar")), Error);
}

TEST_F(ModelFinder, ListsEachModelOnce) {
    setenv("THRONG_MODELS", (scratch_.path().string() + ":" + scratch_.path().string()).c_str(), 1);
    int mine = 0;
    for (const ModelFile& model : list_cascades()) mine += model.name == "haarcascade_mine";
    EXPECT_EQ(mine, 1);
}

TEST_F(ModelFinder, HasADefaultForEveryKindOfCascade) {
    EXPECT_THROW(static_cast<void>(default_cascade("hog")), Error);
    if (!test::cascade_file("haarcascade_frontalface_alt2.xml")) GTEST_SKIP() << "skipped: no opencv-data";
    EXPECT_EQ(find_cascade("", "haar").stem(), default_cascade("haar"));
    EXPECT_EQ(find_cascade("", "lbp").stem(), default_cascade("lbp"));
    EXPECT_EQ(find_cascade("alt2", "haar").stem(), "haarcascade_frontalface_alt2");
}

}  // namespace
}  // namespace throng
