// Scores of tracks against TrackEval on random tracks, and against figures computed by hand.
#include "core/eval/track_metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "core/base/error.h"
#include "core/eval/evaluation.h"
#include "tests/support/random.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

using nlohmann::json;

Box square(double x, double y, double side) {
    return {static_cast<float>(x), static_cast<float>(y), static_cast<float>(side), static_cast<float>(side)};
}

// Faces that walk, and tracks that miss some of them, jump from one to another and report boxes without a face.
std::vector<TrackFrame> random_tracks(std::mt19937_64& random) {
    const auto between = [&random](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random);
    };
    const int faces = static_cast<int>(random() % 8);
    const double miss = between(0, 0.5);
    const double jump = between(0, 0.1);
    const double noise = between(0, 0.3);
    std::vector<std::array<double, 5>> state;  // x, y, velocity, side
    std::vector<std::int64_t> ids;
    for (int i = 0; i < faces; ++i) {
        state.push_back({between(0, 200), between(0, 100), between(-5, 5), between(-5, 5), between(20, 60)});
        ids.push_back(100 + i);
    }
    std::vector<TrackFrame> frames;
    const std::size_t count = random() % 40;
    for (std::size_t n = 0; n < count; ++n) {
        TrackFrame frame;
        for (std::size_t i = 0; i < state.size(); ++i) {
            std::array<double, 5>& s = state[i];
            s[0] += s[2];
            s[1] += s[3];
            if (between(0, 1) < jump) ids[i] = 1000 + static_cast<std::int64_t>(random() % 1000);
            if (between(0, 1) < jump) std::swap(ids[i], ids[random() % ids.size()]);
            if (between(0, 1) > 0.1) frame.truth.push_back({static_cast<std::int64_t>(i), square(s[0], s[1], s[4])});
            if (between(0, 1) < miss) continue;
            const double shift = noise * s[4];
            const Box box = square(s[0] + between(-shift, shift), s[1] + between(-shift, shift), s[4]);
            const bool used = std::any_of(frame.found.begin(), frame.found.end(),
                                          [&](const IdBox& other) { return other.id == ids[i]; });
            if (!used) frame.found.push_back({ids[i], box});
        }
        if (between(0, 1) < 0.2) frame.found.push_back({5000, square(between(0, 200), between(0, 100), 30)});
        if (between(0, 1) < 0.05) frame.truth.clear();
        if (between(0, 1) < 0.05) frame.found.clear();
        frames.push_back(frame);
    }
    return frames;
}

json as_json(const std::vector<TrackFrame>& frames, double iou) {
    const auto list = [](const std::vector<IdBox>& boxes) {
        json all = json::array();
        for (const IdBox& b : boxes) all.push_back({b.id, b.box.x, b.box.y, b.box.w, b.box.h});
        return all;
    };
    json result = {{"iou", iou}, {"frames", json::array()}};
    for (const TrackFrame& frame : frames) {
        result["frames"].push_back({{"truth", list(frame.truth)}, {"found", list(frame.found)}});
    }
    return result;
}

// Runs TrackEval on a list of sequences, or returns nothing if Python lacks NumPy or SciPy.
json trackeval(const std::filesystem::path& folder, const json& request) {
    const test::ScratchDir dir;
    const std::string in = (dir.path() / "in.json").string();
    const std::string out = (dir.path() / "out.json").string();
    const std::string log = (dir.path() / "log").string();
    std::ofstream(in) << request.dump();
    const std::string command = "PYTHONPATH='" + folder.string() + "' /usr/bin/python3 '" +
                                (test::source_dir() / "tests/support/score_tracks.py").string() + "' < '" + in +
                                "' > '" + out + "' 2> '" + log + "'";
    const int status = std::system(command.c_str());
    if (status != 0) {
        std::ifstream file(log);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        if (text.find("No module named") != std::string::npos) return json();
        ADD_FAILURE() << text;
    }
    return json::parse(std::ifstream(out), nullptr, false);
}

TEST(TrackMetrics, EqualThoseOfTrackEval) {
    TH_NEED(folder, test::trackeval_dir(), "TrackEval");
    std::mt19937_64 random(test::seed(3));
    const std::size_t rounds = test::case_count(200);
    std::vector<std::vector<TrackFrame>> sequences;
    std::vector<double> thresholds;
    json request = json::array();
    for (std::size_t round = 0; round < rounds; ++round) {
        sequences.push_back(random_tracks(random));
        thresholds.push_back(std::uniform_real_distribution<double>(0.2, 0.8)(random));
        request.push_back(as_json(sequences.back(), thresholds.back()));
    }
    const json all_expected = trackeval(folder, request);
    if (all_expected.is_null()) GTEST_SKIP() << "skipped: Python has no NumPy or SciPy";
    ASSERT_EQ(all_expected.size(), rounds);
    for (std::size_t round = 0; round < rounds; ++round) {
        const std::vector<TrackFrame>& frames = sequences[round];
        const double iou = thresholds[round];
        const json& expected = all_expected[round];
        const TrackMetrics m = compute_track_metrics(frames, iou);
        const auto mean = [&](const char* name) {
            double sum = 0;
            for (const double value : expected[name]) sum += value;
            return sum / static_cast<double>(expected[name].size());
        };
        EXPECT_NEAR(m.hota.hota, mean("HOTA"), 1e-6) << round;
        EXPECT_NEAR(m.hota.det_a, mean("DetA"), 1e-6) << round;
        EXPECT_NEAR(m.hota.ass_a, mean("AssA"), 1e-6) << round;
        EXPECT_NEAR(m.hota.ass_re, mean("AssRe"), 1e-6) << round;
        EXPECT_NEAR(m.hota.ass_pr, mean("AssPr"), 1e-6) << round;
        EXPECT_NEAR(m.hota.loc_a, mean("LocA"), 1e-6) << round;
        EXPECT_EQ(static_cast<double>(m.matches), expected["CLR_TP"]) << round;
        EXPECT_EQ(static_cast<double>(m.misses), expected["CLR_FN"]) << round;
        EXPECT_EQ(static_cast<double>(m.wrong), expected["CLR_FP"]) << round;
        EXPECT_EQ(static_cast<double>(m.switches), expected["IDSW"]) << round;
        EXPECT_EQ(static_cast<double>(m.fragmentations), expected["Frag"]) << round;
        EXPECT_NEAR(m.mota, expected["MOTA"].get<double>(), 1e-9) << round;
        EXPECT_NEAR(m.motp, expected["MOTP"].get<double>(), 1e-6) << round;
        EXPECT_EQ(static_cast<double>(m.id_matches), expected["IDTP"]) << round;
        EXPECT_EQ(static_cast<double>(m.id_misses), expected["IDFN"]) << round;
        EXPECT_EQ(static_cast<double>(m.id_wrong), expected["IDFP"]) << round;
        EXPECT_NEAR(m.idf1, expected["IDF1"].get<double>(), 1e-9) << round;
        // At one of TrackEval's thresholds.
        const std::size_t index = random() % 19;
        const TrackMetrics at = compute_track_metrics(frames, 0.05 * static_cast<double>(index + 1));
        EXPECT_NEAR(at.at_iou.ass_a, expected["AssA"][index].get<double>(), 1e-6) << round;
        EXPECT_NEAR(at.at_iou.hota, expected["HOTA"][index].get<double>(), 1e-6) << round;
    }
}

