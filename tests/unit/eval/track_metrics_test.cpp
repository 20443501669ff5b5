// Scores of tracks against those of TrackEval, and against figures computed by hand.
#include "core/eval/track_metrics.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"
#include "core/eval/evaluation.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

using nlohmann::json;

Box square(double x, double y, double side) {
    return {static_cast<float>(x), static_cast<float>(y), static_cast<float>(side), static_cast<float>(side)};
}

std::vector<IdBox> boxes_of(const json& list) {
    std::vector<IdBox> boxes;
    for (const json& box : list) {
        boxes.push_back(
            {box.at(0).get<std::int64_t>(),
             {box.at(1).get<float>(), box.at(2).get<float>(), box.at(3).get<float>(), box.at(4).get<float>()}});
    }
    return boxes;
}

// Faces that walk, and tracks that miss some of them, jump from one to another and report boxes without a face, with
// the scores of plain loops, and those that TrackEval computed.
TEST(TrackMetrics, EqualRecordedScores) {
    for (const std::filesystem::path& folder : test::oracle_dirs()) {
        const json all = json::parse(std::ifstream(folder / "tracks/tracks.json"));
        ASSERT_GE(all.at("sequences").size(), 10U) << folder;
        std::int64_t switches = 0;
        for (std::size_t number = 0; number < all["sequences"].size(); ++number) {
            const json& sequence = all["sequences"][number];
            std::vector<TrackFrame> frames;
            for (const json& frame : sequence.at("frames")) {
                frames.push_back({boxes_of(frame.at("truth")), boxes_of(frame.at("found"))});
            }
            const json& expected = sequence.at("expected");
            const TrackMetrics m = compute_track_metrics(frames, sequence.at("iou").get<double>());
            const auto mean = [&](const char* name) {
                double sum = 0;
                for (const double value : expected.at(name)) sum += value;
                return sum / static_cast<double>(expected[name].size());
            };
            SCOPED_TRACE(folder.string() + ": sequence " + std::to_string(number));
            EXPECT_NEAR(m.hota.hota, mean("HOTA"), 1e-6);
            EXPECT_NEAR(m.hota.det_a, mean("DetA"), 1e-6);
            EXPECT_NEAR(m.hota.ass_a, mean("AssA"), 1e-6);
            EXPECT_NEAR(m.hota.ass_re, mean("AssRe"), 1e-6);
            EXPECT_NEAR(m.hota.ass_pr, mean("AssPr"), 1e-6);
            EXPECT_NEAR(m.hota.loc_a, mean("LocA"), 1e-6);
            EXPECT_EQ(static_cast<double>(m.matches), expected.at("CLR_TP"));
            EXPECT_EQ(static_cast<double>(m.misses), expected.at("CLR_FN"));
            EXPECT_EQ(static_cast<double>(m.wrong), expected.at("CLR_FP"));
            EXPECT_EQ(static_cast<double>(m.switches), expected.at("IDSW"));
            EXPECT_EQ(static_cast<double>(m.fragmentations), expected.at("Frag"));
            EXPECT_NEAR(m.mota, expected.at("MOTA").get<double>(), 1e-8);
            EXPECT_NEAR(m.motp, expected.at("MOTP").get<double>(), 1e-6);
            EXPECT_EQ(static_cast<double>(m.id_matches), expected.at("IDTP"));
            EXPECT_EQ(static_cast<double>(m.id_misses), expected.at("IDFN"));
            EXPECT_EQ(static_cast<double>(m.id_wrong), expected.at("IDFP"));
            EXPECT_NEAR(m.idf1, expected.at("IDF1").get<double>(), 1e-8);
            for (std::size_t index = 0; index < 19; ++index) {
                const TrackMetrics at = compute_track_metrics(frames, 0.05 * static_cast<double>(index + 1));
                EXPECT_NEAR(at.at_iou.ass_a, expected.at("AssA").at(index).get<double>(), 1e-6) << index;
                EXPECT_NEAR(at.at_iou.hota, expected.at("HOTA").at(index).get<double>(), 1e-6) << index;
            }
            switches += m.switches;
        }
        EXPECT_GT(switches, 10) << folder;
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
