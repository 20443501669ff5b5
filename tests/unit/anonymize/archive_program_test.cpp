// throng anonymize with a folder as --out, and throng merge on its results.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/sha256.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using test::contents;
using test::run_program;

class AnonymizeArchive : public testing::Test {
protected:
    void SetUp() override {
        fs::create_directories(path("in/deep"));
        draw("in/a.png", {"--seed", "1"});
        draw("in/deep/b.jpg", {"--seed", "2"});
        draw("in/deep/c.mp4", {"--frames", "3"});
        std::ofstream(path("in/bad.jpg")) << "no image";
    }
    void draw(const std::string& name, std::vector<std::string> options) {
        options.insert(options.begin(), {"crowd", path(name), "--size", "160x120", "--faces", "3", "-q"});
        ASSERT_EQ(run_program(options).status, 0);
    }
    [[nodiscard]] std::string path(const std::string& name) const { return (dir_.path() / name).string(); }
    [[nodiscard]] test::ProgramResult anonymize(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(),
                         {"anonymize", "--detector", "lbp", "--encoder", "libx264", "--backend", "cpu"});
        return run_program(arguments);
    }
    // Returns the bytes of all files but the records, by relative path.
    [[nodiscard]] std::map<std::string, std::string> files_of(const std::string& folder) const {
        std::map<std::string, std::string> files;
        for (const auto& entry : fs::recursive_directory_iterator(path(folder))) {
            const std::string name = entry.path().lexically_relative(path(folder)).string();
            if (entry.is_regular_file() && !name.starts_with(".throng")) files[name] = contents(entry.path());
        }
        return files;
    }

    test::ScratchDir dir_;
};

TEST_F(AnonymizeArchive, ShardsAddUpToTheSingleRun) {
    for (const char* name : {"in/readme", "in/deep/notes.pdf"}) std::ofstream(path(name)) << "no picture";
    EXPECT_EQ(anonymize({path("in"), "--out", path("whole")}).status, 3);
    auto whole = files_of("whole");
    std::set<std::string> names;
    for (const auto& [name, bytes] : whole) names.insert(name);
    EXPECT_EQ(names,
              (std::set<std::string>{"a.png", "a.png.report.json", "anonymize-report.html", "anonymize-report.json",
                                     "deep/b.jpg", "deep/b.jpg.report.json", "deep/c.mp4", "deep/c.mp4.report.json"}));
    for (const char* shard : {"3/3", "1/3", "2/3"}) {
        const auto result = anonymize({path("in"), "--out", path("parts"), "--shard", shard});
        EXPECT_TRUE(result.status == 0 || result.status == 3) << result.err;
        EXPECT_NE(result.out.find("shard " + std::string(shard)), std::string::npos) << result.out;
    }
    const auto merged = run_program({"merge", path("parts"), "--report", path("report")});
    EXPECT_EQ(merged.status, 3) << merged.err;
    EXPECT_NE(merged.out.find("4 inputs, 0 incomplete, 1 failed, 3 on cpu; 5 frames"), std::string::npos) << merged.out;
    EXPECT_EQ(contents(path("report.json")), whole["anonymize-report.json"]);
    EXPECT_EQ(contents(path("report.html")), whole["anonymize-report.html"]);
    whole.erase("anonymize-report.json");
    whole.erase("anonymize-report.html");
    EXPECT_TRUE(files_of("parts") == whole);

    // An id names one track of the joined report.
    std::set<int> ids;
    std::size_t tracks = 0;
    std::size_t failed = 0;
    const Json joined = Json::parse(contents(path("report.json")));
    for (const Json& file : joined["files"]) {
        failed += file["status"] == "failed" ? 1 : 0;
        for (const Json& track : file["tracks"]) ids.insert(track["id"].get<int>());
        tracks += file["tracks"].size();
    }
    EXPECT_EQ(failed, 1U);
    EXPECT_EQ(joined["left_out"], Json::array({"deep/notes.pdf", "readme"}));
    EXPECT_GE(tracks, 3U);
    EXPECT_EQ(ids.size(), tracks);

    for (const char* option : {"--json", "--csv"}) {
        const auto rejected = run_program({"merge", path("parts"), option, path("x")});
        EXPECT_EQ(rejected.status, 2);
        EXPECT_NE(rejected.err.find("does not apply"), std::string::npos) << rejected.err;
    }
    // A changed output is found.
    std::ofstream(path("parts/a.png"), std::ios::app) << "x";
    const auto changed = run_program({"merge", path("parts")});
    EXPECT_EQ(changed.status, 3);
    EXPECT_NE(changed.err.find("output changed"), std::string::npos) << changed.err;
    // A track of the joined report can be kept; the others are hidden as before.
    const std::string keep = "1@" + path("report.json");
    EXPECT_EQ(anonymize({path("in"), "--out", path("kept"), "--keep", keep}).status, 3);
    const Json kept = Json::parse(contents(path("kept/anonymize-report.json")))["files"];
    EXPECT_EQ(kept[0]["input"], "a.png");
    EXPECT_TRUE(kept[0]["tracks"][0]["kept"].get<bool>());
    EXPECT_EQ(contents(path("kept/deep/b.jpg")), whole["deep/b.jpg"]);
}

