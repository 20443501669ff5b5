// The messages of `throng nms` about dropped boxes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "tests/support/program/program.h"
#include "tests/support/random.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

test::ProgramResult suppress(const std::string& boxes, const std::vector<std::string>& options = {},
                             const test::ProgramOptions& program = {}) {
    const test::ScratchDir dir;
    const std::string path = (dir.path() / "boxes.csv").string();
    std::ofstream(path) << boxes;
    std::vector<std::string> arguments{"nms", path};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return test::run_program(arguments, program);
}

TEST(NmsProgram, ReportsWhyBoxesAreInvalid) {
    const test::ProgramResult result = suppress(
        "0,0,1e308,1e308,0.9\n0,0,2e19,2e19,0.9\n0,0,1e-23,1e-23,0.9\n0,0,nan,5,0.8\n5,5,5,9,0.7\n0,0,10,10,0.6\n", {},
        test::own_process());
    EXPECT_EQ(result.status, 0);
    EXPECT_NE(result.err.find("invalid boxes dropped: 5 (1 with a value that is not finite, 1 with a side that is not "
                              "above 0, 3 beyond the range of 32-bit floats)"),
              std::string::npos)
        << result.err;
    EXPECT_EQ(result.out, "index,x1,y1,x2,y2,score,hits\n5,0,0,10,10,0.6,1\n");
}

TEST(NmsProgram, KeepsNoDuplicates) {
    for (const char* side : {"2e19", "1e-23", "1e-22", "1e18", "3e38"}) {
        const std::string box = std::string("0,0,") + side + "," + side + ",0.5\n";
        const test::ProgramResult result = suppress(box + box, {"--theta", "1", "--overlap", "iou"});
        EXPECT_EQ(result.status, 0) << result.err;
        EXPECT_LE(std::count(result.out.begin(), result.out.end(), '\n'), 2) << side << "\n" << result.out;
    }
}

// The third box is exactly at the threshold; the last two have no extent and no finite score.
constexpr const char* kModes = "0,0,10,10,0.5\n0,0,10,12,0.5\n0,0,10,5,0.4\n5,5,5,9,0.3\n40,0,50,9,nan\n";

std::string rows(const test::ProgramResult& result) {
    EXPECT_EQ(result.status, 0) << result.err;
    std::string indices;
    std::istringstream lines(result.out);
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) indices += line.substr(0, line.find(',')) + " ";
    return indices;
}

TEST(NmsProgram, HasTheModesOfOtherLibraries) {
    EXPECT_EQ(rows(suppress(kModes, {"--theta", "0.5", "--overlap", "iou"})), "1 2 ");
    EXPECT_EQ(rows(suppress(kModes, {"--theta", "0.5", "--overlap", "iou", "--ties", "index"})), "0 ");
    EXPECT_EQ(rows(suppress(kModes, {"--theta", "0.5", "--overlap", "iou", "--ties", "index", "--compare", "above"})),
              "0 2 ");
    EXPECT_EQ(rows(suppress(kModes, {"--theta", "0.5", "--overlap", "iou", "--invalid", "keep"})), "4 0 2 3 ");
    EXPECT_EQ(rows(suppress(kModes, {"--theta", "0.5", "--overlap", "iou", "--invalid", "drop"})), "1 2 ");
    const std::string err = suppress(kModes, {"--invalid", "keep"}).err;
    EXPECT_EQ(err.find("warning"), std::string::npos) << err;
}

TEST(NmsProgram, RejectsModesThatContradictEachOther) {
    for (const std::vector<std::string>& options : {std::vector<std::string>{"--invalid", "keep", "--ties", "strict"},
                                                    {"--invalid", "keep", "--compare", "at-least"},
                                                    {"--invalid", "keep", "--rule", "one-pass"},
                                                    {"--invalid", "keep", "--repeat", "3"},
                                                    {"--rule", "soft-linear", "--compare", "above"},
                                                    {"--invalid", "none"}}) {
        const test::ProgramResult result = suppress(kModes, options);
        EXPECT_EQ(result.status, 2) << result.err;
        EXPECT_NE(result.err.find(options.size() > 2 ? options[2] : options[0]), std::string::npos) << result.err;
    }
}

TEST(NmsProgram, OrdersByIndexOnCudaAsOnTheCpu) {
    std::mt19937_64 random(test::seed(61));
    std::string boxes = kModes;
    for (int i = 0; i < 300; ++i) {
        const unsigned long x = random() % 60;
        const unsigned long y = random() % 60;
        boxes += fmt::format("{},{},{},{},0.{}\n", x, y, x + 20 + random() % 3, y + 20 + random() % 3, random() % 4);
    }
    for (const char* rule : {"one-pass", "greedy"}) {
        const auto run = [&](const char* backend) {
            return suppress(boxes, {"--ties", "index", "--rule", rule, "--backend", backend});
        };
        const test::ProgramResult cuda = run("cuda");
        if (cuda.status == 4) GTEST_SKIP() << cuda.err;
        EXPECT_EQ(cuda.status, 0) << cuda.err;
        EXPECT_EQ(cuda.out, run("cpu").out) << rule;
    }
}

}  // namespace
}  // namespace throng
