// --detector auto: the network if one is installed, otherwise the Haar cascade; always named, and resolved once.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/detect/detector_kinds.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

std::vector<Json> auto_lines_of(const std::string& text) {
    std::vector<Json> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line));
    return lines;
}

class AutoProgram : public ::testing::Test {
protected:
    void SetUp() override {
        if (!test::cascade_file("haarcascade_frontalface_alt2.xml")) GTEST_SKIP() << "skipped: no opencv-data";
        fs::create_directory(dir_.path() / "models");
        fs::copy_file(test::source_dir() / "tests/fuzz/corpus/onnx/yunet.onnx",
                      dir_.path() / "models/yunet_n_dynamic.onnx");
    }
    [[nodiscard]] std::string path(const std::string& name) const { return (dir_.path() / name).string(); }
    [[nodiscard]] test::ProgramResult run(bool with_network, const Arguments& arguments) const {
        test::ProgramOptions options;
        if (with_network) options.environment = {"THRONG_MODELS=" + path("models")};
        return test::run_program(arguments, options);
    }

    test::ScratchDir dir_;
};

TEST_F(AutoProgram, IsTheNetworkIfOneIsInstalledAndAlwaysNamed) {
    const std::map<bool, std::pair<std::string, std::string>> expected = {
        {false, {"haar", "haarcascade_frontalface_alt2"}}, {true, {"cnn", "yunet_n_dynamic"}}};
    for (const bool with_network : {false, true}) {
        for (const Arguments& chosen : {Arguments{}, Arguments{"--detector", "auto"}}) {
            const auto& [kind, model] = expected.at(with_network);
            Arguments arguments = {"detect",    "crowd:faces=3,size=320x240,frames=1",
                                   "--backend", "cpu",
                                   "--json",    path("found.jsonl"),
                                   "--summary", path("summary.json")};
            arguments.insert(arguments.end(), chosen.begin(), chosen.end());
            const test::ProgramResult result = run(with_network, arguments);
            ASSERT_EQ(result.status, 0) << result.err;
            EXPECT_NE(result.out.find("detector " + kind + ", model " + model), std::string::npos) << result.out;
            const Json summary = Json::parse(test::contents(path("summary.json")));
            EXPECT_EQ(summary["detector"], kind);
            EXPECT_EQ(summary["model"], model);
            for (const Json& line : auto_lines_of(test::contents(path("found.jsonl"))))
                EXPECT_EQ(line["detector"], kind);
        }
    }
}

TEST_F(AutoProgram, IsTheDetectorOfTheChosenModel) {
    for (const auto& [model, kind] : std::map<std::string, std::string>{
             {path("models/yunet_n_dynamic.onnx"), "cnn"}, {"alt2", "haar"}, {"lbpcascade_frontalface", "lbp"}}) {
        const test::ProgramResult result =
            run(true, {"detect", "crowd:faces=1,size=160x120,frames=1", "--backend", "cpu", "--model", model});
        ASSERT_EQ(result.status, 0) << result.err;
        EXPECT_NE(result.out.find("detector " + kind + ", model "), std::string::npos) << result.out;
    }
}

// A cascade misses more faces than a network: whoever hides faces with one has to say so.
TEST_F(AutoProgram, AnonymizeWithoutANetworkEndsWithAdvice) {
    ASSERT_EQ(run(false, {"crowd", path("in.png"), "--faces", "2", "--size", "320x240"}).status, 0);
    for (const Arguments& chosen : {Arguments{}, Arguments{"--detector", "auto"}}) {
        Arguments arguments = {"anonymize", path("in.png"), "--out", path("out.png"), "--backend", "cpu"};
        arguments.insert(arguments.end(), chosen.begin(), chosen.end());
        const test::ProgramResult result = run(false, arguments);
        EXPECT_EQ(result.status, 4) << result.err;
        EXPECT_NE(result.err.find("throng models fetch"), std::string::npos) << result.err;
        EXPECT_NE(result.err.find("--detector haar"), std::string::npos) << result.err;
        EXPECT_FALSE(fs::exists(path("out.png")));
        const test::ProgramResult with_network = run(true, arguments);
        EXPECT_EQ(with_network.status, 0) << with_network.err;
        fs::remove(path("out.png"));
    }
    EXPECT_EQ(run(false, {"anonymize", path("in.png"), "--out", path("out.png"), "--detector", "haar"}).status, 0);
    const test::ProgramResult people =
        run(false, {"anonymize", path("in.png"), "--out", path("other.png"), "--model", "yolox_nano"});
    EXPECT_EQ(people.status, 2);
    EXPECT_NE(people.err.find("finds people, not faces"), std::string::npos) << people.err;
}