TEST_F(AnonymizeArchive, ResumesAndSkipsWhatIsDone) {
    ASSERT_EQ(anonymize({path("in"), "--out", path("out"), "-q"}).status, 3);
    const auto before = files_of("out");
    EXPECT_EQ(anonymize({path("in"), "--out", path("out")}).status, 2);
    fs::remove(path("out/a.png"));
    const auto resumed = anonymize({path("in"), "--out", path("out"), "--resume"});
    EXPECT_EQ(resumed.status, 3) << resumed.err;
    EXPECT_NE(resumed.out.find("2 skipped, 0 incomplete, 1 failed; 1 frames"), std::string::npos) << resumed.out;
    EXPECT_TRUE(files_of("out") == before);
    // Other settings: everything is done again, and nothing of the earlier run is left.
    const auto other = anonymize({path("in"), "--out", path("out"), "--resume", "--style", "solid"});
    EXPECT_NE(other.out.find(" 0 skipped"), std::string::npos) << other.out;
    EXPECT_NE(contents(path("out/a.png")), before.at("a.png"));
    EXPECT_EQ(run_program({"merge", path("out")}).status, 3);
    // Results of other settings that remain are no part of a report.
    fs::remove(path("in/a.png"));
    const auto mixed = anonymize({path("in"), "--out", path("out"), "--resume"});
    EXPECT_NE(mixed.err.find("other settings"), std::string::npos) << mixed.err;
    EXPECT_NE(run_program({"merge", path("out")}).err.find("mixed settings"), std::string::npos);
}

// Originals beside: of the name of an output, of an output that will fail, and of a report.
TEST_F(AnonymizeArchive, KeepsFilesThatAreNoResults) {
    for (const char* name :
         {"a.png", "bad.jpg", "a.png.report.json", "anonymize-report.json", "anonymize-report.html"}) {
        fs::create_directories(path("out"));
        std::ofstream(path("out/") + name) << "mine";
        const auto result = anonymize({path("in"), "--out", path("out")});
        EXPECT_EQ(result.status, 2) << result.out << result.err;
        EXPECT_NE(result.err.find(path("out/") + name), std::string::npos) << result.err;
        EXPECT_EQ(files_of("out"), (std::map<std::string, std::string>{{name, "mine"}}));
        fs::remove_all(path("out"));
    }
    // The common report is replaced only as it was written.
    ASSERT_EQ(anonymize({path("in"), "--out", path("out")}).status, 3);
    EXPECT_EQ(anonymize({path("in"), "--out", path("out"), "--resume"}).status, 3);
    std::ofstream(path("out/anonymize-report.html"), std::ios::app) << "notes";
    const std::string notes = contents(path("out/anonymize-report.html"));
    const auto changed = anonymize({path("in"), "--out", path("out"), "--resume"});
    EXPECT_EQ(changed.status, 2);
    EXPECT_NE(changed.err.find("was changed after it was written"), std::string::npos) << changed.err;
    EXPECT_EQ(contents(path("out/anonymize-report.html")), notes);
    // A report that is named is replaced.
    EXPECT_EQ(anonymize({path("in"), "--out", path("out"), "--resume", "--report", path("named")}).status, 3);
    EXPECT_EQ(anonymize({path("in"), "--out", path("out"), "--resume", "--report", path("named")}).status, 3);
}

