// Decisions about the tracks of a report: --keep and --hide as a user calls them, and what the window of --review does.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/commands/anonymize_files.h"
#include "app/commands/anonymize_review.h"
#include "app/commands/anonymize_worker.h"
#include "core/base/error.h"
#include "core/base/sha256.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using test::run_program;

class AnonymizeReview : public testing::Test {
protected:
    std::string path(const std::string& name) { return (dir_.path() / name).string(); }

    test::ProgramResult anonymize(std::vector<std::string> arguments, const test::ProgramOptions& options = {}) {
        arguments.insert(arguments.begin(), "anonymize");
        return run_program(arguments, options);
    }

    // Writes in.mp4, out.mp4 and its report. Short tracks are doubtful: every face of three frames is.
    void hide_clip() {
        ASSERT_EQ(
            run_program({"crowd", path("in.mp4"), "--faces", "4", "--size", "320x240", "--frames", "3", "--seed", "3"})
                .status,
            0);
        const auto result = anonymize({path("in.mp4"), "--out", path("out.mp4"), "--detector", "haar", "--encoder",
                                       "libx264", "--style", "solid", "--margin", "0.25"});
        ASSERT_EQ(result.status, 0) << result.err;
        ASSERT_GE(tracks("out").size(), 2U);
        for (const Json& track : tracks("out")) ASSERT_EQ(track.at("doubtful"), "few detections");
    }
    // Writes a copy of the report after a change of its file.
    std::string changed(const std::string& name, const std::function<void(Json& file)>& change) {
        Json json = Json::parse(test::contents(path("out.report.json")));
        change(json.at("files").at(0));
        std::ofstream(path(name)) << json;
        return path(name);
    }
    Json file(const std::string& name) {
        return Json::parse(test::contents(path(name + ".report.json"))).at("files").at(0);
    }
    Json tracks(const std::string& name) { return file(name).at("tracks"); }

    test::ScratchDir dir_;
};

TEST_F(AnonymizeReview, OptionsRecordWhoDecided) {
    hide_clip();
    const auto of = [&](int id) { return std::to_string(id) + "@" + path("out.report.json"); };
    std::vector<std::string> again = {path("in.mp4"), "--out",   path("b.mp4"), "--detector", "haar",
                                      "--encoder",    "libx264", "--style",     "solid",      "--margin",
                                      "0.25",         "--keep",  of(1),         "--hide",     of(2)};
    auto result = anonymize(again);
    ASSERT_EQ(result.status, 0) << result.err;
    const Json decided = tracks("b");
    EXPECT_EQ(decided.size(), tracks("out").size()) << "a visible track is in the report as before";
    EXPECT_TRUE(decided[0].at("kept"));
    EXPECT_EQ(decided[0].at("decided_by"), "option");
    EXPECT_FALSE(decided[0].contains("thumbnail")) << "it would show the original";
    EXPECT_EQ(decided[0].at("detected"), tracks("out")[0].at("detected"));
    EXPECT_EQ(decided[0].at("doubtful"), "few detections");
    EXPECT_FALSE(decided[1].at("kept"));
    EXPECT_EQ(decided[1].at("decided_by"), "option");
    EXPECT_TRUE(decided[1].contains("thumbnail"));
    EXPECT_NE(test::contents(path("b.report.html")).find("confirmed by option"), std::string::npos);

    again.insert(again.end(), {"--hide", of(1)});
    result = anonymize(again);
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("contradicts --keep 1@"), std::string::npos) << result.err;
}

