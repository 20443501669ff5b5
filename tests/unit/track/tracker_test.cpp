#include "core/track/tracker.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "tests/support/random.h"
#include "tests/unit/track/tracker_feed.h"

namespace throng {
namespace {

using test::center_x;
using test::center_y;
using test::face;
using test::Feed;
using test::kFrame;

TEST(Tracker, KeepsTheIdsOfFacesThatPassEachOther) {
    Feed feed;
    for (int n = 0; n < 60; ++n) {
        const std::vector<Track> tracks = feed({face(400 + 6 * n, 300, 50), face(760 - 6 * n, 320, 70)});
        ASSERT_EQ(tracks.size(), 2U) << "frame " << n;
        EXPECT_EQ(tracks[0].id, 1);
        EXPECT_EQ(tracks[1].id, 2);
        EXPECT_EQ(tracks[0].detection, 0);
        EXPECT_EQ(tracks[1].detection, 1);
        EXPECT_EQ(tracks[0].age, n);
    }
}

TEST(Tracker, PredictsAFaceThatIsHiddenAndFindsItAgain) {
    Feed feed;
    for (int n = 0; n < 30; ++n) ASSERT_EQ(feed({face(300 + 3 * n, 500, 60)}).size(), 1U);
    for (int n = 30; n < 60; ++n) {
        const std::vector<Track> tracks = feed({});
        ASSERT_EQ(tracks.size(), 1U);
        EXPECT_EQ(tracks[0].state, TrackState::predicted);
        EXPECT_EQ(tracks[0].gap, n - 29);
        EXPECT_EQ(tracks[0].detection, -1);
        EXPECT_NEAR(center_x(tracks[0].box), 300 + 3 * n, 6);
    }
    const std::vector<Track> tracks = feed({face(300 + 3 * 60, 500, 60)});
    ASSERT_EQ(tracks.size(), 1U);
    EXPECT_EQ(tracks[0].id, 1);
    EXPECT_EQ(tracks[0].state, TrackState::detected);
    EXPECT_EQ(tracks[0].gap, 0);
}

TEST(Tracker, ACoveredFaceTakesNoDetectionOfTheFaceBeforeIt) {
    // The nearer face passes before the farther one, which is not detected meanwhile.
    Feed feed;
    std::vector<Track> tracks;
    for (int n = 0; n < 60; ++n) {
        const double near = 300 + 4.0 * n;
        const double far = 480 - 1.0 * n;
        std::vector<Detection> faces{face(near, 310, 70)};
        if (std::abs(near - far) > 50) faces.push_back(face(far, 300, 60));
        tracks = feed(faces);
        ASSERT_EQ(tracks.size(), 2U) << n;
        EXPECT_EQ(tracks[0].detection, 0) << n;
        EXPECT_EQ(tracks[1].state == TrackState::predicted, faces.size() == 1) << n;
        if (std::abs(near - far) < 20) {
            EXPECT_TRUE(tracks[1].covered) << n;
        }
    }
}

// Two faces of different height are covered at the same position; one comes out on the left, with half of its width.
TEST(Tracker, TellsFacesApartByTheirHeightWhenTheyComeOutOfCover) {
    for (const bool small_first : {true, false}) {
        SCOPED_TRACE(small_first);
        Feed feed(tracker_params(DetectorId::cnn));
        std::vector<Track> tracks;
        for (int n = 0; n < 30; ++n) {
            tracks = feed({face(500, 300, 60), face(505, 300, 80), face(800, 300, 60)});
        }
        ASSERT_EQ(tracks.size(), 3U);
        for (int n = 0; n < 5; ++n) static_cast<void>(feed({face(800, 300, 60)}));
        const float height = small_first ? 60.0F : 80.0F;
        tracks = feed({{{480, 300 - height / 2, height / 2, height}, 1, 5, 0}, face(800, 300, 60)});
        ASSERT_EQ(tracks.size(), 3U);
        EXPECT_EQ(tracks[0].state == TrackState::detected, small_first);
        EXPECT_EQ(tracks[1].state == TrackState::detected, !small_first);
    }
}

TEST(Tracker, UsesWeakDetectionsToContinueOnly) {
    TrackerParams params;
    params.confident_hits = 3;
    Feed feed(params);
    EXPECT_TRUE(feed({face(100, 100, 50, 2)}, {face(400, 100, 50, 9)}).empty());
    ASSERT_EQ(feed({face(300, 300, 50, 3)}).size(), 1U);
    std::vector<Track> tracks = feed({face(302, 300, 50, 1)});
    ASSERT_EQ(tracks.size(), 1U);
    EXPECT_EQ(tracks[0].state, TrackState::recovered);
    EXPECT_EQ(tracks[0].detection, 0);
    tracks = feed({}, {face(304, 300, 50, 1)});
    ASSERT_EQ(tracks.size(), 1U);
    EXPECT_EQ(tracks[0].state, TrackState::recovered);
    EXPECT_EQ(tracks[0].detection, -1);
}

TEST(Tracker, ConfirmsTracksByASecondDetection) {
    Feed feed;
    EXPECT_TRUE(feed({face(100, 100, 50)}).at(0).confirmed) << "nothing came before the first frame";
    const std::vector<Detection> both{face(100, 100, 50), face(500, 100, 50)};
    EXPECT_FALSE(feed(both).at(1).confirmed);
    EXPECT_TRUE(feed(both).at(1).confirmed);
}

TEST(Tracker, EndsTracksAndNeverUsesAnIdAgain) {
    TrackerParams params;
    params.max_gap = 1;
    Feed feed(params);
    for (int n = 0; n < 30; ++n) ASSERT_EQ(feed({face(500, 500, 50)}).size(), 1U);
    for (int n = 0; n < 29; ++n) ASSERT_EQ(feed({}).size(), 1U);
    for (int n = 0; n < 3; ++n) static_cast<void>(feed({}));
    EXPECT_TRUE(feed({}).empty());
    EXPECT_EQ(feed({face(500, 500, 50)}).at(0).id, 2);
    feed.tracker.reset();
    EXPECT_EQ(feed({face(500, 500, 50)}).at(0).id, 3);
}

TEST(Tracker, EndsBriefTracksSoon) {
    Feed feed;
    for (int n = 0; n < 3; ++n) ASSERT_EQ(feed({face(500, 500, 50)}).size(), 1U);
    for (int n = 0; n < 15; ++n) static_cast<void>(feed({}));
    EXPECT_TRUE(feed({}).empty()) << "seen for 0.07 s, then not for 0.5 s";
}

TEST(Tracker, FalseFacesWithFewHitsAreConfirmedLate) {
    TrackerParams params = tracker_params(DetectorId::haar);
    ASSERT_EQ(params.birth_hits, 12);
    Feed feed(params);
    static_cast<void>(feed({}));
    for (int n = 0; n < 6; ++n) {
        const std::vector<Track> tracks = feed({face(500, 500, 50, 3), face(800, 500, 50, 20)});
        ASSERT_EQ(tracks.size(), 2U);
        EXPECT_EQ(tracks[0].confirmed, n >= 3) << n;
        EXPECT_EQ(tracks[1].confirmed, n >= 1) << n;
    }
}

// A paused frame is detected again at each change of a setting.
TEST(Tracker, AFrameThatIsDetectedAgainIsNoFurtherEvidence) {
    Feed feed(tracker_params(DetectorId::haar));
    static_cast<void>(feed({}));
    for (int n = 0; n < 8; ++n) {
        feed.frame = 1;
        const std::vector<Track> tracks = feed({face(500, 500, 50, 20)});
        ASSERT_EQ(tracks.size(), 1U);
        EXPECT_FALSE(tracks[0].confirmed) << n;
    }
    EXPECT_TRUE(feed({face(500, 500, 50, 20)}).at(0).confirmed) << "the second frame";
}

TEST(Tracker, EndsTracksThatLeaveTheFrame) {
    Feed feed;
    for (int n = 0; n < 20; ++n) static_cast<void>(feed({face(1700 + 10 * n, 500, 60)}));
    for (int n = 0; n < 6; ++n) static_cast<void>(feed({}));
    EXPECT_TRUE(feed({}).empty());
}

TEST(Tracker, StartsAgainWhenTheTimeJumps) {
    Feed feed;
    static_cast<void>(feed({face(500, 500, 50)}));
    feed.frame = 3000;
    EXPECT_EQ(feed({face(500, 500, 50)}).at(0).id, 2);
    feed.frame = 0;
    EXPECT_EQ(feed({face(500, 500, 50)}).at(0).id, 3);
    feed.frame = 0;  // the same frame again
    EXPECT_EQ(feed({face(500, 500, 50)}).at(0).id, 3);
}

TEST(Tracker, FollowsASuddenMotionOfTheCamera) {
    std::mt19937_64 random(test::seed(7));
    std::uniform_real_distribution<double> x(300, 1500), y(200, 800), side(30, 60);
    std::vector<Detection> faces;
    for (int i = 0; i < 30; ++i) faces.push_back(face(x(random), y(random), side(random)));
    Feed feed;
    std::vector<Track> before;
    for (int n = 0; n < 4; ++n) before = feed(faces);
    for (Detection& each : faces) {
        each.box.x += 140;
        each.box.y -= 75;
    }
    std::vector<Detection> seen(faces.begin() + 5, faces.end());
    const std::vector<Track> after = feed(seen);
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
        EXPECT_EQ(after[i].id, before[i].id);
        EXPECT_NEAR(center_x(after[i].box), center_x(before[i].box) + 140, 8);
        EXPECT_NEAR(center_y(after[i].box), center_y(before[i].box) - 75, 8);
    }
}

// Boxes of 100 px whose centers have a standard deviation of 2 px in each direction.
TEST(Tracker, SmoothsAStillFace) {
    std::mt19937_64 random(test::seed(7));
    std::normal_distribution<double> noise(0, 2);
    Feed feed;
    double raw = 0;
    double smooth = 0;
    int count = 0;
    for (int n = 0; n < 600; ++n) {
        const Detection detection = face(800 + noise(random), 500 + noise(random), 100);
        const Track track = feed({detection}).at(0);
        if (n < 60) continue;
        ++count;
        raw += std::pow(center_x(detection.box) - 800, 2) + std::pow(center_y(detection.box) - 500, 2);
        smooth += std::pow(center_x(track.smoothed) - 800, 2) + std::pow(center_y(track.smoothed) - 500, 2);
    }
    const double ratio = std::sqrt(smooth / raw);
    EXPECT_LE(ratio, 1.0 / 3);
    RecordProperty("rms", std::to_string(std::sqrt(smooth / count)));
    RecordProperty("ratio", std::to_string(ratio));
}

TEST(Tracker, LagsByLessThanATwentiethOfAFaceThatMovesItsWidthPerSecond) {
    std::mt19937_64 random(test::seed(7));
    std::normal_distribution<double> noise(0, 2);
    Feed feed;
    double lag = 0;
    int count = 0;
    for (int n = 0; n < 240; ++n) {
        const double x = 300 + (n < 60 ? 0 : 100 * kFrame * (n - 60));
        const Track track = feed({face(x + noise(random), 500 + noise(random), 100)}).at(0);
        if (n < 90) continue;
        lag += x - center_x(track.smoothed);
        ++count;
    }
    EXPECT_LE(std::abs(lag / count), 5);
}

TEST(Tracker, IgnoresInvalidBoxes) {
    const float nan = std::nanf("");
    const float large = 1e30F;
    Feed feed;
    for (int n = 0; n < 5; ++n) {
        const std::vector<Track> tracks = feed({{{nan, 0, 10, 10}, 1, 9, 0},
                                                {{0, 0, 0, 10}, 1, 9, 0},
                                                {{0, 0, -5, 10}, 1, 9, 0},
                                                {{0, 0, 10, 10}, nan, 9, 0},
                                                {{large, large, large, large}, 1, 9, 0},
                                                face(100, 100, 50)});
        ASSERT_EQ(tracks.size(), 1U);
        EXPECT_EQ(tracks[0].detection, 5);
    }
}

TEST(Tracker, GivesTheSameTracksForTheSameInput) {
    const auto run = [] {
        std::mt19937_64 random(test::seed(7));
        std::uniform_real_distribution<double> x(0, 1920), y(0, 1080), side(10, 100);
        std::vector<Track> all;
        Feed feed;
        for (int n = 0; n < 50; ++n) {
            std::vector<Detection> kept, candidates;
            for (int i = 0; i < 80; ++i) kept.push_back(face(x(random), y(random), side(random)));
            for (int i = 0; i < 80; ++i) candidates.push_back(face(x(random), y(random), side(random)));
            const std::vector<Track> tracks = feed(kept, candidates);
            std::set<std::int64_t> ids;
            std::set<int> used;
            for (const Track& track : tracks) {
                EXPECT_TRUE(ids.insert(track.id).second);
                EXPECT_TRUE(track.detection < 0 || used.insert(track.detection).second);
                EXPECT_TRUE(std::isfinite(track.box.x) && track.box.w > 0);
            }
            all.insert(all.end(), tracks.begin(), tracks.end());
        }
        return all;
    };
    const std::vector<Track> first = run();
    const std::vector<Track> second = run();
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
        EXPECT_EQ(first[i].id, second[i].id);
        EXPECT_EQ(first[i].box.x, second[i].box.x);
    }
}

}  // namespace
}  // namespace throng
