// `throng eval` on files whose figures are computed by hand.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

// Two images of a.mp4 with three faces, and b.png with one.
constexpr const char* kTruth =
    R"({"source":"a.mp4","frame":0,"faces":[{"x":0,"y":0,"w":10,"h":10},{"x":50,"y":50,"w":10,"h":10}]})"
    "\n"
    R"({"source":"a.mp4","frame":1,"faces":[{"x":80,"y":80,"w":20,"h":20}]})"
    "\n"
    R"({"source":"b.png","frame":0,"faces":[{"x":5,"y":5,"w":40,"h":40}]})"
    "\n";
// In order of the score: correct, wrong, correct, wrong (a second box of the first face). The face of frame 1 is missed.
constexpr const char* kDetections =
    R"({"source":"a.mp4","frame":0,"kept":[{"x":0,"y":0,"w":10,"h":10,"score":0.9},)"
    R"({"x":30,"y":30,"w":10,"h":10,"score":0.8},{"x":51,"y":50,"w":10,"h":10,"score":0.7},)"
    R"({"x":1,"y":1,"w":10,"h":10,"score":0.6}]})"
    "\n"
    R"({"source":"a.mp4","frame":1,"kept":[]})"
    "\n";

class EvalProgram : public ::testing::Test {
protected:
    EvalProgram() {
        std::ofstream(file("truth.jsonl")) << kTruth;
        std::ofstream(file("found.jsonl")) << kDetections;
    }
    [[nodiscard]] std::string file(const std::string& name) const { return (dir_.path() / name).string(); }
    [[nodiscard]] test::ProgramResult evaluate(std::vector<std::string> arguments = {},
                                               const test::ProgramOptions& options = {}) const {
        arguments.insert(arguments.begin(), {"eval", file("truth.jsonl"), file("found.jsonl")});
        return test::run_program(arguments, options);
    }

    test::ScratchDir dir_;
};

TEST_F(EvalProgram, PrintsFiguresComputedByHand) {
    const test::ProgramResult result = evaluate({"--json", "--per-file"});
    ASSERT_EQ(result.status, 0) << result.err;
    const nlohmann::json json = nlohmann::json::parse(result.out);
    EXPECT_EQ(json["images"], 3);
    EXPECT_EQ(json["faces"], 4);
    EXPECT_EQ(json["correct"], 2);
    EXPECT_EQ(json["wrong"], 2);
    EXPECT_DOUBLE_EQ(json["precision"], 2.0 / 4);
    EXPECT_DOUBLE_EQ(json["recall"], 2.0 / 4);
    // Recall 1/4 at precision 1, recall 2/4 at precision 2/3.
    EXPECT_DOUBLE_EQ(json["ap"], 1.0 / 4 * 1 + 1.0 / 4 * 2 / 3);
    ASSERT_EQ(json["files"].size(), 2U);
    EXPECT_EQ(json["files"][0]["source"], "a.mp4");
    EXPECT_DOUBLE_EQ(json["files"][0]["recall"], 2.0 / 3);
    EXPECT_EQ(json["files"][1]["found"], false);
    EXPECT_EQ(json["files"][1]["recall"], 0);
    EXPECT_NE(result.err.find("1 of 2 files of the ground truth are missing"), std::string::npos) << result.err;
}

TEST_F(EvalProgram, PrintsATable) {
    const test::ProgramResult result = evaluate({}, test::own_process());
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find("precision"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("0.5000"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("0.4167"), std::string::npos) << result.out;
}

TEST_F(EvalProgram, IgnoresFacesBelowTheMinimumSize) {
    const test::ProgramResult result = evaluate({"--json", "--min-size", "15"});
    ASSERT_EQ(result.status, 0) << result.err;
    const nlohmann::json json = nlohmann::json::parse(result.out);
    EXPECT_EQ(json["faces"], 2);
    EXPECT_EQ(json["correct"], 0);
    EXPECT_EQ(json["wrong"], 0);
    EXPECT_EQ(json["precision"], nullptr) << "nothing was judged";
}

TEST_F(EvalProgram, AsksWhichOfPeopleAndFacesAreCompared) {
    const std::string box = R"({"x":0,"y":0,"w":10,"h":10,"score":0.9})";
    std::ofstream(file("found.jsonl")) << R"({"source":"a.mp4","frame":0,"kept":[],"faces":{"kept":[)" + box + "]}}\n";
    const test::ProgramResult unnamed = evaluate();
    EXPECT_EQ(unnamed.status, 3);
    EXPECT_NE(unnamed.err.find("--what faces or --what people"), std::string::npos) << unnamed.err;
    for (const auto& [what, correct] : {std::pair{"faces", 1}, {"people", 0}}) {
        const test::ProgramResult result = evaluate({"--json", "--what", what});
        ASSERT_EQ(result.status, 0) << result.err;
        EXPECT_EQ(nlohmann::json::parse(result.out)["correct"], correct) << what;
    }
    std::ofstream(file("found.jsonl")) << R"({"source":"a.mp4","frame":0,"ellipses":[]})"
                                       << "\n";
    const test::ProgramResult regions = evaluate({"--leaks", "--what", "faces"});
    EXPECT_EQ(regions.status, 2);
    EXPECT_NE(regions.err.find("--what"), std::string::npos) << regions.err;
}

TEST_F(EvalProgram, RejectsBrokenFilesWithFileAndLine) {
    std::ofstream(file("found.jsonl"), std::ios::app) << "{\"source\":\"a.mp4\",\n";
    const test::ProgramResult broken = evaluate();
    EXPECT_EQ(broken.status, 3);
    EXPECT_TRUE(broken.out.empty()) << broken.out;
    EXPECT_NE(broken.err.find("found.jsonl"), std::string::npos) << broken.err;
    EXPECT_NE(broken.err.find('3'), std::string::npos) << broken.err;
    EXPECT_EQ(test::run_program({"eval", file("missing.jsonl"), file("found.jsonl")}).status, 3);
    EXPECT_EQ(evaluate({"--iou", "1.5"}).status, 2);
}

}  // namespace
}  // namespace throng
