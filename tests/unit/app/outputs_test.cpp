// No output of any command overwrites an input, another output or an earlier result.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/process_state.h"
#include "tests/support/program/program.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using test::contents;
using test::ProgramOptions;
using test::ProgramResult;
using test::run_program;
using Arguments = std::vector<std::string>;

constexpr const char* kSmallCrowd = "crowd:faces=2,size=160x120,frames=3";

std::size_t lines_in_text(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::size_t lines_in(const fs::path& path) {
    return lines_in_text(contents(path));
}

class Outputs : public ::testing::Test {
protected:
    void SetUp() override {
        if (!test::cascade_file("haarcascade_frontalface_alt2.xml")) GTEST_SKIP() << "skipped: no opencv-data";
        ASSERT_EQ(run_program({"crowd", file("in.mp4"), "--size", "160x120", "--frames", "3"}).status, 0);
        fs::create_directory(file("photos"));
        ASSERT_EQ(run_program({"crowd", file("photos/a.jpg"), "--size", "160x120"}).status, 0);
        fs::copy(test::cascade_file("haarcascade_frontalface_alt2.xml")->string(), file("model.xml"));
        std::ofstream(file("config.toml")) << "[common]\nquiet = true\n";
        std::ofstream(file("boxes.csv")) << "0,0,10,10,0.5\n1,1,11,11,0.4\n";
        std::ofstream(file("list.ffconcat")) << "ffconcat version 1.0\nfile 'file:" << file("in.mp4") << "'\n";
        std::ofstream(file("earlier.jsonl")) << "an earlier result\n";
        fs::create_symlink(file("in.mp4"), file("link.mp4"));
        fs::create_hard_link(file("in.mp4"), file("hard.mp4"));
    }
    [[nodiscard]] std::string file(const std::string& name) const { return (dir_.path() / name).string(); }

    // Returns the contents of all files below the folder.
    [[nodiscard]] std::map<std::string, std::string> snapshot() const {
        std::map<std::string, std::string> all;
        for (const auto& entry : fs::recursive_directory_iterator(dir_.path())) {
            if (entry.is_regular_file()) all[entry.path().string()] = contents(entry.path());
        }
        return all;
    }

    // Expects every command to end with a usage error and to leave all files unchanged.
    void expect_rejected(const std::vector<Arguments>& commands, const ProgramOptions& options = {}) const {
        const auto before = snapshot();
        for (const Arguments& command : commands) {
            std::string words;
            for (const std::string& word : command) words += " " + word;
            const ProgramResult result = run_program(command, options);
            EXPECT_EQ(result.status, 2) << words << "\n" << result.err;
            EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << words << "\n" << result.err;
            EXPECT_EQ(snapshot(), before) << words;
        }
    }

    test::ScratchDir dir_;
};

TEST_F(Outputs, OfDetectNeverOverwriteAnInput) {
    const std::string in = file("in.mp4");
    expect_rejected({
        {"detect", in, "--video", in},
        {"detect", in, "--json", file("photos/../in.mp4")},
        {"detect", "file://" + in, "--video", in},
        {"detect", "mosaic:" + in, "--video", in},
        {"detect", "mosaic:file://" + in, "--json", in},
        {"detect", "file:" + in, "--video", in},
        {"detect", "file:" + file("photos"), "--json", file("photos/a.jpg")},
        {"detect", "file:" + file("list.ffconcat"), "--json", in},
        {"detect", "mosaic:FILE:" + in, "--json", in},
        {"detect", "gst:uridecodebin uri=file:" + in, "--json", in},
        {"detect", "gst:filesrc location=" + in + " ! decodebin", "--video", in},
        {"detect", "gst:filesrc location=\"" + in + "\" ! decodebin", "--json", in},
        {"detect", "gst:uridecodebin uri=file://" + in, "--json", in},
        {"detect", in, "--video", file("link.mp4")},
        {"detect", file("link.mp4"), "--video", in},
        {"detect", in, "--json", file("hard.mp4")},
        {"detect", file("photos"), "--json", file("photos/a.jpg")},
        {"detect", "mosaic:" + file("photos"), "--summary", file("photos/a.jpg")},
        {"detect", file("photos/a.jpg"), "--images", file("photos")},
        {"detect", in, "--telemetry", in},
        {"detect", in, "--summary", in},
        {"detect", kSmallCrowd, "--model", file("model.xml"), "--json", file("model.xml")},
        {"detect", kSmallCrowd, "--model", file("model.xml"), "--telemetry", file("model.xml")},
        {"detect", kSmallCrowd, "--config", file("config.toml"), "--json", file("config.toml")},
        {"detect", kSmallCrowd, "--profiles", file("config.toml"), "--json", file("config.toml")},
        {"bench", "pipeline", in, "--json", in},
        {"bench", "pipeline", in, "--csv", file("link.mp4")},
    });
#ifdef TH_WITH_UI
    fs::copy(test::source_dir() / "configs/scenes.toml", file("scenes.toml"));
    expect_rejected(
        {
            {"view", in, "--json", in},
            {"view", in, "--screenshot", in},
            {"view", in, "--telemetry", in},
            {"view", in, "--scenes", file("scenes.toml"), "--json", file("scenes.toml")},
        },
        test::own_process());
#endif
}

TEST_F(Outputs, OfAFileUrlAreThoseOfThePath) {
    for (const std::string& in : {file("in.mp4"), file("photos")}) {
        const ProgramResult plain = run_program({"detect", in, "--json", "-"});
        const ProgramResult named = run_program({"detect", "file:" + in, "--json", "-"});
        EXPECT_EQ(named.status, 0) << named.err;
        EXPECT_EQ(lines_in_text(named.out), lines_in_text(plain.out));
    }
}

// The output folder is checked, because the first written image is not necessarily the one that replaces an input.
TEST_F(Outputs, OfAFolderAreNotWrittenIntoThatFolder) {
    fs::copy_file(file("photos/a.jpg"), file("photos/b.jpg"));
    ASSERT_EQ(run_program({"crowd", file("photos/a.png"), "--size", "160x120"}).status, 0);
    fs::remove(file("photos/a.jpg"));
    fs::create_directory_symlink(file("photos"), file("photos-link"));
    const std::string json = file("new.jsonl");
    expect_rejected({
        {"detect", file("photos"), "--images", file("photos"), "--json", json},
        {"detect", file("photos/../photos"), "--images", file("photos"), "--json", json},
        {"detect", file("photos"), "--images", file("photos-link") + "/", "--json", json},
        {"detect", "file:" + file("photos"), "--images", file("photos"), "--json", json},
        {"detect", kSmallCrowd, "mosaic:" + file("photos"), "--images", file("photos"), "--json", json},
    });
}

TEST_F(Outputs, OfSeveralSourcesAreCheckedUnderTheirNumberedNames) {
    fs::rename(file("in.mp4"), file("clip-1.mp4"));
    expect_rejected({
        {"detect", file("clip-1.mp4"), kSmallCrowd, "--video", file("clip.mp4")},
        {"detect", kSmallCrowd, kSmallCrowd, "--video", file("sp.mp4"), "--json", file("sp-1.mp4")},
        {"detect", kSmallCrowd, kSmallCrowd, "--video", file("sp.mp4"), "--telemetry", file("sp-2.mp4")},
    });
}

TEST_F(Outputs, NeverOverwriteEachOther) {
    fs::create_symlink(file("not-there-yet"), file("dangling"));
    expect_rejected({
        {"detect", kSmallCrowd, "--json", file("o"), "--telemetry", file("o")},
        {"detect", kSmallCrowd, "--json", file("o.mp4"), "--video", file("o.mp4")},
        {"detect", kSmallCrowd, "--json", file("o.mp4"), "--video", file("photos/../o.mp4")},
        {"detect", kSmallCrowd, "--telemetry", file("o.mp4"), "--video", file("o.mp4")},
        {"detect", kSmallCrowd, "--json", file("dangling"), "--summary", file("not-there-yet")},
        {"detect", kSmallCrowd, "--json", "-", "--summary", "-"},
        {"detect", kSmallCrowd, "--json", "/dev/stdout"},
        {"bench", "nms", "--n", "10", "--csv", "/proc/self/fd/1"},
        {"bench", "nms", "--n", "10", "--json", file("o"), "--csv", file("o")},
        {"bench", "cascade", "--json", file("o"), "--csv", file("photos/../o")},
        {"crowd", file("o.png"), "--truth", file("o.png")},
        {"crowd", file("o.png"), "--truth", file("photos/../o.png")},
        {"crowd", "new.png", "--truth", "./new.png"},
        {"detect", kSmallCrowd, "--json", "new", "--summary", fs::absolute("new").string()},
        {"crowd", file("link.mp4"), "--truth", file("in.mp4")},
    });
}

TEST_F(Outputs, OfBenchmarksAndNmsNeverOverwriteAnInput) {
    const std::string boxes = file("boxes.csv");
    const std::string photo = file("photos/a.jpg");
    expect_rejected({
        {"nms", boxes, "--out", boxes},
        {"nms", boxes, "--out", file("photos/../boxes.csv")},
        {"bench", "nms", "--input", boxes, "--csv", boxes},
        {"bench", "nms", "--input", boxes, "--json", file("photos/../boxes.csv")},
        {"bench", "cascade", "--image", photo, "--json", photo},
        {"bench", "hog", "--image", photo, "--csv", photo},
        {"bench", "cascade", "--model", file("model.xml"), "--json", file("model.xml")},
        {"experiments", "run", "fig8", "--source", file("in.mp4"), "--telemetry", file("in.mp4"), "--out", file("e")},
    });
}

TEST_F(Outputs, OfAnonymizeNeverOverwriteAnInputOrWhatItNames) {
    const std::string in = file("in.mp4");
    std::ofstream(file("c.mp4")) << "ffconcat version 1.0\nfile in.mp4\n";
    std::ofstream(file("nested.m3u8")) << "#EXTM3U\n#EXTINF:1,\nc.mp4\n";
    std::ofstream(file("list.json")) << in << "\n";
    fs::copy_file(in, file("clip.json"));
    std::ofstream(file("list")) << file("clip.json") << "\n";
    std::vector<Arguments> commands = {
        {file("c.mp4"), "--out", in},
        {file("nested.m3u8"), "--out", file("link.mp4")},
        {file("c.mp4"), "--out", file("o.mp4"), "--report", file("c")},
        {"--files-from", file("list.json"), "--out", file("hidden"), "--report", file("list")},
        {"--files-from", file("list"), "--out", file("hidden"), "--report", file("clip")},
    };
    fs::copy_file(in, file("c.json"));
    std::ofstream(file("c.mp4"), std::ios::app) << "file c.json\n";
    for (Arguments& command : commands) command.insert(command.begin(), {"anonymize", "--quiet", "--detector", "haar"});
    expect_rejected(commands);
}

// The files are not read before the outputs are checked.
TEST_F(Outputs, OfAnEvaluationNeverOverwriteAnInput) {
    std::ofstream(file("truth.jsonl")) << R"({"source":"in.mp4","frame":0,"faces":[]})" << '\n';
    std::ofstream(file("found.jsonl")) << R"({"source":"in.mp4","frame":0,"width":9,"height":9,"pts":0,"kept":[]})"
                                       << '\n';
    fs::create_symlink(file("truth.jsonl"), file("truth-link"));
    const Arguments leaks = {"eval", file("truth.jsonl"), file("found.jsonl"), "--leaks"};
    ASSERT_EQ(run_program(leaks).status, 0);
    std::vector<Arguments> commands;
    for (const char* option : {"--sizes", "--plot"}) {
        for (const char* name : {"truth.jsonl", "truth-link", "photos/../found.jsonl"}) {
            commands.push_back(leaks);
            commands.back().insert(commands.back().end(), {option, file(name)});
        }
    }
    commands.push_back(leaks);
    commands.back().insert(commands.back().end(), {"--sizes", file("o"), "--plot", file("o")});
    expect_rejected(commands);
}

TEST_F(Outputs, OfAPipelineWithUnknownFilesRequireANewName) {
    expect_rejected(
        {{"detect", "gst:multifilesrc location=" + file("img%d.png") + " ! pngdec", "--json", file("earlier.jsonl")}});
}

// Reading a folder throws exceptions of the C++ library.
TEST_F(Outputs, AFolderIsNoFile) {
    std::ofstream(file("truth.jsonl")) << R"({"source":"in.mp4","frame":0,"faces":[]})" << '\n';
    const std::string folder = file("photos");
    const std::string in = file("in.mp4");
    std::vector<Arguments> commands = {
        {"anonymize", in, "--out", file("o.mp4"), "--detector", "haar", "--keep", "1@" + folder},
        {"anonymize", in, "--out", file("o.mp4"), "--detector", "haar", "--hide", "1@."},
        {"anonymize", in, "--out", file("o.mp4"), "--detector", "haar", "--report", folder + "/"},
        {"anonymize", in, "--out", file("o.mp4"), "--detector", "haar", "--report", "."},
        {"anonymize", in, "--out", file("o.mp4"), "--detector", "haar", "--regions", folder},
        {"anonymize", in, "--out", file("o.mp4"), "--detector", "haar", "--model", folder},
        {"anonymize", "--out", file("hidden"), "--quiet", "--detector", "haar", "--files-from", folder},
#ifdef TH_WITH_UI
        {"anonymize", "--review", folder},
        {"anonymize", "--review", "."},
#endif
        {"detect", in, "--config", folder},
        {"detect", in, "--model", folder},
        {"detect", in, "--count", folder, "--events", file("o.jsonl")},
        {"detect", in, "--clocks", "x", "--profiles", folder},
        {"detect", in, "--json", folder},
        {"detect", in, "--video", folder},
        {"detect", in, "--telemetry", folder},
        {"detect", "--out", file("hidden"), "--quiet", "--files-from", folder},
        {"bench", "nms", "--input", folder},
        {"nms", folder},
        {"merge", "--relink", folder},
        {"eval", folder, folder},
        {"eval", file("truth.jsonl"), folder},
        {"eval", file("truth.jsonl"), folder, "--leaks"},
        {"eval", file("truth.jsonl"), folder, "--tracks"},
        {"crowd", file("o.mp4"), "--truth", folder},
    };
    const auto before = snapshot();
    for (const Arguments& command : commands) {
        std::string words;
        for (const std::string& word : command) words += " " + word;
        const ProgramResult result = run_program(command);
        EXPECT_TRUE(result.status == 2 || result.status == 3) << words << ": " << result.status << "\n" << result.err;
        for (const char* text : {"basic_", "iostream", "ios_base", "json.exception", "filesystem error"}) {
            EXPECT_EQ(result.err.find(text), std::string::npos) << words << "\n" << result.err;
        }
        EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << words << "\n" << result.err;
    }
    EXPECT_EQ(snapshot(), before);
}

TEST_F(Outputs, ARunThatCannotBeginLeavesEarlierResultsUnchanged) {
    const auto before = snapshot();
    const std::string earlier = file("earlier.jsonl");
    const std::vector<Arguments> commands = {
        {"detect", file("missing.mp4"), "--json", earlier},
        {"detect", kSmallCrowd, "--json", earlier, "--theta", "7"},
        {"detect", kSmallCrowd, "--json", earlier, "--model", file("missing.xml")},
        {"detect", kSmallCrowd, "--json", earlier, "--video", file("missing/o.mp4")},
        {"detect", kSmallCrowd, "--json", earlier, "--images", file("boxes.csv")},
        {"detect", kSmallCrowd, "--json", earlier, "--clocks", "nonsense", "--root", file("photos")},
        {"detect", file("boxes.csv"), "--telemetry", earlier},
        {"detect", kSmallCrowd, "--switch", "bogus=1", "--telemetry", earlier},
        {"detect", kSmallCrowd, "--switch", "bogus=1", "--summary", earlier},
        {"detect", file("boxes.csv"), "--summary", earlier},
        {"crowd", file("in.mp4"), "--truth", file("missing/t.jsonl")},
        {"nms", file("missing.csv"), "--out", earlier},
        {"bench", "cascade", "--image", file("missing.png"), "--json", earlier},
    };
    for (const Arguments& command : commands) {
        EXPECT_NE(run_program(command).status, 0);
        EXPECT_EQ(snapshot(), before) << command[0] << " " << command[1] << " " << command.back();
    }
}

#ifdef TH_WITH_UI

TEST_F(Outputs, AScreenshotOfAFailedSourceLeavesTheFileUnchanged) {
    const auto before = snapshot();
    const ProgramOptions options = test::own_process({"QT_QPA_PLATFORM=offscreen"});
    for (const char* source : {"missing.mp4", "boxes.csv"}) {
        const ProgramResult result =
            run_program({"view", file(source), "--screenshot", file("earlier.jsonl")}, options);
        EXPECT_EQ(result.status, 3) << result.err;
        EXPECT_NE(result.err.find(source), std::string::npos) << result.err;
        EXPECT_EQ(snapshot(), before) << source;
    }
}

TEST_F(Outputs, AScreenshotThatCannotBeWrittenReportsTheReason) {
    // Where the German locale is installed, the window's process has it. Messages remain English.
    const ProgramOptions options = test::own_process({"QT_QPA_PLATFORM=offscreen", "LC_ALL=de_DE.UTF-8"});
    const Arguments view{"view", kSmallCrowd, "--screenshot-after", "1", "--screenshot"};
    const auto shoot = [&](const std::string& path) {
        Arguments command = view;
        command.push_back(path);
        return run_program(command, options);
    };
    const ProgramResult full = shoot("/dev/full");
    EXPECT_EQ(full.status, 3) << full.err;
    EXPECT_NE(full.err.find("No space left on device"), std::string::npos) << full.err;
    const ProgramResult whole = shoot(file("earlier.jsonl"));
    EXPECT_EQ(whole.status, 0) << whole.err;
    EXPECT_EQ(contents(file("earlier.jsonl")).substr(1, 3), "PNG");
}

#endif

TEST_F(Outputs, ConcurrentRunsIntoOneFileAreRejected) {
    ProgramResult second;
    ProgramOptions options;
    options.meanwhile = [&](int pid) {
        if (lines_in(file("o.jsonl")) == 0) return true;
        second = run_program({"detect", kSmallCrowd, "--json", file("o.jsonl")});
        const ProgramResult third = run_program({"nms", file("boxes.csv"), "--out", file("o.jsonl")});
        EXPECT_EQ(third.status, 3) << third.err;
        EXPECT_NE(third.err.find("another program"), std::string::npos) << third.err;
        kill(pid, SIGINT);
        return false;
    };
    const ProgramResult first =
        run_program({"detect", "crowd:faces=2,size=160x120", "--json", file("o.jsonl")}, options);
    EXPECT_EQ(first.status, 130) << first.err;
    EXPECT_EQ(second.status, 3) << second.err;
    EXPECT_NE(second.err.find("another program"), std::string::npos) << second.err;
    std::ifstream stream(file("o.jsonl"));
    int next = 0;
    for (std::string line; std::getline(stream, line);) EXPECT_EQ(nlohmann::json::parse(line)["frame"], next++);
}

TEST_F(Outputs, OneSignalEndsARunThatIsBlockedOnItsOutput) {
    ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
    ASSERT_EQ(::mkfifo(file("pipe.mkv").c_str(), 0600), 0);
    for (const Arguments& output :
         {Arguments{"--json", file("pipe")}, {"--video", file("pipe.mkv")}, {"--telemetry", file("pipe")}}) {
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
            ProgramOptions options;
            options.meanwhile = [&](int pid) {
                if (!test::handles_signals(pid) || !test::is_blocked(pid)) return true;
                kill(pid, signal);
                return false;
            };
            Arguments command{"detect", "crowd:faces=1,size=64x64"};
            command.insert(command.end(), output.begin(), output.end());
            const ProgramResult result = run_program(command, options);
            EXPECT_EQ(result.status, 130) << output[0] << " " << signal << "\n" << result.err;
        }
    }
}