TEST(TrackMetrics, OfOneSwitchComputedByHand) {
    // One face in four frames; the id changes in the middle.
    std::vector<TrackFrame> frames;
    for (int n = 0; n < 4; ++n) frames.push_back({{{7, square(n, 0, 10)}}, {{n < 2 ? 1 : 2, square(n, 0, 10)}}});
    const TrackMetrics m = compute_track_metrics(frames, 0.5);
    EXPECT_EQ(m.matches, 4);
    EXPECT_EQ(m.switches, 1);
    EXPECT_EQ(m.fragmentations, 0);
    EXPECT_DOUBLE_EQ(m.mota, 0.75);
    EXPECT_DOUBLE_EQ(m.idf1, 0.5);  // 2 of 4 boxes have the better id
    EXPECT_DOUBLE_EQ(m.hota.det_a, 1);
    EXPECT_DOUBLE_EQ(m.at_iou.ass_a, 0.5);  // each match: 2 / (4 + 2 - 2)
}

TEST(TrackMetrics, OfNothingAreZero) {
    for (const std::vector<TrackFrame>& frames :
         {std::vector<TrackFrame>{}, {{{}, {}}}, {{{{1, square(0, 0, 10)}}, {}}}, {{{}, {{1, square(0, 0, 10)}}}}}) {
        const TrackMetrics m = compute_track_metrics(frames, 0.5);
        EXPECT_EQ(m.hota.hota, 0);
        EXPECT_EQ(m.matches, 0);
        EXPECT_EQ(m.idf1, 0);
    }
}

TEST(EvaluateTracks, LeavesOutWhatBelongsToIgnoredFaces) {
    TruthLabels truth{"a.mp4", 0, {}};
    truth.entries.push_back({square(0, 0, 40), 1, false, 1});
    truth.entries.push_back({square(100, 0, 40), 0.2F, true, 2});
    truth.entries.push_back({square(200, 0, 10), 1, false, 3});  // too small
    DetectionLabels tracks{"a.mp4", 0, {}};
    tracks.entries.push_back({square(2, 0, 40), 1, 1, 1});
    tracks.entries.push_back({square(102, 0, 40), 1, 1, 2});   // of the ignored face
    tracks.entries.push_back({square(110, 10, 20), 1, 1, 3});  // within the ignored face
    tracks.entries.push_back({square(200, 0, 10), 1, 1, 4});   // of the small face
    tracks.entries.push_back({square(300, 0, 12), 1, 1, 5});   // small, and wrong
    tracks.entries.push_back({square(400, 0, 40), 1, 1, 6});   // wrong
    MatchOptions options;
    options.min_size = 20;
    const TrackMetrics m = evaluate_tracks({truth}, {tracks}, options).total;
    EXPECT_EQ(m.faces, 1);
    EXPECT_EQ(m.matches, 1);
    EXPECT_EQ(m.wrong, 1);
}

TEST(EvaluateTracks, DistinguishesTheIdsOfFiles) {
    std::vector<TruthLabels> truth;
    std::vector<DetectionLabels> tracks;
    for (const char* source : {"a.mp4", "b.mp4"}) {
        for (int n = 0; n < 3; ++n) {
            truth.push_back({source, n, {{square(n, 0, 40), 1, false, 1}}});
            tracks.push_back({source, n, {{square(n, 0, 40), 1, 1, source[0] == 'a' ? 1 : 2}}});
        }
    }
    const TrackEvaluation evaluation = evaluate_tracks(truth, tracks, {});
    EXPECT_EQ(evaluation.files.size(), 2U);
    EXPECT_EQ(evaluation.total.switches, 0);
    EXPECT_DOUBLE_EQ(evaluation.total.hota.hota, 1);
    truth[0].entries[0].id = -1;
    EXPECT_THROW(static_cast<void>(evaluate_tracks(truth, tracks, {})), Error);
    truth[0].entries = {{square(0, 0, 4), 1, false, 1}, {square(9, 0, 4), 1, false, 1}};
    EXPECT_THROW(static_cast<void>(evaluate_tracks(truth, tracks, {})), Error);
}

}  // namespace
}  // namespace throng
