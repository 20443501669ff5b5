// throng anonymize --what: faces, people, or both, as a user calls it.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support/program/program.h"
#include "tests/support/random.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

class AnonymizePeople : public testing::Test {
protected:
    void SetUp() override {
        const fs::path corpus = test::source_dir() / "tests/fuzz/corpus/onnx";
        fs::create_directory(path("models"));
        fs::copy_file(corpus / "yolox.onnx", path("models/yolox_nano.onnx"));
        fs::copy_file(corpus / "yunet.onnx", path("models/yunet_n_dynamic.onnx"));
        std::mt19937_64 random(test::seed(4902));
        for (int y = 0; y < image_.rows; ++y) {
            for (int x = 0; x < image_.cols; ++x) {
                for (int c = 0; c < 3; ++c) image_.at<cv::Vec3b>(y, x)[c] = static_cast<std::uint8_t>(random());
            }
        }
        cv::imwrite(path("in.png"), image_);
    }
    [[nodiscard]] std::string path(const std::string& name) const { return (dir_.path() / name).string(); }
    [[nodiscard]] test::ProgramResult anonymize(const std::string& out, std::vector<std::string> options) const {
        options.insert(options.begin(), {"anonymize", path("in.png"), "--out", path(out), "--style", "solid"});
        test::ProgramOptions program;
        program.environment = {"THRONG_MODELS=" + path("models")};
        return test::run_program(options, program);
    }

    test::ScratchDir dir_;
    cv::Mat image_{256, 320, CV_8UC3};
};

// Hidden of both is what is hidden of either.
TEST_F(AnonymizePeople, BothIsFacesAndPeople) {
    std::vector<cv::Mat> hidden;
    for (const std::string what : {"faces", "people", "both"}) {
        const test::ProgramResult result = anonymize(what + ".png", {"--what", what});
        ASSERT_EQ(result.status, 0) << result.err;
        hidden.push_back(cv::imread(path(what + ".png")));
        const auto report = nlohmann::json::parse(test::contents(path(what + ".report.json")));
        const nlohmann::json& settings = report.at("settings");
        EXPECT_EQ(settings.at("what"), what);
        EXPECT_EQ(settings.at("detector"), what == "faces" ? "cnn" : what == "people" ? "person" : "face+person");
        EXPECT_EQ(settings.contains("faces_model_sha256"), what == "both");
        EXPECT_EQ(report.contains("faces_model"), what == "both");
        const std::string page = test::contents(path(what + ".report.html"));
        EXPECT_EQ(page.find("model of faces") != std::string::npos, what == "both");
        EXPECT_EQ(page.find("faces model sha256"), std::string::npos) << "stands there already";
        const nlohmann::json& tracks = report.at("files")[0].at("tracks");
        EXPECT_EQ(report.at("files")[0].at("faces_detected"), tracks.size());
        std::set<std::string> classes;
        for (const nlohmann::json& track : tracks) classes.insert(track.value("class", ""));
        EXPECT_EQ(classes, what == "both" ? std::set<std::string>({"face", "person"}) : std::set<std::string>({""}));
        EXPECT_NE(result.out.find(what == "both" ? "regions of people and faces" : what), std::string::npos)
            << result.out;
    }
    int counts[3] = {};
    for (int y = 0; y < image_.rows; ++y) {
        for (int x = 0; x < image_.cols; ++x) {
            bool changed[3];
            for (std::size_t i = 0; i < 3; ++i) {
                changed[i] = hidden[i].at<cv::Vec3b>(y, x) != image_.at<cv::Vec3b>(y, x);
                counts[i] += changed[i] ? 1 : 0;
            }
            // A soft edge may leave a pixel as it is by chance.
            if (changed[0] || changed[1]) counts[2] -= changed[2] ? 1 : 0;
        }
    }
    EXPECT_GT(counts[0], 0);
    EXPECT_GT(counts[1], 0);
    EXPECT_LE(counts[2], 20) << "hidden beside both";
    for (std::size_t i = 0; i < 2; ++i) {
        int shown = 0;
        for (int y = 0; y < image_.rows; ++y) {
            for (int x = 0; x < image_.cols; ++x) {
                const cv::Vec3b& before = image_.at<cv::Vec3b>(y, x);
                shown += hidden[i].at<cv::Vec3b>(y, x) != before && hidden[2].at<cv::Vec3b>(y, x) == before ? 1 : 0;
            }
        }
        EXPECT_LE(shown, 20) << "hidden alone and shown with both";
    }
}

TEST_F(AnonymizePeople, ContradictionsEndWithAdvice) {
    const auto expect = [&](const std::vector<std::string>& options, int status, const std::string& text) {
        const test::ProgramResult result = anonymize("out.png", options);
        EXPECT_EQ(result.status, status) << result.err;
        EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
        EXPECT_FALSE(fs::exists(path("out.png")));
    };
    expect({"--detector", "person"}, 2, "finds people, not faces");
    expect({"--what", "people", "--detector", "cnn"}, 2, "finds faces, not people");
    expect({"--what", "people", "--detector", "face+person"}, 2, "--what both");
    expect({"--what", "both", "--detector", "person"}, 2, "finds people, not both");
    expect({"--what", "people", "--model", "yunet_n_dynamic"}, 2, "name a model of people");
    fs::remove(path("models/yunet_n_dynamic.onnx"));
    expect({"--what", "both"}, 4, "throng models fetch");
}

}  // namespace
}  // namespace throng
