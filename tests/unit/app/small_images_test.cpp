// Images that are smaller than the window of a detector are measured and give no detections.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

class SmallImages : public ::testing::Test {
protected:
    // Writes a gray image of the size as PGM and returns its path.
    std::string image(int width, int height) const {
        const std::string path =
            (dir_.path() / (std::to_string(width) + "x" + std::to_string(height) + ".pgm")).string();
        std::ofstream(path, std::ios::binary)
            << "P5\n"
            << width << " " << height << "\n255\n"
            << std::string(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), '\x40');
        return path;
    }

    static nlohmann::json rows(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "bench");
        arguments.insert(arguments.end(), {"--repeat", "1", "--backend", "cpu", "--json", "-"});
        const test::ProgramResult result = test::run_program(arguments);
        EXPECT_EQ(result.status, 0) << result.err;
        return nlohmann::json::parse(result.out, nullptr, false)["rows"];
    }
    test::ScratchDir dir_;
};

TEST_F(SmallImages, TheHogBenchmarkComparesOnlyIfAWindowFits) {
    for (const char* size : {"64x64", "100x100", "128x64"}) {
        const nlohmann::json found = rows({"hog", "--size", size});
        ASSERT_EQ(found.size(), 2U) << size << ": two settings, no comparison";
        for (const nlohmann::json& row : found) {
            EXPECT_EQ(row["backend"], "cpu");
            EXPECT_EQ(row["windows"], 0);
            EXPECT_EQ(row["raw"], 0);
            EXPECT_FALSE(row.contains("ratio"));
        }
    }
    EXPECT_EQ(rows({"hog", "--size", "64x128"}).size(), 4U) << "one window fits";
    for (const auto& [width, height] : {std::pair{1, 1}, {10, 10}}) {
        EXPECT_EQ(rows({"hog", "--image", image(width, height)}).size(), 2U) << width << "x" << height;
    }
    for (const auto& [width, height] : {std::pair{63, 200}, {200, 127}}) {
        EXPECT_EQ(rows({"hog", "--image", image(width, height)}).size(), 4U) << "windows of the next level fit";
    }
}

TEST_F(SmallImages, TheCascadeBenchmarkFindsNothing) {
    if (!test::cascade_file("haarcascade_frontalface_alt2.xml")) GTEST_SKIP() << "skipped: no opencv-data";
    for (const auto& [width, height] : {std::pair{1, 1}, {19, 200}, {24, 24}}) {
        for (const nlohmann::json& row : rows({"cascade", "--image", image(width, height)})) {
            EXPECT_EQ(row["accepted"], 0) << row;
        }
    }
}

TEST_F(SmallImages, TheNetworkBenchmarkFindsNothing) {
    // Finds nothing in a gray area, though its weights are random.
    std::vector<std::filesystem::path> models{test::source_dir() / "tests/fuzz/corpus/onnx/ultraface.onnx"};
    if (const auto data = test::data_dir()) models.push_back(*data / "models/yunet_n_320_320.onnx");
    for (const std::filesystem::path& model : models) {
        for (const auto& [width, height] : {std::pair{1, 1}, {10, 10}, {31, 33}}) {
            const nlohmann::json found = rows({"cnn", image(width, height), "--model", model.string()});
            EXPECT_GT(found.size(), 0U) << model;
            for (const nlohmann::json& row : found) EXPECT_EQ(row["kept"], 0) << row;
        }
    }
}

}  // namespace
}  // namespace throng