// Both passes must read the same file: faces would be hidden where the other one has them.
TEST_F(AnonymizeReview, AnInputThatIsReplacedIsNotWritten) {
    hide_clip();
    ASSERT_EQ(
        run_program({"crowd", path("other.mp4"), "--faces", "4", "--size", "320x240", "--frames", "3", "--seed", "9"})
            .status,
        0);
    ASSERT_EQ(run_program({"crowd", path("in.png"), "--faces", "2", "--size", "320x240"}).status, 0);
    const std::string report = test::contents(path("out.report.json"));
    const std::string output = test::contents(path("out.mp4"));
    for (const std::string input : {"in.mp4", "list.txt", "in.png"}) {
        SCOPED_TRACE(input);
        // "list.txt" names in.mp4.
        std::ofstream(path("list.txt")) << "ffconcat version 1.0\nfile in.mp4\n";
        const std::string replaced = path(input == "list.txt" ? "in.mp4" : input);
        AnonymizeArguments arguments;
        arguments.inputs = {path(input)};
        arguments.archive.out = input == "in.png" ? path("out.png") : path("out.mp4");
        arguments.detection.chosen.set("detector", "haar");
        arguments.encoder = "libx264";
        const CommonOptions common;
        AnonymizeSetup setup = make_anonymize_setup(arguments);
        EncoderOnDemand encoder(arguments.encoder);
        AnonymizeWorker worker(setup, encoder, common);
        const InputFiles files = input_files(path(input));
        const std::string sha256 = files.sha256();
        const auto process = [&](const auto& on_progress) {
            static_cast<void>(worker.process(files, input == "in.png", sha256, arguments.archive.out, on_progress, {}));
        };
        if (input == "in.png") {  // has one pass: the file is another one than was hashed
            fs::copy_file(path("in.png"), path("copy.png"));
            fs::rename(path("copy.png"), path("in.png"));
            EXPECT_THROW(process([](const AnonymizeProgress&) {}), Error);
            EXPECT_FALSE(fs::exists(path("out.png")));
            continue;
        }
        bool is_replaced = false;
        const auto replace = [&](const AnonymizeProgress& now) {
            if (now.hidden != 1 || is_replaced) return;
            is_replaced = true;
            fs::copy_file(path("other.mp4"), path("copy.mp4"));
            fs::rename(path("copy.mp4"), replaced);
        };
        try {
            process(replace);
            ADD_FAILURE() << "a file of two inputs";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            EXPECT_EQ(error.where(), replaced);
            EXPECT_NE(std::string(error.what()).find("changed while it was read"), std::string::npos) << error.what();
        }
        EXPECT_TRUE(is_replaced);
        EXPECT_EQ(test::contents(path("out.mp4")), output) << "the earlier output is kept";
    }
    EXPECT_EQ(test::contents(path("out.report.json")), report);
}

TEST_F(AnonymizeReview, NeedsADisplayAndDoubtfulTracks) {
    hide_clip();
    const auto no_display = test::own_process({"DISPLAY=", "WAYLAND_DISPLAY=", "QT_QPA_PLATFORM="});
    auto result = anonymize({"--review", path("out.report.json")}, no_display);
    EXPECT_EQ(result.status, 4) << result.err;
    EXPECT_NE(result.err.find("--keep ID@REPORT.json"), std::string::npos) << result.err;
    EXPECT_EQ(anonymize({path("in.mp4")}).status, 2) << "without --out";
#ifdef TH_WITH_UI
    EXPECT_NE(result.err.find("no display"), std::string::npos) << result.err;
    const std::string clear = changed("clear.json", [](Json& file) { file["tracks"].clear(); });
    result = anonymize({"--review", clear}, no_display);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find("nothing to review"), std::string::npos) << result.out;
#endif
}

#ifdef TH_WITH_UI

using Decision = ui::ReviewTrack::Decision;

TEST_F(AnonymizeReview, RejectsReportsThatDoNotFit) {
    hide_clip();
    const std::string report = path("out.report.json");
    const auto rejected = [&](const AnonymizeArguments& arguments, ErrorKind kind, const std::string& message) {
        try {
            static_cast<void>(make_review(arguments, CommonOptions()));
            ADD_FAILURE() << "accepted, without: " << message;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), kind) << error.what();
            EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
        }
    };
    const auto of = [](const std::string& name, std::vector<std::string> inputs = {}) {
        AnonymizeArguments arguments;
        arguments.review = name;
        arguments.inputs = std::move(inputs);
        return arguments;
    };
    using enum ErrorKind;
    rejected(of(path("none.json")), input, "cannot be read");
    rejected(of(path("in.mp4")), input, "is not a report");
    rejected(of(report, {path("in.mp4"), path("in.mp4")}), usage, "one file");
    rejected(of(changed("damaged.json", [](Json& file) { file.erase("tracks"); })), input, "damaged");
    rejected(of(changed("moved.json", [&](Json& file) { file["input"] = path("missing.mp4"); })), input,
             "is not there");
    const std::string other = changed("other.json", [](Json& file) { file["input_sha256"] = "0"; });
    rejected(of(other), input, "has changed");
    rejected(of(other, {path("in.mp4")}), usage, "is not a report of");
    rejected(of(changed("output.json", [](Json& file) { file["output_sha256"] = "0"; })), input, "is not the output");
    rejected(of(changed("failed.json", [](Json& file) { file["error"] = "was cut"; })), input, "was cut");
    Json json = Json::parse(test::contents(report));
    json["version"] = "0.0";
    std::ofstream(path("old.json")) << json;
    rejected(of(path("old.json")), usage, "version 0.0");
    json = Json::parse(test::contents(report));
    json["files"].push_back(json["files"][0]);
    std::ofstream(path("two.json")) << json;
    rejected(of(path("two.json")), usage, "2 files");
    json = Json::parse(test::contents(report));
    json["settings"]["model_sha256"] = "0";
    std::ofstream(path("model.json")) << json;
    rejected(of(path("model.json")), usage, "model_sha256");
    AnonymizeArguments both = of(report);
    both.keep = {"1@" + report};
    rejected(both, usage, "--keep");
}

