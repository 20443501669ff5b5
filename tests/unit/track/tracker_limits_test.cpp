// Limits that tracker.h promises, and the values that the tracker reports.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "core/base/error.h"
#include "tests/unit/track/tracker_feed.h"

namespace throng {
namespace {

using test::center_x;
using test::center_y;
using test::face;
using test::Feed;

TEST(TrackerLimits, EachParameterIsAcceptedInItsRangeAndRejectedByNameOutside) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    const auto check = [](const char* name, auto TrackerParams::*member, const std::vector<double>& valid,
                          const std::vector<double>& invalid) {
        SCOPED_TRACE(name);
        TrackerParams params;
        using Value = std::remove_reference_t<decltype(params.*member)>;
        for (const double value : valid) {
            SCOPED_TRACE(value);
            params.*member = static_cast<Value>(value);
            EXPECT_NO_THROW(check_params(params));
        }
        for (const double value : invalid) {
            SCOPED_TRACE(value);
            params.*member = static_cast<Value>(value);
            EXPECT_THROW(Tracker{params}, Error);
            Tracker tracker{TrackerParams{}};
            try {
                tracker.set_params(params);
                ADD_FAILURE() << "accepted";
            } catch (const Error& error) {
                EXPECT_EQ(error.kind(), ErrorKind::usage);
                EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
            }
        }
    };
    check("confident_hits", &TrackerParams::confident_hits, {1, 1000}, {0, -1});
    check("confident_score", &TrackerParams::confident_score, {-1e30, 1e30}, {kNan, HUGE_VAL, -HUGE_VAL});
    check("candidate_fraction", &TrackerParams::candidate_fraction, {1e-6, 1}, {0, -1, 1.001, kNan});
    check("birth_detections", &TrackerParams::birth_detections, {1, 1000}, {0, -1});
    check("birth_hits", &TrackerParams::birth_hits, {1, 1000}, {0, -1});
    check("max_gap", &TrackerParams::max_gap, {0, 3600}, {-0.001, 3600.001, kNan});
    check("gate", &TrackerParams::gate, {1e-6, 100}, {0, -1, 100.001, kNan});
    check("deviation_x", &TrackerParams::deviation_x, {1e-6, 10}, {0, -1, 10.001, kNan});
    check("deviation_y", &TrackerParams::deviation_y, {1e-6, 10}, {0, -1, 10.001, kNan});
    check("deviation_height", &TrackerParams::deviation_height, {1e-6, 10}, {0, -1, 10.001, kNan});
    check("emerging", &TrackerParams::emerging, {1, 10}, {0.999, 10.001, kNan});
}

TEST(TrackerLimits, NetworksMeasureTheHeightBetterThanCascades) {
    const TrackerParams haar = tracker_params(DetectorId::haar);
    const TrackerParams cnn = tracker_params(DetectorId::cnn);
    EXPECT_EQ(haar.confident_hits, 3);
    EXPECT_LT(cnn.deviation_y, haar.deviation_y);
    EXPECT_LT(cnn.deviation_height, haar.deviation_height);
    EXPECT_GT(cnn.emerging, haar.emerging);
}

// 0.12 s, and four times as long as it was seen once it is confirmed, up to max_gap.
TEST(TrackerLimits, ATrackSurvivesTheLongerTheLongerItWasSeen) {
    TrackerParams params;
    params.max_gap = 1.61;
    const auto survives = [&](int seen, bool from_the_first_frame) {
        Feed feed(params);
        if (!from_the_first_frame) static_cast<void>(feed({}));
        for (int n = 0; n < seen; ++n) static_cast<void>(feed({face(500, 500, 50)}));
        int frames = 0;
        while (!feed({}).empty()) ++frames;
        return frames;
    };
    EXPECT_EQ(survives(1, false), 3) << "not confirmed";
    EXPECT_EQ(survives(1, true), 3);
    EXPECT_EQ(survives(2, true), 7) << "0.253 s";
    EXPECT_EQ(survives(2, false), 7);
    EXPECT_EQ(survives(4, true), 15) << "0.52 s";
    EXPECT_EQ(survives(8, true), 31) << "1.053 s";
    EXPECT_EQ(survives(40, true), 48) << "max_gap";
}

TEST(TrackerLimits, ADetectionThatATrackCoversByMoreThanHalfStartsNoTrack) {
    struct Case {
        Detection track, other;
        std::size_t tracks;
    };
    const Detection large = face(500, 500, 80), small = face(500, 500, 64);
    const std::vector<Case> cases{{large, face(520, 510, 30), 1}, {face(520, 510, 30), large, 1},
                                  {small, face(532, 500, 64), 2}, {small, face(531, 500, 64), 1},
                                  {small, face(500, 468, 64), 2}, {small, face(500, 469, 64), 1}};
    for (std::size_t i = 0; i < cases.size(); ++i) {
        SCOPED_TRACE(i);
        Feed feed;
        for (int n = 0; n < 4; ++n) ASSERT_EQ(feed({cases[i].track}).size(), 1U);
        const std::vector<Track> tracks = feed({cases[i].track, cases[i].other});
        ASSERT_EQ(tracks.size(), cases[i].tracks);
        EXPECT_EQ(tracks.front().detection, 0);
        if (tracks.size() > 1) {
            EXPECT_EQ(tracks.back().detection, 1);
        }
        if (i > 1) continue;  // the other one has another size
        EXPECT_EQ(feed({cases[i].other}).size(), 2U) << "a track that is not detected covers none";
    }
}

// The gate is 3 times the standard deviation of 0.15 sides, and of the prediction.
TEST(TrackerLimits, ADetectionBeyondTheGateIsAnotherFace) {
    for (const auto& [x, y, tracks] : {std::tuple{15, 0, 1U},
                                       {-15, 0, 1U},
                                       {0, 15, 1U},
                                       {0, -15, 1U},
                                       {32, 0, 2U},
                                       {-32, 0, 2U},
                                       {0, 32, 2U},
                                       {0, -32, 2U}}) {
        Feed feed;
        for (int n = 0; n < 30; ++n) static_cast<void>(feed({face(500, 500, 50)}));
        EXPECT_EQ(feed({face(500 + x, 500 + y, 50)}).size(), tracks) << x << ", " << y;
    }
}

// Two thirds of a row of equal faces are found where they were. As many would fit if each were the face beside it.
TEST(TrackerLimits, TheCameraIsStillWhileMostFacesAreFound) {
    Feed feed;
    std::vector<Detection> faces;
    for (int i = 0; i < 9; ++i) faces.push_back(face(400 + 60 * i, 500, 50));
    for (int n = 0; n < 10; ++n) ASSERT_EQ(feed(faces).size(), 9U);
    const std::vector<Track> tracks = feed({faces.begin() + 1, faces.begin() + 7});
    ASSERT_EQ(tracks.size(), 9U);
    for (int i = 0; i < 9; ++i) EXPECT_EQ(tracks[static_cast<std::size_t>(i)].detection, i >= 1 && i < 7 ? i - 1 : -1);
}

TEST(TrackerLimits, ReportsTheVelocityOfASteadyFace) {
    Feed feed;
    std::vector<Track> tracks;
    for (int n = 0; n < 60; ++n) tracks = feed({face(300 + 3 * n, 700 - 2 * n, 50)});
    EXPECT_NEAR(tracks.at(0).vx, 90, 1);
    EXPECT_NEAR(tracks.at(0).vy, -60, 1);
    tracks = feed({});
    EXPECT_NEAR(tracks.at(0).vx, 90, 1);
    EXPECT_NEAR(tracks.at(0).vy, -60, 1);
    EXPECT_FALSE(tracks.at(0).covered) << "nothing is in front";
}

// The camera turns while one face is hidden: it goes on with the others, whose motion is known after some frames.
TEST(TrackerLimits, AHiddenFaceMovesAlongWithTheCamera) {
    Feed feed;
    const auto at = [](int i, int n) {
        const int turned = std::max(0, n - 20);
        return face(400 + 150 * (i % 4) + 6 * turned, 400 + 150 * (i / 4) - 4 * turned, 50);
    };
    std::vector<Track> tracks;
    for (int n = 0; n < 34; ++n) {
        std::vector<Detection> faces;
        for (int i = 0; i < 9; ++i) {
            if (i != 5 || n <= 20) faces.push_back(at(i, n));
        }
        tracks = feed(faces);
        ASSERT_EQ(tracks.size(), 9U) << n;
        if (n <= 20) continue;
        EXPECT_EQ(tracks[5].state, TrackState::predicted);
        EXPECT_NEAR(center_x(tracks[5].box), center_x(at(5, n).box), 16) << n;
        EXPECT_NEAR(center_y(tracks[5].box), center_y(at(5, n).box), 16) << n;
    }
}

// All predictions lag behind a camera that starts to turn. For small faces that is more than the gate.
TEST(TrackerLimits, SmallFacesKeepTheirIdsWhenTheCameraTurns) {
    Feed feed;
    for (int n = 0; n < 50; ++n) {
        const int turned = std::clamp(n - 20, 0, 15);
        std::vector<Detection> faces;
        for (int i = 0; i < 9; ++i) {
            const double side = i < 6 ? 100 : 24;
            faces.push_back(face(400 + 150 * (i % 3) + 8 * turned, 400 + 150 * (i / 3) - 4 * turned, side));
        }
        const std::vector<Track> tracks = feed(faces);
        ASSERT_EQ(tracks.size(), 9U) << n;
        for (int i = 0; i < 9; ++i) {
            EXPECT_EQ(tracks[static_cast<std::size_t>(i)].detection, i) << n;
            EXPECT_EQ(tracks[static_cast<std::size_t>(i)].id, i + 1) << n;
        }
    }
}

}  // namespace
}  // namespace throng