TEST_F(AutoProgram, ShardsThatResolvedDifferentlyAreNotMerged) {
    fs::create_directory(path("in"));
    for (const char* name : {"a.png", "b.png"}) {
        ASSERT_EQ(run(false, {"crowd", path("in/") + name, "--faces", "2", "--size", "320x240"}).status, 0);
    }
    for (const char* shard : {"1/2", "2/2"}) {
        const test::ProgramResult result =
            run(*shard == '1', {"detect", path("in"), "--out", path("out"), "--shard", shard, "--backend", "cpu"});
        ASSERT_EQ(result.status, 0) << result.err;
        EXPECT_NE(result.err.find(*shard == '1' ? "detector cnn" : "detector haar"), std::string::npos) << result.err;
    }
    const test::ProgramResult merged = run(false, {"merge", path("out"), "--json", path("all.jsonl")});
    EXPECT_EQ(merged.status, 3);
    EXPECT_NE(merged.err.find("detector \"cnn\""), std::string::npos) << merged.err;
    EXPECT_NE(merged.err.find("detector \"haar\""), std::string::npos) << merged.err;
    // The results of the network are not taken for those of the cascade.
    const test::ProgramResult resumed =
        run(false, {"detect", path("in"), "--out", path("out"), "--shard", "1/2", "--resume", "--backend", "cpu"});
    EXPECT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_EQ(run(false, {"merge", path("out"), "--json", path("all.jsonl")}).status, 0);
    for (const Json& line : auto_lines_of(test::contents(path("all.jsonl")))) EXPECT_EQ(line["detector"], "haar");
}

TEST(Confidence, IncreasesWithScoreAndHitsAndIsInRange) {
    for (const DetectorKind& kind : detector_kinds()) {
        SCOPED_TRACE(std::string(kind.name));
        for (float score = -5; score < 60; score += 0.5F) {
            for (const std::int32_t hits : {1, 2, 5, 100}) {
                const float confidence = confidence_of(kind, score, hits);
                EXPECT_GE(confidence, 0);
                EXPECT_LE(confidence, 1);
                EXPECT_LE(confidence, confidence_of(kind, score + 0.5F, hits));
                EXPECT_LE(confidence, confidence_of(kind, score, hits + 1));
            }
        }
    }
    EXPECT_EQ(confidence_of(detector_kind("cnn"), 0.75F, 3), 0.75F) << "the network's probability";
    // 1 / (1 + exp(-(-2.64 + 0.606 * 1 + 0.661 * ln 1))).
    EXPECT_NEAR(confidence_of(detector_kind("hog"), 1, 1), 0.115679, 1e-5);
}

// What is reported by default, and with a confidence, is what all detections have from there on.
TEST_F(AutoProgram, TheOperatingPointIsAConfidence) {
    const auto kept = [&](const std::string& detector, const Arguments& more) {
        Arguments arguments = {"detect",     "crowd:faces=30,size=640x480,frames=1,seed=4",
                               "--backend",  "cpu",
                               "--detector", detector,
                               "--json",     path("found.jsonl"),
                               "-q"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const test::ProgramResult result = run(true, arguments);
        EXPECT_EQ(result.status, 0) << result.err;
        std::vector<Json> all;
        for (const Json& line : auto_lines_of(test::contents(path("found.jsonl")))) {
            for (const Json& detection : line["kept"]) all.push_back(detection);
        }
        return all;
    };
    const auto from = [](const std::vector<Json>& all, double confidence) {
        std::vector<Json> some;
        for (const Json& each : all) {
            if (each["confidence"].get<float>() >= static_cast<float>(confidence)) some.push_back(each);
        }
        return some;
    };
    for (const std::string detector : {"haar", "lbp", "cnn"}) {
        SCOPED_TRACE(detector);
        const Arguments everything =
            detector == "cnn" ? Arguments{"--score-threshold", "0.2"} : Arguments{"--min-hits", "1"};
        const std::vector<Json> all = kept(detector, everything);
        ASSERT_FALSE(all.empty());
        for (const double confidence : {0.3, 0.9}) {
            const std::vector<Json> some = kept(detector, {"--min-confidence", std::to_string(confidence)});
            EXPECT_EQ(some.size(), from(all, confidence).size()) << confidence;
            for (const Json& each : some) EXPECT_GE(each["confidence"].get<float>(), static_cast<float>(confidence));
        }
        if (detector == "cnn") continue;  // the model has a threshold of its own
        const std::vector<Json> reported = kept(detector, {});
        EXPECT_EQ(reported, from(all, static_cast<double>(detector_kind(detector).min_confidence)));
        EXPECT_LT(reported.size(), all.size()) << "shows nothing otherwise";
        // With tracks, the others go to the tracker.
        EXPECT_EQ(kept(detector, {"--track"}), reported);
    }
}

}  // namespace
}  // namespace throng