// Relative names in a report begin where the program ran, or at the inputs of a folder.
TEST_F(AnonymizeReview, ReviewsFromEveryFolder) {
    const fs::path before = fs::current_path();
    const test::ScratchDir elsewhere;
    fs::create_directories(path("work/in"));
    fs::copy_file(*test::cascade_file("haarcascade_frontalface_alt2.xml"), path("work/own.xml"));
    const auto restore = std::shared_ptr<void>(nullptr, [&](void*) { fs::current_path(before); });
    fs::current_path(path("work"));
    ASSERT_EQ(run_program({"crowd", "in/clip.mp4", "--faces", "4", "--size", "320x240", "--frames", "3", "--seed", "3"})
                  .status,
              0);
    const std::vector<std::string> options = {"--detector", "haar", "--model", "own.xml", "--encoder", "libx264"};
    for (const std::vector<std::string>& names : {std::vector<std::string>{"in/clip.mp4", "--out", "hidden.mp4"},
                                                  {"in/clip.mp4", "--out", "folder"},
                                                  {"in", "--out", "all", "--report", "all-report"}}) {
        std::vector<std::string> arguments = names;
        arguments.insert(arguments.end(), options.begin(), options.end());
        const auto result = anonymize(arguments);
        ASSERT_EQ(result.status, 0) << result.err;
    }
    // The file of the same name in the folder of the report is the output.
    ASSERT_TRUE(fs::exists("folder/clip.mp4"));
    struct Case {
        const char* report;
        bool in_folder;
    };
    const CommonOptions common;
    for (const auto& [report, in_folder] : {Case{"hidden.report.json", false},
                                            {"folder/clip.mp4.report.json", true},
                                            {"folder/anonymize-report.json", true},
                                            {"all/clip.mp4.report.json", true},
                                            {"all-report.json", true}}) {
        SCOPED_TRACE(report);
        const fs::path whole = fs::path(path("work")) / report;
        for (const fs::path& folder : {fs::path(path("work")), whole.parent_path(), elsewhere.path(), fs::path("/")}) {
            SCOPED_TRACE(folder.string());
            fs::current_path(folder);
            AnonymizeArguments arguments;
            arguments.review = folder == "/" ? whole.string() : whole.lexically_relative(folder).string();
            if (in_folder) {
                try {
                    static_cast<void>(make_review(arguments, common));
                    ADD_FAILURE() << "would replace an output of a manifest";
                } catch (const Error& error) {
                    EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
                    EXPECT_NE(std::string(error.what()).find("--out FILE"), std::string::npos) << error.what();
                }
                arguments.archive.out = (elsewhere.path() / "new.mp4").string();
            }
            const ui::ReviewOptions review = make_review(arguments, common);
            EXPECT_FALSE(review.tracks.empty());
            EXPECT_TRUE(fs::equivalent(review.input, path("work/in/clip.mp4"))) << review.input;
            if (!in_folder) {
                EXPECT_TRUE(fs::equivalent(review.output, path("work/hidden.mp4"))) << review.output;
            }
        }
    }
    // What is written again can be reviewed again, from elsewhere.
    fs::current_path(elsewhere.path());
    AnonymizeArguments arguments;
    arguments.review = path("work/hidden.report.json");
    ui::ReviewOptions review = make_review(arguments, common);
    review.tracks[0].decision = Decision::keep;
    static_cast<void>(review.write(review.tracks, [](double) {}, {}));
    fs::current_path("/");
    review = make_review(arguments, common);
    EXPECT_EQ(review.tracks[0].decision, Decision::keep);
    // A report that was moved together with its files.
    fs::rename(path("work"), path("moved"));
    arguments.review = path("moved/hidden.report.json");
    EXPECT_THROW(static_cast<void>(make_review(arguments, common)), Error) << "the input is in another folder";
    fs::rename(path("moved/in/clip.mp4"), path("moved/clip.mp4"));
    EXPECT_TRUE(fs::equivalent(make_review(arguments, common).output, path("moved/hidden.mp4")));
    arguments.archive.out = path("moved");
    try {
        static_cast<void>(make_review(arguments, common));
        ADD_FAILURE() << "a folder";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
    }
}