// An original in the output folder, which is below the input, is neither replaced nor left out.
TEST_F(AnonymizeArchive, KeepsOriginalsInAFolderBelowItsInput) {
    fs::remove(path("in/bad.jpg"));
    fs::create_directories(path("in/2019"));
    draw("in/2019/a.png", {"--seed", "3"});
    const auto before = files_of("in");
    const auto rejected = [&](const std::vector<std::string>& arguments, const std::string& file) {
        const auto result = anonymize(arguments);
        EXPECT_EQ(result.status, 2) << result.out << result.err;
        EXPECT_NE(result.err.find(path(file)), std::string::npos) << result.err;
    };
    rejected({path("in"), "--out", path("in/2019")}, "in/2019/a.png");
    rejected({path("in"), "--out", path("in/2019"), "--resume"}, "in/2019/a.png");
    fs::rename(path("in/2019/a.png"), path("in/2019/other.png"));
    rejected({path("in"), "--out", path("in/2019")}, "in/2019/other.png");
    fs::rename(path("in/2019/other.png"), path("in/2019/a.png"));
    rejected({path("in"), "--out", path("in/deep")}, "in/deep/");
    EXPECT_TRUE(files_of("in") == before);
}

TEST_F(AnonymizeArchive, ResumesInAFolderBelowItsInput) {
    fs::remove(path("in/bad.jpg"));
    const auto first = anonymize({path("in"), "--out", path("in/hidden")});
    ASSERT_EQ(first.status, 0) << first.err;
    draw("in/new.png", {"--seed", "4"});
    const auto second = anonymize({path("in"), "--out", path("in/hidden"), "--resume"});
    EXPECT_EQ(second.status, 0) << second.err;
    EXPECT_NE(second.out.find("4 of 4 files, 3 skipped"), std::string::npos) << second.out;
    EXPECT_EQ(Json::parse(contents(path("in/hidden/anonymize-report.json")))["files"].size(), 4U);
    // Other settings replace what is ours, reports included; not what somebody changed.
    std::ofstream(path("in/hidden/new.png"), std::ios::app) << "x";
    const std::string changed = contents(path("in/hidden/new.png"));
    std::ofstream(path("in/hidden/notes.txt")) << "no input";
    fs::remove(path("in/new.png"));
    const auto rejected = anonymize({path("in"), "--out", path("in/hidden"), "--resume", "--style", "solid"});
    EXPECT_EQ(rejected.status, 2) << "a changed file is no result, so it may be an input";
    EXPECT_EQ(contents(path("in/hidden/new.png")), changed);
}

TEST_F(AnonymizeArchive, NamesInReportsAreDifferent) {
    fs::remove_all(path("in/deep"));
    fs::remove(path("in/bad.jpg"));
    fs::copy(path("in/a.png"), path("in/a\xFE.png"));
    fs::copy(path("in/a.png"), path("in/a\xFF.png"));
    ASSERT_EQ(anonymize({path("in"), "--out", path("out")}).status, 0);
    std::set<std::string> inputs;
    std::set<std::string> outputs;
    const Json report = Json::parse(contents(path("out/anonymize-report.json")));
    for (const Json& file : report["files"]) {
        inputs.insert(file["input"]);
        outputs.insert(file["output"]);
    }
    EXPECT_EQ(inputs.size(), 3U);
    EXPECT_EQ(outputs.size(), 3U);
}

