// `throng detect A B C`: several sources at once.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/http_server.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"

namespace throng {
namespace {

using test::run_program;

class DetectSeveral : public ::testing::Test {
protected:
    void SetUp() override {
        if (!test::cascade_file("haarcascade_frontalface_alt2.xml")) GTEST_SKIP() << "skipped: no opencv-data";
    }
    // Returns the lines of each source, in the order in which they were written, without times and source number.
    std::map<std::string, std::vector<nlohmann::json>> run(std::vector<std::string> arguments) {
        const std::string path = (dir_.path() / "o.jsonl").string();
        arguments.insert(arguments.begin(), "detect");
        arguments.insert(arguments.end(), {"--json", path, "--backend", "cpu"});
        const test::ProgramResult result = run_program(arguments);
        EXPECT_EQ(result.status, 0) << result.err;
        out_ = result.out;
        std::map<std::string, std::vector<nlohmann::json>> lines;
        std::ifstream file(path);
        for (std::string line; std::getline(file, line);) {
            nlohmann::json json = nlohmann::json::parse(line);
            json.erase("timings_ms");
            json.erase("source_number");
            lines[json["source"]].push_back(std::move(json));
        }
        return lines;
    }

    test::ScratchDir dir_;
    std::string out_;
};

std::vector<std::string> crowds(int count) {
    std::vector<std::string> sources;
    for (int i = 0; i < count; ++i) {
        sources.push_back("crowd:faces=4,size=160x120,frames=" + std::to_string(6 + i) + ",seed=" + std::to_string(i));
    }
    return sources;
}

TEST_F(DetectSeveral, GiveTheSameResultsAsEachSourceAlone) {
    const std::vector<std::string> sources = crowds(5);
    for (const char* streams : {"1", "3", "0"}) {
        std::vector<std::string> arguments = sources;
        arguments.insert(arguments.end(), {"--streams", streams});
        const auto concurrent = run(arguments);
        ASSERT_EQ(concurrent.size(), sources.size());
        for (std::size_t i = 0; i < sources.size(); ++i) {
            const auto& lines = concurrent.at(sources[i]);
            ASSERT_EQ(lines.size(), 6 + i);
            for (std::size_t n = 0; n < lines.size(); ++n) EXPECT_EQ(lines[n]["frame"], n);
        }
        for (const std::string& source : sources) EXPECT_NE(out_.find(source), std::string::npos) << out_;
        EXPECT_NE(out_.find("40 frames"), std::string::npos) << out_;
        if (std::string(streams) != "1") {
            const auto alone = run({sources[2]});
            EXPECT_EQ(alone.at(sources[2]), concurrent.at(sources[2]));
        }
    }
}

// Lines of concurrent sources are interleaved: one source does not wait for the end of the other.
TEST_F(DetectSeveral, AreInterleaved) {
    const std::string a = "crowd:faces=2,size=240x180,frames=60,seed=1";
    const std::string b = "crowd:faces=2,size=240x180,frames=60,seed=2";
    const std::string path = (dir_.path() / "turns.jsonl").string();
    ASSERT_EQ(run_program(
                  {"detect", a, b, "--json", path, "--backend", "cpu", "--streams", "2", "--min-size", "80", "--quiet"})
                  .status,
              0);
    int switches = 0;
    std::string before;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const std::string source = nlohmann::json::parse(line)["source"];
        switches += source != before ? 1 : 0;
        before = source;
    }
    EXPECT_GT(switches, 6);
}

TEST_F(DetectSeveral, ManySourcesAreNotOpenedAtOnce) {
    std::vector<std::string> sources;
    for (int i = 0; i < 60; ++i) {
        sources.push_back("crowd:faces=1,size=64x64,frames=1,seed=" + std::to_string(i));
    }
    EXPECT_EQ(run(sources).size(), 60U);
}

// The first server answers when the second one has been asked.
TEST_F(DetectSeveral, AreOpenedAtTheSameTime) {
    const std::string clip = (dir_.path() / "clip.mp4").string();
    ASSERT_EQ(run_program({"crowd", clip, "--size", "160x120", "--frames", "5", "--quiet"}).status, 0);
    const std::vector<char> body = test::read_file(clip);
    const test::HttpServer second(body, {});
    test::HttpServer::Plan plan;
    plan.may_answer = [&second] { return second.requests() > 0; };
    const test::HttpServer first(body, plan);
    const auto lines = run({first.url("a.mp4"), second.url("b.mp4"), "--streams", "2"});
    ASSERT_EQ(lines.size(), 2U);
    for (const auto& [source, of_source] : lines) EXPECT_EQ(of_source.size(), 5U) << source;
}

TEST_F(DetectSeveral, AnUnknownSwitchIsReported) {
    const test::ProgramResult result =
        run_program({"detect", "crowd:faces=1,size=64x64,frames=1", "--backend", "cpu", "--switch", "tale=off"});
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("tale"), std::string::npos) << result.err;
}

TEST_F(DetectSeveral, AnUnknownDeviceIsRejected) {
    const test::ProgramResult result =
        run_program({"detect", "crowd:faces=1,size=64x64,frames=1", "--backend", "cuda", "--device", "99"});
    EXPECT_EQ(result.status, 4);
    EXPECT_NE(result.err, "");
}

}  // namespace
}  // namespace throng
