// The defaults of a detector's kind apply whether or not a command line added the options.
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/options/detection_options.h"
#include "core/base/error.h"
#include "core/detect/detector_kinds.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

// Returns the options after a command line; null: no command has them.
DetectionOptions options_after(DetectionOptions options, const std::vector<std::string>* arguments) {
    CLI::App command;
    if (arguments == nullptr) return options;
    add_settings(command, options, detector_settings());
    add_settings(command, options, nms_settings());
    command.parse(std::vector<std::string>(arguments->rbegin(), arguments->rend()));
    return options;
}

TEST(KindOptions, EachKindHasItsDefaults) {
    const std::vector<std::string> none;
    for (const DetectorKind& kind : detector_kinds()) {
        SCOPED_TRACE(std::string(kind.name));
        const DetectionOptions options{.kinds = {kind.id()}};
        DetectionParams expected{kind.params, kind.nms, kind.min_confidence};
        EXPECT_EQ(options.params(), expected) << "without a command line";
        EXPECT_EQ(options_after(options, &none).params(), expected);
        expected.nms.theta = 0.125F;
        const std::vector<std::string> some = {"--theta", "0.125"};
        EXPECT_EQ(options_after(options, &some).params(), expected);
        const std::vector<std::string> chosen = {"--min-size", "33", "--detector", std::string(kind.name)};
        const DetectionOptions parsed = options_after({}, &chosen);
        expected = {kind.params, kind.nms, kind.min_confidence};
        expected.detector.min_size = 33;
        EXPECT_EQ(parsed.params(), expected);
        EXPECT_TRUE(parsed.chosen.contains("detector"));
        EXPECT_FALSE(parsed.chosen.contains("max_size"));
    }
}

TEST(KindOptions, AChosenRuleReplacesTheOperatingPoint) {
    const auto params_of = [](std::vector<std::string> arguments) { return options_after({}, &arguments).params(); };
    EXPECT_GT(params_of({"--detector", "haar"}).min_confidence, 0);
    const DetectionParams all = params_of({"--detector", "haar", "--min-hits", "1"});
    EXPECT_EQ(all.min_confidence, 0);
    EXPECT_EQ(all.nms.min_hits, 1);
    EXPECT_EQ(params_of({"--detector", "haar", "--rule", "soft-linear"}).min_confidence, 0) << "scores are lowered";
    const DetectionParams both = params_of({"--detector", "haar", "--min-hits", "2", "--min-confidence", "0.5"});
    EXPECT_EQ(both.min_confidence, 0.5F);
    EXPECT_EQ(both.nms.min_hits, 2);
    EXPECT_FALSE(both.detector.score_threshold);
    // Not raised: what hides faces would miss those in between.
    EXPECT_LT(params_of({"--detector", "cnn", "--min-confidence", "0.95"}).detector.score_threshold, 0.8F);
    EXPECT_EQ(params_of({"--detector", "cnn", "--min-confidence", "0"}).detector.score_threshold, std::nullopt);
    EXPECT_EQ(params_of({"--detector", "cnn", "--min-confidence", "0.25"}).detector.score_threshold, 0.25F)
        << "the model's own would hide what was asked for";
    EXPECT_EQ(params_of({"--detector", "cnn", "--min-confidence", "0.25", "--score-threshold", "0.5"})
                  .detector.score_threshold,
              0.5F);
    EXPECT_EQ(params_of({"--detector", "person", "--min-confidence", "0.5"}).detector.score_threshold, 0.3F);
    EXPECT_EQ(params_of({"--detector", "person", "--min-confidence", "0.25"}).detector.score_threshold, 0.25F);
    EXPECT_EQ(params_of({"--detector", "hog", "--min-confidence", "0.25"}).detector.score_threshold,
              detector_kind("hog").params.score_threshold);
}

// A cascade has none: the option would be without effect.
TEST(KindOptions, AScoreThresholdAppliesToSomeKinds) {
    for (const DetectorKind& kind : detector_kinds()) {
        SCOPED_TRACE(std::string(kind.name));
        const std::vector<std::string> arguments = {"--detector", std::string(kind.name), "--score-threshold", "0.5"};
        const DetectionOptions options = options_after({}, &arguments);
        if (kind.name != "haar" && kind.name != "lbp") {
            EXPECT_EQ(options.params().detector.score_threshold, 0.5F);
            continue;
        }
        try {
            static_cast<void>(options.params());
            ADD_FAILURE() << "no error";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::usage);
            EXPECT_EQ(error.where(), Message(Setting{"score_threshold"}));
            EXPECT_EQ(error.problem(), Message("does not apply to %1", Setting{"detector", std::string(kind.name)}));
        }
    }
}

TEST(KindOptions, AnonymizeReportsTheRuleThatIsInEffect) {
    const test::ScratchDir dir;
    const auto file = [&](const std::string& name) { return (dir.path() / name).string(); };
    ASSERT_EQ(test::run_program({"crowd", file("in.png"), "--faces", "2", "--size", "320x240"}).status, 0);
    const std::string network = (test::source_dir() / "tests/fuzz/corpus/onnx/ultraface.onnx").string();
    for (const std::vector<std::string>& detector :
         {std::vector<std::string>{"cnn", "--model", network}, std::vector<std::string>{"haar"}}) {
        SCOPED_TRACE(detector.front());
        std::vector<std::string> command = {"anonymize", file("in.png"), "--out", file("out.png"), "--detector"};
        command.insert(command.end(), detector.begin(), detector.end());
        const test::ProgramResult result = test::run_program(command);
        ASSERT_EQ(result.status, 0) << result.err;
        const auto settings = nlohmann::json::parse(test::contents(file("out.report.json"))).at("settings");
        const bool is_network = detector.front() == "cnn";
        EXPECT_EQ(settings.at("nms_rule"), "greedy");
        EXPECT_EQ(settings.at("nms_overlap"), is_network ? "iou" : "min");
        EXPECT_NEAR(settings.at("nms_theta").get<double>(), is_network ? 0.3 : 0.5, 1e-6);
        EXPECT_EQ(settings.at("nms_min_hits"), 1);
    }
}

}  // namespace
}  // namespace throng