TEST_F(AnonymizeReview, WritesTheFileAgainWithTheSettingsOfTheReport) {
    hide_clip();
    AnonymizeArguments arguments;
    arguments.review = path("out.report.json");
    const CommonOptions common;
    ui::ReviewOptions review = make_review(arguments, common);
    ASSERT_EQ(review.tracks.size(), tracks("out").size());
    EXPECT_EQ(review.output, path("out.mp4"));
    EXPECT_EQ(review.tracks[0].decision, Decision::none);
    EXPECT_EQ(review.tracks[0].frames, tracks("out")[0].at("detected"));
    const std::string before = sha256_of(path("out.mp4"));

    // A stop request leaves everything as it was.
    std::stop_source stopped;
    stopped.request_stop();
    const auto ignore = [](double) {};
    review.tracks[0].decision = Decision::keep;
    EXPECT_THROW(static_cast<void>(review.write(review.tracks, ignore, stopped.get_token())), Error);
    EXPECT_EQ(sha256_of(path("out.mp4")), before);
    EXPECT_EQ(file("out").at("output_sha256"), before);

    review.tracks[1].decision = Decision::hide;
    double progress = 0;
    const auto written = review.write(review.tracks, [&](double part) { progress = part; }, {});
    EXPECT_GT(progress, 0.9);
    ASSERT_EQ(written.size(), review.tracks.size());
    EXPECT_EQ(written[0].decision, Decision::keep);
    EXPECT_EQ(written[1].decision, Decision::hide);
    EXPECT_NE(sha256_of(path("out.mp4")), before);
    EXPECT_EQ(file("out").at("output_sha256"), sha256_of(path("out.mp4")));
    EXPECT_EQ(tracks("out")[0].at("decided_by"), "review");
    const Json header = Json::parse(test::contents(path("out.report.json")));
    EXPECT_EQ(header.at("settings").at("style"), "solid");
    EXPECT_NEAR(header.at("settings").at("margin").get<double>(), 0.25, 1e-6);
    EXPECT_EQ(header.at("output").at("encoder"), "libx264");

    // The next review starts from these decisions; without any, the output is that of the first run.
    review = make_review(arguments, common);
    EXPECT_EQ(review.tracks[0].decision, Decision::keep);
    EXPECT_EQ(review.tracks[1].decision, Decision::hide);
    for (ui::ReviewTrack& track : review.tracks) track.decision = Decision::none;
    static_cast<void>(review.write(review.tracks, ignore, {}));
    EXPECT_EQ(sha256_of(path("out.mp4")), before);
    EXPECT_EQ(tracks("out")[0].at("decided_by"), "");
}

TEST_F(AnonymizeReview, ReviewsOneFileOfAnArchive) {
    fs::create_directory(path("in"));
    for (const char* seed : {"1", "2"}) {
        ASSERT_EQ(run_program({"crowd", path("in/" + std::string(seed) + ".mp4"), "--faces", "4", "--size", "320x240",
                               "--frames", "3", "--seed", seed})
                      .status,
                  0);
    }
    const auto result = anonymize({path("in"), "--out", path("hidden"), "--detector", "haar", "--encoder", "libx264"});
    ASSERT_EQ(result.status, 0) << result.err;
    AnonymizeArguments arguments;
    arguments.review = path("hidden/anonymize-report.json");
    arguments.inputs = {path("in/2.mp4")};
    const CommonOptions common;
    EXPECT_THROW(static_cast<void>(make_review(arguments, common)), Error) << "the manifest describes that output";
    arguments.archive.out = path("new.mp4");
    ui::ReviewOptions review = make_review(arguments, common);
    ASSERT_FALSE(review.tracks.empty());
    EXPECT_GT(review.tracks[0].id, 1) << "tracks are numbered over all files";
    review.tracks[0].decision = Decision::keep;
    review.tracks = review.write(review.tracks, [](double) {}, {});
    EXPECT_EQ(review.tracks[0].id, 1) << "of the new report";
    EXPECT_TRUE(tracks("new")[0].at("kept"));
    EXPECT_EQ(file("new").at("input"), path("in/2.mp4"));
}

#endif

}  // namespace
}  // namespace throng
