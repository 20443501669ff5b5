// The defaults of a detector's kind apply whether or not a command line added the options.
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/options/detector_options.h"
#include "app/options/nms_options.h"
#include "core/detect/detector_kinds.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

NmsParams nms_of(const DetectorKind& kind, BoxesFor boxes_for, const std::vector<std::string>* arguments) {
    CLI::App command;
    NmsOptions options = nms_options_after_detector(boxes_for);
    if (arguments != nullptr) {
        add_nms_options(command, options);
        command.parse(std::vector<std::string>(arguments->rbegin(), arguments->rend()));
    }
    finalize_nms_options(options, std::string(kind.name));
    return options.params;
}

TEST(KindOptions, SuppressionHasTheDefaultsOfTheKind) {
    const std::vector<std::string> none;
    const std::vector<std::string> some = {"--theta", "0.125", "--min-hits", "4"};
    for (const DetectorKind& kind : detector_kinds()) {
        SCOPED_TRACE(std::string(kind.name));
        for (const BoxesFor boxes_for : {BoxesFor::data, BoxesFor::screen}) {
            NmsParams expected = kind.nms;
            if (boxes_for == BoxesFor::screen) expected.min_hits = kind.screen_min_hits;
            EXPECT_EQ(nms_of(kind, boxes_for, nullptr), expected) << "without a command line";
            EXPECT_EQ(nms_of(kind, boxes_for, &none), expected);
            expected.theta = 0.125F;
            expected.min_hits = 4;
            EXPECT_EQ(nms_of(kind, boxes_for, &some), expected);
        }
    }
}

TEST(KindOptions, DetectorsHaveTheDefaultsOfTheKind) {
    for (const DetectorKind& kind : detector_kinds()) {
        SCOPED_TRACE(std::string(kind.name));
        DetectorOptions plain;
        plain.kind = kind.name;
        finalize_detector_options(plain);
        EXPECT_EQ(static_cast<const DetectorParams&>(plain), kind.params) << "without a command line";

        CLI::App command;
        DetectorOptions parsed;
        add_detector_options(command, parsed);
        command.parse(std::vector<std::string>{std::string(kind.name), "--detector", "33", "--min-size"});
        finalize_detector_options(parsed);
        DetectorParams expected = kind.params;
        expected.min_size = 33;
        EXPECT_EQ(static_cast<const DetectorParams&>(parsed), expected);
        EXPECT_TRUE(parsed.chosen.kind);
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
