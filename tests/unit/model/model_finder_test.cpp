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

TEST_F(ModelFinder, AutoIsTheBestDetectorThatIsInstalled) {
    const auto kind_of = [](std::initializer_list<std::pair<const char*, const char*>> settings) {
        ChosenSettings chosen;
        for (const auto& [name, value] : settings) chosen.set(name, value);
        return detector_of(chosen);
    };
    EXPECT_EQ(kind_of({}), DetectorId::haar);
    std::ofstream(file("own_net.onnx")) << "x";
    EXPECT_EQ(kind_of({}), DetectorId::haar) << "not one of the networks that are known";
    EXPECT_EQ(kind_of({{"model", "own_net"}}), DetectorId::cnn);
    EXPECT_EQ(kind_of({{"model", "version-RFB-320"}}), DetectorId::cnn) << "known, though not installed";
    std::ofstream(file("version-RFB-320.onnx")) << "x";
    EXPECT_EQ(kind_of({}), DetectorId::cnn);
    EXPECT_EQ(kind_of({{"detector", "auto"}}), DetectorId::cnn);
    EXPECT_EQ(kind_of({{"detector", "lbp"}}), DetectorId::lbp);
    EXPECT_EQ(kind_of({{"model", "alt9"}}), DetectorId::haar);
    EXPECT_EQ(kind_of({{"model", "lbpcascade_mine"}}), DetectorId::lbp);
    EXPECT_EQ(kind_of({{"model", "/no/such/net.onnx"}}), DetectorId::cnn);
    EXPECT_EQ(kind_of({{"model", "yolox_nano"}}), DetectorId::person);
    std::ofstream(file("yolox_tiny.onnx")) << "x";
    EXPECT_EQ(kind_of({{"model", "tiny"}}), DetectorId::person);
    EXPECT_EQ(detector_of({}, DetectorId::hog), DetectorId::hog);
}

TEST_F(ModelFinder, ReturnsAPathUnchanged) {
    EXPECT_EQ(find_model(file("other.xml").string(), DetectorId::haar), file("other.xml"));
}

TEST_F(ModelFinder, FindsANameWithAndWithoutExtension) {
    EXPECT_EQ(find_model("haarcascade_mine", DetectorId::haar), file("haarcascade_mine.xml"));
    EXPECT_EQ(find_model("haarcascade_mine.xml", DetectorId::haar), file("haarcascade_mine.xml"));
    EXPECT_EQ(find_model("other", DetectorId::haar), file("other.xml"));
}

TEST_F(ModelFinder, FindsTheEndOfANameWithinTheKind) {
    EXPECT_EQ(find_model("alt9", DetectorId::haar), file("haarcascade_mine_alt9.xml"));
    EXPECT_EQ(find_model("mine", DetectorId::haar), file("haarcascade_mine.xml"));
    EXPECT_EQ(find_model("mine", DetectorId::lbp), file("lbpcascade_mine.xml"));
}

TEST_F(ModelFinder, NamesTheFoldersSearched) {
    try {
        static_cast<void>(find_model("nosuch", DetectorId::haar));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unavailable);
        EXPECT_NE(error.advice().text().find(scratch_.path().string()), std::string::npos) << error.advice();
    }
    EXPECT_THROW(static_cast<void>(find_model("/no/such.xml", DetectorId::haar)), Error);
}

TEST_F(ModelFinder, ListsEachModelOnce) {
    setenv("THRONG_MODELS", (scratch_.path().string() + ":" + scratch_.path().string()).c_str(), 1);
    int mine = 0;
    for (const ModelFile& model : list_models()) mine += model.name == "haarcascade_mine";
    EXPECT_EQ(mine, 1);
}

TEST_F(ModelFinder, HasADefaultForEveryCascadeKind) {
    EXPECT_THROW(static_cast<void>(default_model(DetectorId::hog)), Error);
    if (!test::cascade_file("haarcascade_frontalface_alt2.xml")) GTEST_SKIP() << "skipped: no opencv-data";
    EXPECT_EQ(find_model("", DetectorId::haar).stem(), default_model(DetectorId::haar));
    EXPECT_EQ(find_model("", DetectorId::lbp).stem(), default_model(DetectorId::lbp));
    EXPECT_EQ(find_model("alt2", DetectorId::haar).stem(), "haarcascade_frontalface_alt2");
}

}  // namespace
}  // namespace throng
