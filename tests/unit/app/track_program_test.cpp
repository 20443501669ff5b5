// throng detect --track, as a user runs it.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

using nlohmann::json;
using test::ProgramResult;
using test::run_program;

std::vector<json> detect(const std::vector<std::string>& options, int frames = 8) {
    std::vector<std::string> arguments{"detect", "crowd:faces=5,size=640x360,frames=" + std::to_string(frames),
                                       "--json", "-", "--quiet"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    std::vector<json> lines;
    std::istringstream stream(result.out);
    for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line));
    return lines;
}

TEST(TrackProgram, EveryFaceKeepsItsId) {
    const std::vector<json> lines = detect({"--track", "--min-size", "30"});
    ASSERT_EQ(lines.size(), 8U);
    std::map<std::int64_t, int> frames;  // by id
    for (const json& line : lines) {
        EXPECT_GE(line["tracks"].size(), 5U);
        for (const json& track : line["tracks"]) {
            ++frames[track["id"].get<std::int64_t>()];
            EXPECT_LT(track["age"], 8);
        }
        EXPECT_TRUE(line["timings_ms"].contains("track"));
    }
    EXPECT_LE(frames.size(), 6U) << "five faces";
    for (const json& line : detect({"--min-size", "100"})) EXPECT_FALSE(line.contains("tracks"));
}

TEST(TrackProgram, DetectionsAreTheSameAsWithoutTracks) {
    for (const std::vector<std::string>& options : {std::vector<std::string>{"--min-hits", "4"},
                                                    {"--detector", "hog", "--min-size", "64"},
                                                    {"--rule", "soft-linear"}}) {
        std::vector<std::string> tracked = options;
        tracked.emplace_back("--track");
        const std::vector<json> without = detect(options, 3);
        const std::vector<json> with = detect(tracked, 3);
        ASSERT_EQ(with.size(), 3U);
        ASSERT_EQ(with.size(), without.size());
        for (std::size_t i = 0; i < with.size(); ++i) {
            ASSERT_EQ(with[i]["kept"].size(), without[i]["kept"].size()) << options.front();
            for (std::size_t k = 0; k < with[i]["kept"].size(); ++k) {
                for (const char* key : {"x", "y", "w", "h", "score"}) {
                    EXPECT_EQ(with[i]["kept"][k][key], without[i]["kept"][k][key]) << options.front();
                }
            }
        }
    }
}

TEST(TrackProgram, CountsPeople) {
    const test::ScratchDir dir;
    const std::string plan = (dir.path() / "zones.toml").string();
    const std::string events = (dir.path() / "events.jsonl").string();
    std::ofstream(plan) << "size = [640, 360]\n[[zone]]\nname = \"all\"\n"
                           "points = [[0, 0], [640, 0], [640, 360], [0, 360]]\n";
    const std::vector<std::string> run{"detect",     "crowd:faces=5,size=640x360,frames=20",
                                       "--count",    plan,
                                       "--min-size", "30",
                                       "--quiet",    "--events",
                                       events,       "--per-minute",
                                       "-"};
    const ProgramResult result = run_program(run);
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find("all_mean,all_max,all_visits,all_dwell"), std::string::npos) << result.out;
    int entered = 0;
    std::ifstream file(events);
    for (std::string line; std::getline(file, line);) entered += json::parse(line)["event"] == "entered" ? 1 : 0;
    EXPECT_GE(entered, 5);

    EXPECT_EQ(run_program({"detect", "crowd:frames=1", "--count", plan}).status, 2);
    std::ofstream(plan) << "size = [640, 360]\n[[zone]]\nname = \"all\"\npoints = [[0, 0], [640, 0]]\n";
    const ProgramResult broken = run_program(run);
    EXPECT_EQ(broken.status, 2);
    EXPECT_NE(broken.err.find("zones.toml:2"), std::string::npos) << broken.err;
}

TEST(TrackProgram, RelinkWritesTheSameLinesWithOtherTracks) {
    const test::ScratchDir folder;
    const std::string found = (folder.path() / "found.jsonl").string();
    const std::string relinked = (folder.path() / "relinked.jsonl").string();
    ASSERT_EQ(run_program({"detect", "crowd:faces=5,size=640x360,frames=8", "--track", "--min-size", "30", "--json",
                           found, "--quiet"})
                  .status,
              0);
    const ProgramResult result = run_program({"merge", "--relink", found, "--json", relinked}, test::own_process());
    ASSERT_EQ(result.status, 0) << result.err;
    std::ifstream before(found), after(relinked);
    std::size_t lines = 0;
    for (std::string a, b; std::getline(before, a); ++lines) {
        ASSERT_TRUE(std::getline(after, b));
        json old = json::parse(a), now = json::parse(b);
        EXPECT_FALSE(now["tracks"].empty());
        for (const json& track : now["tracks"]) {
            for (const char* key : {"id", "x", "y", "w", "h", "score", "age", "state"})
                EXPECT_TRUE(track.contains(key));
        }
        old.erase("tracks");
        now.erase("tracks");
        EXPECT_EQ(old, now);
    }
    EXPECT_EQ(lines, 8U);
}

std::vector<json> lines_of(const std::string& text) {
    std::vector<json> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line));
    return lines;
}

