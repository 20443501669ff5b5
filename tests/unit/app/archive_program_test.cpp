// `throng detect --out` and `throng merge`, as users and job engines run them.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "app/options/devices.h"
#include "core/archive/manifest.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using test::contents;
using test::ProgramOptions;
using test::ProgramResult;
using test::run_program;

class ArchiveProgram : public ::testing::Test {
protected:
    void SetUp() override {
        if (!test::cascade_file("lbpcascade_frontalface.xml")) GTEST_SKIP() << "skipped: no opencv-data";
        fs::create_directories(file("in/deep"));
        for (int i = 0; i < 5; ++i) {
            draw("in/" + std::to_string(i) + ".png", {"--seed", std::to_string(i)});
        }
        draw("in/deep/clip.mp4", {"--frames", "4"});
    }
    void draw(const std::string& name, std::vector<std::string> options, const std::string& size = "160x120") {
        options.insert(options.begin(), {"crowd", file(name), "--size", size, "--faces", "3", "-q"});
        ASSERT_EQ(run_program(options).status, 0);
    }
    [[nodiscard]] std::string file(const std::string& name) const { return (dir_.path() / name).string(); }
    ProgramResult detect(std::vector<std::string> arguments, const ProgramOptions& options = {}) const {
        arguments.insert(arguments.begin(), {"detect", "--detector", "lbp", "--backend", "cpu"});
        return run_program(arguments, options);
    }
    // Returns the lines without times.
    [[nodiscard]] static std::vector<std::string> lines_of(const std::string& text) {
        std::vector<std::string> lines;
        std::istringstream stream(text);
        for (std::string line; std::getline(stream, line);)
            lines.push_back(line.substr(0, line.find(",\"timings_ms\"")));
        return lines;
    }

    // Returns the name of the result of a file that is named by its path.
    [[nodiscard]] static std::string name_of_output(const std::string& path) { return path.substr(1) + ".jsonl"; }

    test::ScratchDir dir_;
};

