// `throng bench cascade|hog|cnn` on small images, and their shared code; times are not checked.
#include "app/lab/measure/image_bench.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

// Returns the JSON document of `throng bench ARGUMENTS` for two runs on a small crowd.
nlohmann::json bench(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "bench");
    arguments.insert(arguments.end(), {"--size", "160x128", "--repeat", "2", "--backend", "cpu", "--json", "-"});
    const test::ProgramResult result = test::run_program(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return nlohmann::json::parse(result.out, nullptr, false);
}

void expect_times(const nlohmann::json& row) {
    EXPECT_EQ(row["runs"], 2) << row;
    EXPECT_GT(row["min_ms"], 0) << row;
    EXPECT_LE(row["min_ms"], row["median_ms"]) << row;
    EXPECT_LE(row["median_ms"], row["p99_ms"]) << row;
}

TEST(ImageBench, ComparesCascadesWithOpenCv) {
    if (!test::cascade_file("haarcascade_frontalface_alt2.xml")) GTEST_SKIP() << "skipped: no opencv-data";
    const nlohmann::json all = bench({"cascade", "--faces", "3", "--min-size", "40"});
    EXPECT_EQ(all["image"], "crowd of 3");
    EXPECT_EQ(all["width"], 160);
    EXPECT_EQ(all["backend"], "cpu");
    ASSERT_EQ(all["rows"].size(), 1U) << "one setting was requested";
    expect_times(all["rows"][0]);
    EXPECT_TRUE(all["rows"][0]["stages_ms"].contains("cascade"));
    EXPECT_EQ(all["rows"][0]["accepted"], all["rows"][0]["opencv"]["accepted"]);
}

TEST(ImageBench, ComparesHogWithOpenCv) {
    const nlohmann::json all = bench({"hog"});
    ASSERT_EQ(all["rows"].size(), 4U) << "two settings, two detectors";
    for (const nlohmann::json& row : all["rows"]) expect_times(row);
    EXPECT_TRUE(all["rows"][0]["stages_ms"].contains("svm"));
    EXPECT_EQ(all["rows"][1]["backend"], "OpenCV");
    EXPECT_EQ(all["rows"][1]["ratio"], 1);
}

TEST(ImageBench, ComparesANetworkWithOpenCv) {
    std::vector<std::filesystem::path> models{test::source_dir() / "tests/fuzz/corpus/onnx/yunet.onnx"};
    if (const auto data = test::data_dir()) models.push_back(*data / "models/yunet_n_320_320.onnx");
    for (const std::filesystem::path& model : models) {
        const nlohmann::json all = bench({"cnn", "--model", model.string()});
        ASSERT_EQ(all["rows"].size(), 2U) << model;
        for (const nlohmann::json& row : all["rows"]) expect_times(row);
        EXPECT_TRUE(all["rows"][0].contains("raw"));
        EXPECT_GT(all["rows"][0]["multiply_adds"], 0);
        EXPECT_FALSE(all["rows"][1].contains("raw")) << "a baseline reports only kept boxes";
    }
}

TEST(ImageBench, RejectsInvalidImages) {
    EXPECT_THROW(static_cast<void>(first_image("/nonexistent.png")), Error);
    EXPECT_THROW(static_cast<void>(drawn_image("640")), Error);
    EXPECT_EQ(drawn_image("80x64", 2).frame.height(), 64);
}

}  // namespace
}  // namespace throng