// A file is written with tracks that are linked with what comes after them; a stream is not.
TEST(TrackProgram, TracksOfFilesAreLinkedAgain) {
    const test::ScratchDir folder;
    std::filesystem::create_directory(folder.path() / "in");
    const std::string clip = (folder.path() / "in/clip.mp4").string();
    const std::string file = (folder.path() / "found.jsonl").string();
    const std::string out = (folder.path() / "out").string();
    ASSERT_EQ(run_program({"crowd", clip, "--faces", "12", "--size", "320x240", "--motion", "walk", "--frames", "30",
                           "--seed", "4", "--quiet"})
                  .status,
              0);
    const ProgramResult stream = run_program({"detect", clip, "--track", "--json", "-", "--quiet"});
    ASSERT_EQ(stream.status, 0) << stream.err;
    ASSERT_EQ(run_program({"detect", clip, "--track", "--json", file, "--quiet"}).status, 0);
    ASSERT_EQ(run_program({"detect", (folder.path() / "in").string(), "--track", "--out", out, "--quiet"}).status, 0);
    std::filesystem::path written;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(out)) {
        if (entry.path().filename() == "clip.mp4.jsonl") written = entry.path();
    }
    const std::vector<json> online = lines_of(stream.out);
    const std::vector<json> linked = lines_of(test::contents(file));
    const std::vector<json> archived = lines_of(test::contents(written));
    ASSERT_EQ(online.size(), 30U);
    ASSERT_EQ(linked.size(), 30U);
    ASSERT_EQ(archived.size(), 30U);
    int different = 0;
    std::set<std::int64_t> ids;
    for (std::size_t i = 0; i < linked.size(); ++i) {
        EXPECT_EQ(linked[i]["frame"], online[i]["frame"]);
        EXPECT_EQ(linked[i]["kept"], online[i]["kept"]);
        EXPECT_EQ(linked[i]["tracks"], archived[i]["tracks"]);
        different += linked[i]["tracks"] == online[i]["tracks"] ? 0 : 1;
        for (const json& track : linked[i]["tracks"]) {
            if (ids.insert(track["id"].get<std::int64_t>()).second) {
                EXPECT_EQ(track["age"], 0) << "a track is reported from its first detection on";
            }
        }
    }
    EXPECT_GT(different, 0);
}

// Frames that do not follow each other would give thousands of tracks.
TEST(TrackProgram, RelinkRejectsFramesOutOfOrder) {
    const test::ScratchDir folder;
    const std::string path = (folder.path() / "lines.jsonl").string();
    const auto line = [](const std::string& source, int number, int frame, bool numbered = true) {
        json object{{"source", source}, {"source_number", number}, {"pts", 0.1 * frame}, {"tracks", json::array()}};
        if (numbered) object["frame"] = frame;
        return object.dump() + "\n";
    };
    const auto relink = [&](const std::string& lines) {
        std::ofstream(path) << lines;
        return run_program({"merge", "--relink", path});
    };
    for (const bool numbered : {true, false}) {
        std::string good;
        for (int i = 0; i < 3; ++i) good += line("a", 1, i, numbered) + line("b", 2, i, numbered);
        EXPECT_EQ(relink(good).status, 0);
        const ProgramResult back = relink(good + "\n" + line("b", 2, 1, numbered));
        EXPECT_EQ(back.status, 3);
        EXPECT_NE(back.err.find(numbered ? "frame 1 of b comes after frame 2" : "of b comes after"), std::string::npos)
            << back.err;
        EXPECT_NE(back.err.find("lines.jsonl:8"), std::string::npos) << back.err;
        EXPECT_EQ(back.out, "") << "nothing is written";
        const ProgramResult twice = relink(good + line("a", 1, 2, numbered));
        EXPECT_EQ(twice.status, 3);
        EXPECT_NE(twice.err.find("of a is there twice"), std::string::npos) << twice.err;
        EXPECT_NE(twice.err.find("lines.jsonl:7"), std::string::npos) << twice.err;
        // One file that was named twice.
        std::string same;
        for (int i = 0; i < 3; ++i) same += line("a", 1, i, numbered) + line("a", 2, i, numbered);
        EXPECT_EQ(relink(same).status, 0);
    }
    const std::string pipe = (folder.path() / "pipe").string();
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const ProgramResult piped = run_program({"merge", "--relink", pipe});
    EXPECT_EQ(piped.status, 3);
    EXPECT_NE(piped.err.find("read twice"), std::string::npos) << piped.err;
}

TEST(TrackProgram, RelinkNamesWhatItCannotRead) {
    const test::ScratchDir folder;
    const std::string path = (folder.path() / "lines.jsonl").string();
    const auto relink = [&](const std::string& lines) {
        std::ofstream(path) << lines;
        return run_program({"merge", "--relink", path});
    };
    for (const auto& [lines, message] :
         {std::pair<const char*, const char*>{"{}\n", "'source' is missing"},
          {"{\"source\":\"a\",\"kept\":[]}\n", "'tracks' is missing"},
          {"{\"source\":\"a\",\"tracks\":[{\"id\":1,\"x\":0,\"y\":0,\"w\":9,\"h\":9,"
           "\"score\":1,\"state\":\"seen\"}]}\n",
           "'state' of a track"},
          {"{\"source\":\"a\",\"tracks\":[]}\n{\"source\":\"a\",\"tracks\":[]}\n", "have no times"}}) {
        const ProgramResult result = relink(lines);
        EXPECT_EQ(result.status, 3) << lines;
        EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
    }
    EXPECT_EQ(run_program({"merge", "--relink", path, "--json", path}).status, 2);
    EXPECT_EQ(relink("").status, 0);
    EXPECT_EQ(run_program({"merge", "--relink", path, "--csv", path + ".csv"}).status, 2);
    EXPECT_EQ(run_program({"merge", "--relink", path, folder.path().string()}).status, 2);
    const ProgramResult former = run_program({"relink", path, "--out", path});
    EXPECT_EQ(former.status, 2);
    EXPECT_NE(former.err.find("merge --relink"), std::string::npos) << former.err;
}

}  // namespace
}  // namespace throng
