// `throng crowd` as a user runs it: images, videos and their truth.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "core/video/source.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

std::vector<nlohmann::json> lines_of(const std::string& text) {
    std::vector<nlohmann::json> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
}

class CrowdProgram : public ::testing::Test {
protected:
    [[nodiscard]] std::string file(const std::string& name) const { return (dir_.path() / name).string(); }

    test::ScratchDir dir_;
};

TEST_F(CrowdProgram, DrawsAnImageWithFacesWhereTheTruthSays) {
    const auto draw = [&](const std::string& name, const std::string& faces) {
        const test::ProgramResult result =
            test::run_program({"crowd", file(name), "--faces", faces, "--size", "640x480", "--seed", "3", "--truth",
                               file(name + ".jsonl")});
        EXPECT_EQ(result.status, 0) << result.err;
        return cv::imread(file(name), cv::IMREAD_COLOR);
    };
    const cv::Mat image = draw("crowd.png", "6");
    const cv::Mat empty = draw("empty.png", "0");
    ASSERT_EQ(image.size(), cv::Size(640, 480));
    ASSERT_EQ(empty.size(), cv::Size(640, 480));
    const auto truth = lines_of(test::contents(file("crowd.png.jsonl")));
    ASSERT_EQ(truth.size(), 1U);
    EXPECT_EQ(truth[0]["width"], 640);
    EXPECT_EQ(truth[0]["height"], 480);
    ASSERT_EQ(truth[0]["faces"].size(), 6U);
    EXPECT_TRUE(lines_of(test::contents(file("empty.png.jsonl")))[0]["faces"].empty());
    // A face has other pixels than the background.
    for (const auto& face : truth[0]["faces"]) {
        const cv::Rect box(
            cv::Point(static_cast<int>(face["x"].get<double>()), static_cast<int>(face["y"].get<double>())),
            cv::Size(static_cast<int>(face["w"].get<double>()), static_cast<int>(face["h"].get<double>())));
        const cv::Rect inside = box & cv::Rect(0, 0, 640, 480);
        ASSERT_GT(inside.area(), 0);
        cv::Mat difference;
        cv::absdiff(image(inside), empty(inside), difference);
        EXPECT_GT(cv::mean(difference)[0], 10) << face.dump();
    }
}

TEST_F(CrowdProgram, TheSeedDecidesTheImage) {
    const auto bytes = [&](const std::string& seed, const std::string& name) {
        EXPECT_EQ(test::run_program({"crowd", file(name), "--faces", "3", "--size", "320x240", "--seed", seed}).status,
                  0);
        return test::contents(file(name));
    };
    const std::string first = bytes("1", "a.png");
    ASSERT_FALSE(first.empty());
    EXPECT_EQ(first, bytes("1", "b.png"));
    EXPECT_NE(first, bytes("2", "c.png"));
}

TEST_F(CrowdProgram, WritesAVideoWithOneLineOfTruthPerFrame) {
    const test::ProgramResult result = test::run_program({"crowd", file("crowd.mp4"), "--faces", "4", "--size",
                                                          "320x240", "--frames", "7", "--fps", "10", "--truth", "-"},
                                                         test::own_process());
    ASSERT_EQ(result.status, 0) << result.err;
    const auto truth = lines_of(result.out);
    ASSERT_EQ(truth.size(), 7U);
    for (std::size_t i = 0; i < truth.size(); ++i) EXPECT_EQ(truth[i]["frame"], i);
    EXPECT_NE(truth.front()["faces"], truth.back()["faces"]) << "people move";
    const auto source = open_source(file("crowd.mp4"));
    EXPECT_EQ(source->info().width, 320);
    EXPECT_EQ(source->info().height, 240);
    EXPECT_NEAR(source->info().fps, 10, 0.01);
    int frames = 0;
    Frame frame;
    while (source->read(frame, {}) == ReadStatus::frame) ++frames;
    EXPECT_EQ(frames, 7);
}

TEST_F(CrowdProgram, RejectsWhatItCannotDraw) {
    const test::ProgramResult frames = test::run_program({"crowd", file("a.png"), "--frames", "5"});
    EXPECT_EQ(frames.status, 2);
    EXPECT_NE(frames.err.find("an image holds only one frame"), std::string::npos) << frames.err;
    EXPECT_EQ(test::run_program({"crowd", file("a.png"), "--size", "0x10"}).status, 2);
    EXPECT_EQ(test::run_program({"crowd", file("a.png"), "--faces", "-1"}).status, 2);
    EXPECT_EQ(test::run_program({"crowd", file("missing/a.png")}).status, 3);
    EXPECT_TRUE(std::filesystem::is_empty(dir_.path()));
}

}  // namespace
}  // namespace throng