// hidden.jpg and hidden.png would both be reported in hidden.report.json.
TEST_F(AnonymizeArchive, EachOutputFileHasItsReport) {
    const auto output_in = [&](const std::string& report) {
        return Json::parse(contents(path(report)))["files"][0]["output"].get<std::string>();
    };
    for (int round = 0; round < 2; ++round) {
        EXPECT_EQ(anonymize({path("in/a.png"), "--out", path("x.png")}).status, 0);
        EXPECT_EQ(output_in("x.report.json"), path("x.png"));
        const auto second = anonymize({path("in/deep/b.jpg"), "--out", path("x.jpg")});
        EXPECT_EQ(second.status, 0);
        EXPECT_NE(second.out.find("x.jpg.report.json"), std::string::npos) << second.out;
        EXPECT_EQ(output_in("x.jpg.report.json"), path("x.jpg"));
        EXPECT_EQ(output_in("x.report.json"), path("x.png"));
        EXPECT_TRUE(fs::exists(path("x.jpg.report.html")));
    }
    // Files that are no reports are kept.
    std::ofstream(path("y.report.html")) << "mine";
    std::ofstream(path("y.png.report.json")) << "mine";
    const auto rejected = anonymize({path("in/a.png"), "--out", path("y.png")});
    EXPECT_EQ(rejected.status, 2);
    EXPECT_NE(rejected.err.find("--report"), std::string::npos) << rejected.err;
    EXPECT_EQ(contents(path("y.report.html")) + contents(path("y.png.report.json")), "minemine");
    EXPECT_FALSE(fs::exists(path("y.png")));
}

TEST_F(AnonymizeArchive, RejectsReportsThatAreNestedDeeply) {
    const std::string deep(2'000'000, '[');
    std::ofstream(path("deep.json")) << R"({"program":"throng anonymize","version":)" << deep
                                     << std::string(deep.size(), ']') << "}";
    for (const char* option : {"--keep", "--hide"}) {
        const auto result = anonymize({path("in/a.png"), "--out", path("x.png"), option, "1@" + path("deep.json")});
        EXPECT_EQ(result.status, 3) << result.err;
        EXPECT_NE(result.err.find("is not a report of throng anonymize"), std::string::npos)
            << result.err.substr(0, 300);
    }
    ASSERT_EQ(anonymize({path("in/a.png"), "--out", path("out/")}).status, 0);
    // The report of an output, whose record is made to fit.
    const std::string manifest = path("out/.throng/shard-1-of-1.jsonl");
    const std::string hash = sha256_of_text(contents(path("deep.json")));
    std::string line = contents(manifest);
    const std::size_t at = line.find("\"size\":", line.find("a.png.report.json"));
    line.replace(at, line.find('}', at) - at,
                 "\"size\":" + std::to_string(fs::file_size(path("deep.json"))) + ",\"sha256\":\"" + hash + "\"");
    std::ofstream(manifest) << line;
    fs::copy_file(path("deep.json"), path("out/a.png.report.json"), fs::copy_options::overwrite_existing);
    const auto merged = run_program({"merge", path("out"), "--report", path("r")});
    EXPECT_EQ(merged.status, 3);
    EXPECT_NE(merged.err.find("nested too deeply"), std::string::npos) << merged.err.substr(0, 300);
}

