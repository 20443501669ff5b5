// `throng bench nms`: what is measured by default and with options; times are not checked.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/detect/detector_kinds.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

nlohmann::json rows_of(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"bench", "nms"});
    arguments.insert(arguments.end(), {"--repeat", "2", "--cold", "1", "--backend", "cpu", "--json", "-"});
    const test::ProgramResult result = test::run_program(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return nlohmann::json::parse(result.out, nullptr, false)["rows"];
}

TEST(BenchNms, MeasuresTheProgramsSettingAndThatOfLibraries) {
    const nlohmann::json rows = rows_of({"--n", "200"});
    ASSERT_EQ(rows.size(), 6U) << "two orders, each with one program row and two library rows";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const nlohmann::json& row = rows[i];
        EXPECT_EQ(row["order"], i < 3 ? "cascade" : "cluster");
        EXPECT_EQ(row["boxes"], 200);
        EXPECT_EQ(row["runs"], 2);
        EXPECT_EQ(row["graph_replay"], false);
        EXPECT_LE(row["median_ms"], row["p99_ms"]);
        EXPECT_GT(row["eager_ms"], 0);
        EXPECT_GT(row["cold_ms"], 0);
        EXPECT_GT(row["kept"], 0);
        EXPECT_EQ(row["kept"], rows[i % 3]["kept"]) << "the order of the boxes does not matter";
        EXPECT_TRUE(row["baselines"].contains("plain"));
        EXPECT_EQ(row["baselines"]["plain"]["kept"], row["kept"]);
        EXPECT_EQ(row["baselines"].contains("opencv"), row["rule"] == "greedy") << row;
    }
    const NmsParams& defaults = detector_kind("haar").nms;
    EXPECT_EQ(rows[0]["setting"], "program");
    EXPECT_EQ(rows[0]["rule"], "greedy");
    EXPECT_EQ(rows[0]["overlap"], "min");
    EXPECT_EQ(rows[0]["theta"], defaults.theta);
    EXPECT_EQ(rows[0]["capacity"], 16384);
    EXPECT_EQ(rows[1]["setting"], "library");
    EXPECT_EQ(rows[1]["rule"], "one-pass");
    EXPECT_EQ(rows[2]["rule"], "greedy");
    EXPECT_EQ(rows[2]["overlap"], "iou");
    EXPECT_EQ(rows[2]["capacity"], 200);
    EXPECT_EQ(rows[2]["baselines"]["opencv"]["kept"], rows[2]["kept"]) << "the same rule, without equal scores";
}

TEST(BenchNms, MeasuresOnlyTheRequestedCombinations) {
    const nlohmann::json rows =
        rows_of({"--n", "100", "--order", "shuffled", "--rule", "greedy", "--theta", "0.3,0.5", "--no-baselines"});
    ASSERT_EQ(rows.size(), 2U);
    for (const nlohmann::json& row : rows) {
        EXPECT_EQ(row["setting"], "custom");
        EXPECT_EQ(row["order"], "shuffled");
        EXPECT_FALSE(row.contains("baselines"));
    }
    EXPECT_EQ(rows_of({"--n", "50", "--setting", "program", "--detector", "cnn", "--order", "cluster"})[0]["overlap"],
              "iou");
}

TEST(BenchNms, ReadsBoxesFromAFileInItsOrder) {
    const test::ScratchDir dir;
    const std::string path = (dir.path() / "boxes.csv").string();
    std::ofstream(path) << "0,0,10,10,0.6\n0,0,10,9,0.9\n50,50,60,60,0.7\n";
    const nlohmann::json rows = rows_of({"--input", path, "--setting", "library"});
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0]["order"], "file");
    EXPECT_EQ(rows[0]["kept"], 2);
}

TEST(BenchNms, RejectsInvalidOptions) {
    for (const std::vector<std::string>& wrong :
         std::vector<std::vector<std::string>>{{"--order", "sideways"},
                                               {"--setting", "fast"},
                                               {"--detector", "eyes"},
                                               {"--cold", "-1"},
                                               {"--n", "0"},
                                               {"--kernels", "paper", "--backend", "cpu"}}) {
        std::vector<std::string> arguments{"bench", "nms"};
        arguments.insert(arguments.end(), wrong.begin(), wrong.end());
        EXPECT_EQ(test::run_program(arguments).status, 2) << wrong[0];
    }
    EXPECT_EQ(test::run_program({"bench", "nms", "--input", "/nonexistent.csv"}).status, 3);
}

}  // namespace
}  // namespace throng