TEST_F(ArchiveProgram, ShardsAddUpToTheSingleRun) {
    ASSERT_EQ(detect({file("in"), "--out", file("whole"), "-q"}).status, 0);
    for (const char* shard : {"2/3", "1/3", "3/3"}) {
        const ProgramResult result = detect({file("in"), "--out", file("parts"), "--shard", shard});
        EXPECT_EQ(result.status, 0) << result.err;
        EXPECT_NE(result.out.find("shard " + std::string(shard)), std::string::npos) << result.out;
    }
    ASSERT_EQ(run_program({"merge", file("whole"), "--json", file("whole.jsonl"), "-q"}).status, 0);
    const ProgramResult merged = run_program(
        {"merge", file("parts"), "--json", file("parts.jsonl"), "--csv", file("parts.csv")}, test::own_process());
    EXPECT_EQ(merged.status, 0) << merged.err;
    EXPECT_NE(merged.out.find("6 inputs, 0 incomplete, 0 failed, 6 on cpu; 9 frames"), std::string::npos) << merged.out;
    const auto whole = lines_of(contents(file("whole.jsonl")));
    EXPECT_EQ(lines_of(contents(file("parts.jsonl"))), whole);
    ASSERT_EQ(whole.size(), 9U);

    // The same boxes as without an archive.
    std::size_t faces = 0;
    std::set<int> numbers;
    for (const std::string& line : lines_of(contents(file("parts.jsonl")))) {
        const Json whole_line = Json::parse(line + "}");
        numbers.insert(whole_line["source_number"].get<int>());
        faces += whole_line["kept"].size();
        const std::string source = "/" + whole_line["source"].get<std::string>();
        const ProgramResult alone = detect({source, "--json", "-", "-q"});
        const Json expected = Json::parse(lines_of(alone.out).at(whole_line["frame"].get<std::size_t>()) + "}");
        EXPECT_EQ(whole_line["kept"], expected["kept"]) << source;
        EXPECT_EQ(whole_line["pts"], expected["pts"]) << source;
    }
    EXPECT_EQ(numbers, (std::set<int>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(lines_of(contents(file("parts.csv"))).size(), faces + 1);
    // Neither output may replace a result.
    const std::string result = file("parts") + file("in/0.png") + ".jsonl";
    const std::string before = contents(result);
    ASSERT_NE(before, "");
    EXPECT_EQ(run_program({"merge", file("parts"), "--json", result}).status, 2);
    EXPECT_EQ(contents(result), before);
}

TEST_F(ArchiveProgram, RecordsDamagedInputs) {
    std::ofstream(file("in/bad.jpg")) << "not an image";
    fs::create_symlink("nowhere", file("in/link.png"));
    const std::string image = contents(file("in/0.png"));
    std::ofstream(file("in/cut.png")) << image.substr(0, image.size() / 2);
    const ProgramResult result = detect({file("in"), "--out", file("out")});
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.out.find("9 of 9 files"), std::string::npos) << result.out;
    const ProgramResult merged = run_program({"merge", file("out"), "--failures", file("failures.csv")});
    EXPECT_EQ(merged.status, 3) << merged.err;
    EXPECT_NE(merged.out.find("broken link"), std::string::npos) << merged.out;
    EXPECT_EQ(lines_of(contents(file("failures.csv"))).size(), 4U) << contents(file("failures.csv"));
    EXPECT_EQ(detect({file("in"), "--out", file("fast"), "--fail-fast", "--streams", "1"}).status, 3);
}

TEST_F(ArchiveProgram, KeepsFilesThatAreNoResults) {
    std::ofstream(file("plan.toml"))
        << "size = [160, 120]\n[[line]]\nname = \"door\"\nfrom = [80, 0]\nto = [80, 119]\n";
    const std::vector<std::string> command = {file("in"), "--out", file("out"), "--count", file("plan.toml")};
    const std::string clip = file("out") + file("in/deep/clip.mp4");
    fs::create_directories(fs::path(clip).parent_path());
    for (const char* extension : {".jsonl", ".events.jsonl", ".per-minute.csv"}) {
        std::ofstream(clip + extension) << "mine";
        const ProgramResult result = detect(command);
        EXPECT_EQ(result.status, 2) << result.err;
        EXPECT_NE(result.err.find(clip + extension), std::string::npos) << result.err;
        EXPECT_EQ(contents(clip + extension), "mine");
        fs::remove(clip + extension);
    }
    ASSERT_EQ(detect(command).status, 0);
    // The source of the list is not there: what was made of it remains.
    std::ofstream(file("list")) << file("in") << "/0.png\n" << file("in") << "/deep/clip.mp4\n";
    fs::rename(file("in"), file("away"));
    const std::vector<std::string> again = {"--files-from", file("list"), "--out", file("out"), "--resume"};
    std::vector<std::string> counted = again;
    counted.insert(counted.end(), {"--count", file("plan.toml")});
    for (const auto& resumed : {again, counted}) EXPECT_EQ(detect(resumed).status, 3);
    EXPECT_TRUE(fs::exists(clip + ".events.jsonl"));
    EXPECT_EQ(run_program({"merge", file("out"), "-q"}).status, 0);
    fs::rename(file("away"), file("in"));
    EXPECT_NE(detect(counted).out.find("2 skipped, 0 incomplete, 0 failed"), std::string::npos);
}

TEST_F(ArchiveProgram, CountsInputsWithoutEvents) {
    std::ofstream(file("plan.toml")) << "size = [160, 120]\n";
    std::ofstream(file("in/none.pgm")) << "P5\n160 120\n255\n" << std::string(160 * 120, '\1');
    const ProgramResult result = detect({file("in/none.pgm"), "--out", file("out"), "--count", file("plan.toml")});
    EXPECT_EQ(result.status, 0) << result.err;
    const std::string events = file("out") + file("in/none.pgm") + ".events.jsonl";
    EXPECT_TRUE(fs::exists(events));
    EXPECT_EQ(contents(events), "");
    EXPECT_EQ(run_program({"merge", file("out"), "--events", file("all.jsonl")}).status, 0);
}

TEST_F(ArchiveProgram, TakesAnyNamesFromLists) {
    const std::string odd = "a\nb\xff\xfe \"'.png";
    fs::copy(file("in/0.png"), file(odd));
    fs::copy(file("in/0.png"), file("http:x.png"));
    std::ofstream(file("list"), std::ios::binary)
        << file(odd) << '\0' << file("http:x.png") << '\0' << file("in/1.png") << '\0';
    const ProgramResult result = detect({"--files-from", file("list"), "--out", file("out")});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(run_program({"merge", file("out"), "--json", file("all.jsonl")}).status, 0);
    for (const std::string& line : lines_of(contents(file("all.jsonl")))) EXPECT_TRUE(Json::accept(line + "}"));
    EXPECT_EQ(lines_of(contents(file("all.jsonl"))).size(), 3U);
    // A list on standard input; here it is empty.
    EXPECT_EQ(detect({"--files-from", "-", "--out", file("out2")}).status, 3);
}

TEST_F(ArchiveProgram, NamesInLinesAreDifferent) {
    fs::create_directories(file("odd"));
    for (const char* name : {"odd/\xFE.png", "odd/\xFF.png", "odd/\xEF\xBF\xBD.png"})
        fs::copy(file("in/0.png"), file(name));
    ASSERT_EQ(detect({file("odd"), "--out", file("out")}).status, 0);
    ASSERT_EQ(run_program({"merge", file("out"), "--json", file("all.jsonl"), "--csv", file("all.csv")}).status, 0);
    std::set<std::string> sources;
    for (const std::string& line : lines_of(contents(file("all.jsonl")))) {
        sources.insert(Json::parse(line + "}")["source"].get<std::string>());
    }
    EXPECT_EQ(sources.size(), 3U);
    std::set<std::string> inputs;
    for (const std::string& line : lines_of(contents(file("all.csv")))) inputs.insert(line.substr(0, line.find(',')));
    EXPECT_EQ(inputs.size(), 4U) << "with the header";
}

// Lists as Windows writes them: nothing but what they name is processed.
TEST_F(ArchiveProgram, TakesListsOfOtherEncodings) {
    const std::string name = file("in/0.png");
    std::string utf16 = "\xFF\xFE";
    for (const char c : name + "\r\n") utf16 += std::string{c, '\0'};
    for (const auto& [list, status] :
         {std::pair{utf16, 0}, {utf16.substr(2), 3}, {"\xEF\xBB\xBF" + name + "\n", 0}, {name + "\r\n", 0}}) {
        std::ofstream(file("list"), std::ios::binary) << list;
        const ProgramResult result = detect({"--files-from", file("list"), "--out", file("out")});
        EXPECT_EQ(result.status, status) << result.err;
        std::size_t results = 0;
        if (fs::exists(file("out"))) {
            for (const auto& entry : fs::recursive_directory_iterator(file("out"))) {
                results += entry.path().string().ends_with(".png.jsonl") ? 1 : 0;
            }
        }
        EXPECT_EQ(results, status == 0 ? 1U : 0U);
        fs::remove_all(file("out"));
    }
}

TEST_F(ArchiveProgram, RejectsLinesThatAreNestedDeeply) {
    const std::string deep(2'000'000, '[');
    std::ofstream(file("deep.jsonl")) << R"({"source":"a","frame":0,"pts":0,"kept":)" << deep
                                      << std::string(deep.size(), ']') << "}\n";
    const std::string lines = file("deep.jsonl");
    for (const auto& command : {std::vector<std::string>{"eval", lines, lines},
                                {"merge", "--relink", lines, "--json", file("x.jsonl")},
                                {"eval", lines, lines, "--leaks"}}) {
        const ProgramResult result = run_program(command);
        EXPECT_EQ(result.status, 3) << result.err.substr(0, 300);
        EXPECT_NE(result.err.find("is not a JSON object"), std::string::npos) << result.err.substr(0, 300);
    }
    ASSERT_EQ(detect({file("in/0.png"), "--out", file("out")}).status, 0);
    std::ofstream(file("out/.throng/shard-1-of-1.jsonl"), std::ios::app) << deep << "\n";
    EXPECT_EQ(run_program({"merge", file("out")}).status, 3);
    EXPECT_EQ(detect({file("in/0.png"), "--out", file("out"), "--resume"}).status, 3);
}

TEST_F(ArchiveProgram, AChangedSegmentOfAPlaylistIsProcessedAgain) {
    draw("a.mp4", {"--frames", "3"});
    draw("longer.mp4", {"--frames", "5"});
    std::ofstream(file("list.txt")) << "ffconcat version 1.0\nfile a.mp4\n";
    const auto run = [&] { return detect({file("list.txt"), "--out", file("out"), "--resume"}); };
    EXPECT_NE(run().out.find("0 skipped, 0 incomplete, 0 failed; 3 frames"), std::string::npos);
    EXPECT_NE(run().out.find("1 skipped"), std::string::npos);
    fs::rename(file("longer.mp4"), file("a.mp4"));
    EXPECT_NE(run().out.find("0 skipped, 0 incomplete, 0 failed; 5 frames"), std::string::npos);
    // No output replaces what the list names: here, an output of the same name as a segment.
    fs::create_directory_symlink(file("out"), file("segments"));
    const std::string output = name_of_output(file("list.txt"));
    std::ofstream(file("list.txt")) << "ffconcat version 1.0\nfile segments/" << output << "\n";
    const ProgramResult own = run();
    EXPECT_EQ(own.status, 2) << own.err;
    EXPECT_NE(own.err.find("would overwrite the input"), std::string::npos) << own.err;
}

TEST_F(ArchiveProgram, RejectsWrongUsage) {
    const std::vector<std::vector<std::string>> commands = {
        {file("in"), "--out", file("out"), "--shard", "0/3"},
        {file("in"), "--out", file("out"), "--shard", "5/4"},
        {file("in"), "--out", file("in")},
        {file("in"), "--out", file("out"), "--json", file("a.jsonl")},
        {file("in"), "--out", file("out"), "--video", file("a.mp4")},
        {file("in"), "--out", file("out"), "--images", file("images")},
        {file("in"), "--out", file("out"), "--blur"},
        {file("in"), "--out", file("out"), "--per-minute", file("a.csv")},
        {file("in"), "--shard", "1/2"},
        {file("in"), "--resume"},
        {"--files-from", file("list")},
        {"--out", file("out")},
        {},
    };
    for (const auto& command : commands) {
        const ProgramResult result = detect(command);
        EXPECT_EQ(result.status, 2) << result.err;
        EXPECT_FALSE(fs::exists(file("out"))) << result.err;
    }
    EXPECT_EQ(detect({file("none"), "--out", file("out")}).status, 3);
    EXPECT_EQ(detect({"camera:0", "--out", file("out")}).status, 3);
    EXPECT_FALSE(fs::exists(file("out")));
}

TEST_F(ArchiveProgram, TheSecondProcessOfAShardEnds) {
    {
        const Manifest of_another_process(file("out"), {2, 2});
        const ProgramResult result = detect({file("in"), "--out", file("out"), "--shard", "2/2"});
        EXPECT_EQ(result.status, 4);
        EXPECT_NE(result.err.find("another process works on this shard"), std::string::npos) << result.err;
        EXPECT_EQ(detect({file("in"), "--out", file("out"), "--shard", "1/2"}).status, 0);
    }
    EXPECT_EQ(detect({file("in"), "--out", file("out"), "--shard", "2/2"}).status, 0);
    EXPECT_EQ(run_program({"merge", file("out")}).status, 0);
}

TEST_F(ArchiveProgram, SigtermLeavesARunThatResumes) {
    for (int i = 0; i < 3; ++i) draw("in/long" + std::to_string(i) + ".mp4", {"--frames", "30"}, "640x480");
    const std::vector<std::string> command = {"detect", file("in"),   "--out", file("out"), "--backend",
                                              "cpu",    "--min-size", "20",    "--resume"};
    ProgramOptions options;
    options.meanwhile = [&](int pid) {
        if (!test::handles_signals(pid) || !fs::exists(file("out/.throng/shard-1-of-1.jsonl"))) return true;
        ::kill(pid, SIGTERM);
        return false;
    };
    const ProgramResult result = run_program(command, options);
    EXPECT_EQ(result.status, 130) << result.out << result.err;
    EXPECT_NE(result.out.find("--resume"), std::string::npos) << result.out;
    EXPECT_EQ(run_program({"merge", file("out")}).status, 3) << "inputs are missing";
    const ProgramResult again = run_program(command);
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(run_program({"merge", file("out")}).status, 0);
}

TEST_F(ArchiveProgram, AFullDiskEndsTheRun) {
    ProgramOptions options;
    options.max_file_size = 2000;  // more than the records of the list, less than the lines of the clip
    const ProgramResult result = detect({file("in"), "--out", file("out"), "--raw", "--streams", "1"}, options);
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_NE(result.err.find("cannot write"), std::string::npos) << result.err;
    EXPECT_EQ(detect({file("in"), "--out", file("out"), "--raw", "--resume"}).status, 0);
    EXPECT_EQ(run_program({"merge", file("out")}).status, 0);
}

TEST(Devices, AllAreTheUsableOnes) {
    CommonOptions common;
    gpu::CudaProbe simulated;
    common.device = 3;
    EXPECT_EQ(devices_of(common, simulated), std::vector<int>{3});
    common.device = kAllDevices;
    EXPECT_EQ(devices_of(common, simulated), std::vector<int>{0});
    simulated.usable = true;
    for (int index = 0; index < 4; ++index) simulated.devices.emplace_back().index = index;
    EXPECT_EQ(devices_of(common, simulated), (std::vector<int>{0, 1, 2, 3}));
    simulated.devices[1].unavailable_reason = "too old";
    EXPECT_EQ(devices_of(common, simulated), (std::vector<int>{0, 2, 3}));
}

TEST_F(ArchiveProgram, TakesAllDevices) {
    EXPECT_EQ(detect({file("in"), "--out", file("out"), "--device", "all"}).status, 0);
    const ProgramResult result = detect({file("in/0.png"), "--device", "all"});
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("--device all"), std::string::npos) << result.err;
}

TEST_F(ArchiveProgram, ReportsProgressAsJson) {
    const ProgramResult result =
        detect({file("in"), "--out", file("out"), "--progress", "json", "--log-level", "error"});
    EXPECT_EQ(result.status, 0);
    std::istringstream stream(result.err);
    std::string last;
    for (std::string line; std::getline(stream, line);) {
        last = line;
        EXPECT_TRUE(Json::accept(line)) << line;
    }
    const Json progress = Json::parse(last);
    EXPECT_EQ(progress["finished"], 6);
    EXPECT_EQ(progress["inputs"], 6);
    EXPECT_EQ(progress["frames"], 9);
    EXPECT_EQ(progress["bytes"], progress["finished_bytes"]);
}

}  // namespace
}  // namespace throng