// The name of a report does not say which tracks are kept.
TEST_F(AnonymizeArchive, OtherDecisionsAreOtherSettings) {
    fs::remove(path("in/bad.jpg"));
    ASSERT_EQ(run_program({"crowd", path("in/a.png"), "--size", "640x480", "--faces", "8", "-q"}).status, 0);
    ASSERT_EQ(anonymize({path("in"), "--out", path("first"), "--report", path("r"), "-q"}).status, 0);
    Json report = Json::parse(contents(path("r.json")));
    ASSERT_GE(report["files"][0]["tracks"].size(), 2U);
    const auto keep_first = [&](const std::string& name) {
        return anonymize({path("in"), "--out", path("kept"), "--keep", "1@" + path(name), "--resume", "--report",
                          path("kept-report")});
    };
    const auto kept_tracks = [&] {
        const Json json = Json::parse(contents(path("kept-report.json")));
        std::vector<bool> kept;
        for (const Json& track : json.at("files").at(0).at("tracks")) kept.push_back(track.at("kept").get<bool>());
        return kept;
    };
    EXPECT_NE(keep_first("r.json").out.find(" 0 skipped"), std::string::npos);
    EXPECT_TRUE(kept_tracks().at(0));
    // The same decision from another report.
    fs::copy_file(path("r.json"), path("copy.json"));
    EXPECT_NE(keep_first("copy.json").out.find(" 3 skipped"), std::string::npos);
    // Another decision by the same name.
    std::swap(report["files"][0]["tracks"][0]["id"], report["files"][0]["tracks"][1]["id"]);
    std::ofstream(path("r.json")) << report;
    EXPECT_NE(keep_first("r.json").out.find(" 0 skipped"), std::string::npos);
    EXPECT_FALSE(kept_tracks().at(0)) << "the face of an earlier decision is visible";
    EXPECT_TRUE(kept_tracks().at(1));
}

TEST_F(AnonymizeArchive, AChangedSegmentOfAPlaylistIsHiddenAgain) {
    std::ofstream(path("list.m3u8")) << "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:1,\npart.ts\n#EXT-X-ENDLIST\n";
    const auto draw_part = [&](const char* frames) {
        draw("part.mkv", {"--frames", frames});
        test::ffmpeg("-i " + path("part.mkv") + " -c:v mpeg2video -q:v 3", path("part.ts"));
    };
    TH_NEED_FFMPEG();
    draw_part("4");
    const auto run = [&] { return anonymize({path("list.m3u8"), "--out", path("out"), "--resume"}); };
    const auto first = run();
    EXPECT_NE(first.out.find("0 skipped, 0 incomplete, 0 failed; 4 frames"), std::string::npos)
        << first.out << first.err;
    EXPECT_NE(run().out.find("1 skipped"), std::string::npos);
    draw_part("7");
    EXPECT_NE(run().out.find("0 skipped, 0 incomplete, 0 failed; 7 frames"), std::string::npos);
}

TEST_F(AnonymizeArchive, TakesListsAndChecksOptions) {
    std::ofstream(path("list")) << path("in/deep/b.jpg") << "\n" << path("in/a.png") << "\n";
    const auto listed = anonymize({"--files-from", path("list"), "--out", path("out"), "--progress", "json"});
    EXPECT_EQ(listed.status, 0) << listed.err;
    EXPECT_NE(listed.err.find("\"finished\":2"), std::string::npos) << listed.err;
    EXPECT_TRUE(fs::exists(path("out" + path("in/deep/b.jpg"))));
    const auto rejected = [&](std::vector<std::string> arguments, const std::string& message) {
        const auto result = anonymize(arguments);
        EXPECT_EQ(result.status, 2) << message;
        EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
    };
    rejected({path("in/a.png"), "--out", path("x.png"), "--shard", "1/2"}, "applies to archives only");
    rejected({path("in"), "--out", path("x"), "--shard", "1/2", "--report", path("r")}, "merge --report");
    rejected({"--out", path("x")}, "no inputs given");
    rejected({path("in"), "--out", path("in")}, "is an input, too");
    rejected({path("in"), path("in/deep"), "--out", path("in/deep")}, "is an input, too");
    EXPECT_FALSE(fs::exists(path("x")));
    EXPECT_EQ(anonymize({path("in"), "--out", path("fast"), "--fail-fast", "--streams", "1"}).status, 3);
}