TEST_F(Outputs, TruncatedTelemetryIsAnError) {
    ProgramOptions options;
    options.max_file_size = 100;  // less than its header
    const ProgramResult result =
        run_program({"detect", kSmallCrowd, "--telemetry", file("t.csv"), "--root", file("photos")}, options);
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_NE(result.err.find("t.csv"), std::string::npos) << result.err;
    options.max_file_size = 160;  // the header only
    EXPECT_EQ(
        run_program({"detect", kSmallCrowd, "--telemetry", file("t.csv"), "--root", file("photos")}, options).status,
        3);
}

TEST_F(Outputs, ASignalEndsEveryCommandWithStatus130) {
    ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        ProgramOptions options;
        options.meanwhile = [&](int pid) {
            if (!test::handles_signals(pid)) return true;
            kill(pid, signal);
            return false;
        };
        EXPECT_EQ(run_program({"nms", file("pipe")}, options).status, 130);
        EXPECT_EQ(run_program({"eval", file("pipe"), file("pipe")}, options).status, 130);
        EXPECT_EQ(run_program({"bench", "nms", "--input", file("pipe")}, options).status, 130);
    }
}

TEST_F(Outputs, OneSignalEndsTheReadingOfAFileAtTheStart) {
    const std::string pipe = file("pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    fs::create_directory(file("large"));
    const std::string large = file("large/a.mp4");
    std::ofstream(large) << "x";
    fs::resize_file(large, std::uintmax_t{1} << 42U);  // takes hours to hash
    int signal = SIGINT;
    for (const auto& [opened, command] : {
             std::pair{pipe, Arguments{"detect", "--files-from", pipe, "--out", file("out")}},
             {pipe, {"anonymize", "--detector", "haar", "--files-from", pipe, "--out", file("out")}},
             {pipe, {"detect", kSmallCrowd, "--count", pipe, "--events", file("e.jsonl")}},
             {pipe, {"detect", file("photos"), "--count", pipe, "--out", file("out")}},
             {pipe, {"anonymize", file("photos"), "--detector", "haar", "--out", file("out"), "--keep", "1@" + pipe}},
             {large, {"detect", file("large"), "--out", file("out")}},
             {large, {"anonymize", large, "--detector", "haar", "--out", file("out.mp4")}},
             {large, {"anonymize", file("large"), "--detector", "haar", "--out", file("out")}},
#ifdef TH_WITH_UI
             {pipe, {"view", kSmallCrowd, "--scenes", pipe}},
#endif
         }) {
        ProgramOptions options;
        options.meanwhile = [&signal, path = opened](int pid) {
            if (!test::has_opened(pid, path)) return true;
            kill(pid, signal);
            return false;
        };
        const ProgramResult result = run_program(command, options);
        EXPECT_EQ(result.status, 130) << command[0] << ' ' << command[1] << "\n" << result.err;
        signal = signal == SIGINT ? SIGTERM : SIGINT;
    }
    EXPECT_FALSE(fs::exists(file("e.jsonl")) || fs::exists(file("out.mp4")));
}

TEST_F(Outputs, AFileWithoutAnEndIsRejected) {
    ASSERT_EQ(run_program({"crowd", file("a.png"), "--faces", "1", "--size", "160x120"}).status, 0);
    std::ofstream(file("t.jsonl")) << R"({"source":"a.png","width":160,"height":120,"faces":[],"kept":[]})"
                                   << "\n";
    ProgramOptions options;
    if (!test::kSanitized) options.launcher = {"sh", "-c", "ulimit -v 6000000; exec \"$@\"", "sh"};
    for (const Arguments& command : std::vector<Arguments>{
             {"eval", "/dev/zero", file("t.jsonl")},
             {"eval", file("t.jsonl"), "/dev/zero"},
             {"merge", "--relink", "/dev/zero"},
             {"nms", "/dev/zero"},
             {"bench", "nms", "--input", "/dev/zero"},
             {"detect", "--files-from", "/dev/zero", "--out", file("out")},
             {"anonymize", file("a.png"), "--out", file("b.png"), "--detector", "haar", "--keep", "1@/dev/zero"},
             {"anonymize", file("a.png"), "--out", file("b.png"), "--detector", "haar", "--hide", "1@/dev/zero"},
         }) {
        const ProgramResult result = run_program(command, options);
        EXPECT_EQ(result.status, 3) << command[0] << ' ' << command[1] << "\n" << result.err;
        EXPECT_NE(result.err.find("/dev/zero: is a device"), std::string::npos) << result.err;
    }
}

TEST_F(Outputs, ARemovedCurrentFolderIsNamed) {
    ProgramOptions options;
    options.launcher = {"sh", "-c", "mkdir \"$0\" && cd \"$0\" && rmdir \"$0\" && exec \"$@\"", file("removed")};
    const ProgramResult result = run_program({"anonymize", "crowd:frames=2", "--out", "out.mp4"}, options);
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_EQ(result.err, "throng: the current folder was removed (change to another one)\n");
}

TEST_F(Outputs, OneSignalEndsTheWaitForAListOnStandardInput) {
    ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
    ProgramOptions options;
    options.launcher = {"sh", "-c", "exec \"$@\" <>'" + file("pipe") + "'", "sh"};  // has a writer, which is silent
    options.meanwhile = [&](int pid) {
        if (!test::has_opened(pid, file("pipe")) || !test::handles_signals(pid) || !test::is_blocked(pid)) return true;
        kill(pid, SIGTERM);
        return false;
    };
    const ProgramResult result = run_program({"detect", "--files-from", "-", "--out", file("out")}, options);
    EXPECT_EQ(result.status, 130) << result.err;
}

// Each is read once, so that a pipe serves as well as a file.
TEST_F(Outputs, ListsAndZonesMayComeFromPipes) {
    ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
    const auto piped = [&](const std::string& text, const Arguments& command) {
        const std::jthread writer([&] { std::ofstream(file("pipe")) << text; });
        const ProgramResult result = run_program(command);
        EXPECT_EQ(result.status, 0) << result.err;
    };
    piped(file("photos") + "\n", {"detect", "--files-from", file("pipe"), "--out", file("out")});
    const std::string zone = "size = [160, 120]\n[[zone]]\nname = \"a\"\npoints = [[1, 1], [9, 1], [9, 9]]\n";
    piped(zone, {"detect", file("photos"), "--count", file("pipe"), "--out", file("out2")});
    piped(zone, {"detect", kSmallCrowd, "--count", file("pipe"), "--events", file("e.jsonl")});
    EXPECT_TRUE(fs::exists(file("out") + file("photos/a.jpg.jsonl")));
}

TEST_F(Outputs, AHangUpStopsOrderly) {
    ProgramOptions options;
    options.meanwhile = [&](int pid) {
        if (lines_in(file("o.jsonl")) < 3) return true;
        kill(pid, SIGHUP);
        kill(pid, SIGHUP);  // a closing terminal sends more than one
        return false;
    };
    const ProgramResult result = run_program(
        {"detect", "crowd:faces=2,size=160x120", "--json", file("o.jsonl"), "--video", file("o.mp4")}, options);
    EXPECT_EQ(result.status, 130) << result.err;
    const ProgramResult video = run_program({"detect", file("o.mp4"), "--json", "-", "--quiet"});
    EXPECT_EQ(video.status, 0) << video.err;
    EXPECT_EQ(static_cast<std::size_t>(std::count(video.out.begin(), video.out.end(), '\n')),
              lines_in(file("o.jsonl")));
}

TEST_F(Outputs, SourcesWithTheSameNameKeepAllTheirImages) {
    fs::create_directories(file("x"));
    fs::create_directories(file("y"));
    fs::copy_file(file("in.mp4"), file("x/clip.mp4"));
    fs::copy_file(file("in.mp4"), file("y/clip.mp4"));
    ASSERT_EQ(run_program({"crowd", file("x/clip-000001.png"), "--size", "160x120"}).status, 0);
    const ProgramResult result =
        run_program({"detect", file("x/clip.mp4"), file("y/clip.mp4"), file("x/clip.mp4"), file("x/clip-000001.png"),
                     "--images", file("out"), "--json", file("o.jsonl")});
    ASSERT_EQ(result.status, 0) << result.err;
    const auto images = std::distance(fs::directory_iterator(file("out")), fs::directory_iterator());
    EXPECT_EQ(images, 10);
    EXPECT_EQ(lines_in(file("o.jsonl")), 10U);
}

TEST_F(Outputs, TheSameSourceTwiceIsDistinguishable) {
    const ProgramResult result =
        run_program({"detect", file("in.mp4"), file("in.mp4"), "--json", file("o.jsonl"), "--summary", file("s.json")});
    ASSERT_EQ(result.status, 0) << result.err;
    std::map<int, std::vector<int>> frames;
    std::ifstream stream(file("o.jsonl"));
    for (std::string line; std::getline(stream, line);) {
        const nlohmann::json json = nlohmann::json::parse(line);
        frames[json["source_number"]].push_back(json["frame"]);
    }
    EXPECT_EQ(frames, (std::map<int, std::vector<int>>{{1, {0, 1, 2}}, {2, {0, 1, 2}}}));
    const nlohmann::json summary = nlohmann::json::parse(contents(file("s.json")));
    EXPECT_EQ(summary["frames"], 6);
    ASSERT_EQ(summary["sources"].size(), 2U);
    EXPECT_EQ(summary["sources"][0]["frames"], 3);
    EXPECT_TRUE(summary["sources"][1]["incomplete"].is_null());
    EXPECT_NE(summary["sources"][0]["details"], "");
}

}  // namespace
}  // namespace throng
