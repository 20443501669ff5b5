// The defaults of a detector's kind apply whether or not a command line added the options.
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/options/detection_options.h"
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
        for (const BoxesFor boxes_for : {BoxesFor::data, BoxesFor::screen}) {
            const DetectionOptions options{.kinds = {std::string(kind.name)}, .boxes_for = boxes_for};
            DetectionParams expected{kind.params, kind.nms};
            if (boxes_for == BoxesFor::screen) expected.nms.min_hits = kind.screen_min_hits;
            EXPECT_EQ(options.params(), expected) << "without a command line";
            EXPECT_EQ(options_after(options, &none).params(), expected);
            expected.nms.theta = 0.125F;
            expected.nms.min_hits = 4;
            const std::vector<std::string> some = {"--theta", "0.125", "--min-hits", "4"};
            EXPECT_EQ(options_after(options, &some).params(), expected);
        }
        const std::vector<std::string> chosen = {"--min-size", "33", "--detector", std::string(kind.name)};
        const DetectionOptions parsed = options_after({}, &chosen);
        DetectionParams expected{kind.params, kind.nms};
        expected.detector.min_size = 33;
        EXPECT_EQ(parsed.params(), expected);
        EXPECT_TRUE(parsed.chosen.contains("detector"));
        EXPECT_FALSE(parsed.chosen.contains("max_size"));
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