// Errors of an encoder and of a container are at the output, but of the input.
TEST_F(AnonymizeArchive, GoesOnAfterAnInputThatCannotBeWritten) {
    TH_NEED_FFMPEG();
    fs::remove(path("in/bad.jpg"));
    test::ffmpeg("-f lavfi -i color=s=17000x16:r=5:d=0.4 -c:v ffv1", path("in/wide.mkv"));
    // Concatenated transport streams: the times of video and audio jump back by 100 s, as if the clock began again.
    for (const char* name : {"1.ts", "2.ts"}) {
        test::ffmpeg(
            std::string("-f lavfi -i testsrc2=s=64x48:r=10:d=2 -f lavfi -i sine=f=300:d=2 -c:v mpeg2video -c:a "
                        "mp2 -output_ts_offset ") +
                (name[0] == '1' ? "100" : "0"),
            path(name));
    }
    std::ofstream(path("in/joined.ts"), std::ios::binary) << contents(path("1.ts")) << contents(path("2.ts"));
    const auto result = anonymize({path("in"), "--out", path("out"), "--audio", "copy"});
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_NE(result.out.find("5 of 5 files, 0 skipped, 0 incomplete, 1 failed"), std::string::npos) << result.out;
    EXPECT_NE(result.err.find("wide.mkv: failed: the encoder libx264 cannot encode 17000x16"), std::string::npos)
        << result.err;
    // All audio is there, in order.
    const auto times_of = [&](const std::string& file) {
        std::vector<double> times;
        double tick = 0;
        test::ffmpeg("-i '" + path(file) + "' -map 0:a -c copy -f framecrc", path("packets"));
        std::istringstream lines(contents(path("packets")));
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with("#tb"))
                tick = std::stod(line.substr(line.find(':') + 1)) / std::stod(line.substr(line.find('/') + 1));
            if (!line.starts_with('#')) times.push_back(std::stod(line.substr(line.find(',') + 1)) * tick);
        }
        return times;
    };
    const std::vector<double> times = times_of("out/joined.ts.mp4");
    const std::size_t expected = times_of("1.ts").size() + times_of("2.ts").size();
    EXPECT_NEAR(static_cast<double>(times.size()), static_cast<double>(expected), 4)
        << "those beyond the video are left out";
    EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
    ASSERT_FALSE(times.empty());
    EXPECT_NEAR(times.back(), 4, 0.3);
}

// A still image stays one, whatever decodes it.
TEST_F(AnonymizeArchive, StillsAreWrittenAsStills) {
    TH_NEED_FFMPEG();
    fs::create_directories(path("stills"));
    std::vector<std::string> names;
    for (const std::string name : {"A.TGA", "b.jp2", "c.exr", "d.pcx", "e.pam", "f.sgi"}) {
        try {
            test::ffmpeg("-i " + path("in/a.png") + " -frames:v 1", path("stills/" + name));
        } catch (const std::runtime_error&) {
            continue;  // this ffmpeg program has no such encoder
        }
        names.push_back(name);
    }
    EXPECT_GE(names.size(), 5U);
    EXPECT_EQ(anonymize({path("stills"), "--out", path("out")}).status, 0);
    const Json report = Json::parse(contents(path("out/anonymize-report.json")));
    ASSERT_EQ(report["files"].size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        EXPECT_EQ(report["files"][i]["output"], names[i] + ".png");
        EXPECT_EQ(report["files"][i]["kind"], "image");
        EXPECT_EQ(report["files"][i]["width"], 160);
    }
}

TEST_F(AnonymizeArchive, NamesAVideoByItsContent) {
    fs::remove(path("in/bad.jpg"));
    fs::rename(path("in/deep/c.mp4"), path("in/deep/c.jpg"));
    const auto result = anonymize({path("in"), "--out", path("out")});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find("3 of 3 files, 0 skipped, 0 incomplete, 0 failed"), std::string::npos) << result.out;
    EXPECT_TRUE(fs::exists(path("out/a.png")));
    EXPECT_TRUE(fs::exists(path("out/deep/b.jpg")));
    EXPECT_TRUE(fs::exists(path("out/deep/c.jpg.mp4")));
    EXPECT_FALSE(fs::exists(path("out/deep/c.jpg")));
}

}  // namespace
}  // namespace throng
