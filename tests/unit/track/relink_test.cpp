#include "core/track/relink.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "tests/support/random.h"

namespace throng {
namespace {

constexpr double kStep = 1.0 / 30;

Track track_at(std::int64_t id, double x, double y, double side = 40) {
    Track track;
    track.id = id;
    track.box = {static_cast<float>(x - side / 2), static_cast<float>(y - side / 2), static_cast<float>(side),
                 static_cast<float>(side)};
    track.score = 1;
    track.hits = 9;
    track.confirmed = true;
    return track;
}

std::vector<TimedTracks> empty_frames(int count) {
    std::vector<TimedTracks> frames(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < frames.size(); ++i) frames[i].seconds = static_cast<double>(i) * kStep;
    return frames;
}

// Returns the ids of the tracks that are detected near (x, y) at a time, unconfirmed ones included.
template <typename Position>
std::set<std::int64_t> ids_along(const std::vector<std::vector<Track>>& frames, const Position& position) {
    std::set<std::int64_t> ids;
    for (std::size_t f = 0; f < frames.size(); ++f) {
        const auto [x, y] = position(static_cast<double>(f) * kStep);
        for (const Track& track : frames[f]) {
            const double dx = static_cast<double>(track.box.x + track.box.w / 2) - x;
            const double dy = static_cast<double>(track.box.y + track.box.h / 2) - y;
            if (track.state != TrackState::predicted && std::hypot(dx, dy) < 4) ids.insert(track.id);
        }
    }
    return ids;
}

// Returns three fixed seeds, and the one that $THRONG_SEED changes.
std::vector<std::uint64_t> seeds() {
    return {1, 2, 3, test::seed(4)};
}

TEST(Relink, WhoIsCoveredAgainAndAgainKeepsOneId) {
    for (const std::uint64_t seed : seeds()) {
        SCOPED_TRACE(seed);
        std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
        std::uniform_real_distribution<double> speed(40, 130), noise(-1, 1);
        std::uniform_int_distribution<int> visible(10, 25), covered(3, 15);
        struct Person {
            double x, y, vx;
        };
        std::vector<Person> people;
        for (int i = 0; i < 8; ++i) {
            const double vx = (i % 2 == 0 ? 1 : -1) * speed(random);
            people.push_back({vx > 0 ? 100 + 20.0 * i : 700 - 20.0 * i, 100 + 12.0 * i, vx});
        }
        std::vector<TimedTracks> frames = empty_frames(130);
        std::int64_t id = 0;  // another one after each covering
        for (const Person& person : people) {
            for (int f = 0; f < 130;) {
                ++id;
                for (int last = std::min(130, f + visible(random)); f < last; ++f) {
                    const double x = person.x + person.vx * f * kStep + noise(random);
                    frames[static_cast<std::size_t>(f)].tracks.push_back(track_at(id, x, person.y + noise(random)));
                }
                f += covered(random);
            }
        }
        const std::vector<std::vector<Track>> result = relink_tracks(frames);
        ASSERT_EQ(result.size(), frames.size());
        std::set<std::int64_t> all;
        for (const Person& person : people) {
            const auto ids = ids_along(result, [&](double t) { return std::pair(person.x + person.vx * t, person.y); });
            EXPECT_FALSE(ids.empty());
            all.insert(ids.begin(), ids.end());
        }
        // Allows random arrangements more: one in 20 takes one id more than the fixed ones.
        EXPECT_LE(all.size(), people.size() + (seed <= 3 ? 1 : 3)) << id << " tracks before";
        for (const std::vector<Track>& tracks : result) {
            std::set<std::int64_t> once;
            for (const Track& track : tracks) EXPECT_TRUE(once.insert(track.id).second);
        }
    }
}

// A covered track goes on as the person who comes out of cover at the same position and walks the other way.
TEST(Relink, ATrackIsCutWhereItTurnsAndJoinedWithTheRightOne) {
    const auto left = [](double t) { return std::pair(400 - 100 * t, 100.0); };
    const auto right = [](double t) { return std::pair(200 + 100 * t, 100.0); };
    std::vector<TimedTracks> frames = empty_frames(60);
    for (int f = 0; f < 60; ++f) {
        std::vector<Track>& tracks = frames[static_cast<std::size_t>(f)].tracks;
        const double t = f * kStep;
        // They cross at one second. The track of the one follows the other; then the first gets a new track.
        if (f < 30) tracks.push_back(track_at(1, left(t).first, 100));
        if (f < 25) tracks.push_back(track_at(2, right(t).first, 100));
        if (f >= 30) tracks.push_back(track_at(1, right(t).first, 100));
        if (f >= 36) tracks.push_back(track_at(3, left(t).first, 100));
    }
    const std::vector<std::vector<Track>> result = relink_tracks(frames);
    std::map<bool, std::set<std::int64_t>> ids;
    for (const std::size_t f : {std::size_t{5}, std::size_t{55}}) {
        ASSERT_EQ(result[f].size(), 2U);
        for (const Track& track : result[f]) {
            const double x = left(static_cast<double>(f) * kStep).first;
            ids[std::abs(static_cast<double>(track.box.x) + 20 - x) < 2].insert(track.id);
        }
    }
    EXPECT_EQ(ids[true].size(), 1U);
    EXPECT_EQ(ids[false].size(), 1U);
    EXPECT_NE(ids[true], ids[false]);
}

// A face comes out of cover. Until it is detected alone, the detector finds one box between it and the face in front.
TEST(Relink, DetectionsThatFitTwoTracksAreConfirmedInNeither) {
    for (const std::uint64_t seed : seeds())
        for (const bool reversed : {false, true}) {
            SCOPED_TRACE(seed);
            SCOPED_TRACE(reversed);
            std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
            std::uniform_real_distribution<double> noise(-0.5, 0.5), speed(25, 35);
            const double vx = speed(random);
            const auto behind = [&](double t) { return std::pair(200 + vx * t, 100.0); };
            const auto front = [&](double t) { return std::pair(218 + vx * t, 110.0); };
            const auto between = [&](double t) { return std::pair(209 + vx * t, 105.0); };
            // In reverse, the face in front goes on while the other one is covered.
            const auto number = [reversed](int f) { return static_cast<std::size_t>(reversed ? 59 - f : f); };
            const auto along = [&](const auto& position) {
                return [&](double t) { return position(reversed ? 59 * kStep - t : t); };
            };
            std::vector<TimedTracks> frames = empty_frames(60);
            for (int f = 0; f < 60; ++f) {
                std::vector<Track>& tracks = frames[number(f)].tracks;
                const double t = f * kStep;
                const auto [x, y] = f == 28 || f == 29 ? between(t) : front(t);
                if (f < 20 || f >= 30)
                    tracks.push_back(track_at(1, behind(t).first + noise(random), 100 + noise(random)));
                if (f < 30 || f >= 40) tracks.push_back(track_at(2, x + noise(random), y + noise(random)));
            }
            const std::vector<std::vector<Track>> result = relink_tracks(frames);
            EXPECT_EQ(ids_along(result, along(behind)), std::set<std::int64_t>{1});
            EXPECT_EQ(ids_along(result, along(front)), std::set<std::int64_t>{2});
            EXPECT_EQ(ids_along(result, along(between)), std::set<std::int64_t>{3});
            for (std::size_t f = 0; f < result.size(); ++f) {
                SCOPED_TRACE(f);
                std::size_t detected = 0;
                for (const Track& track : result[f]) {
                    detected += track.state == TrackState::predicted ? 0 : 1;
                    EXPECT_EQ(track.confirmed, track.id < 3);
                    if (track.id == 3) {
                        EXPECT_EQ(track.age, static_cast<std::int32_t>(f) - (reversed ? 30 : 28));
                    }
                }
                EXPECT_EQ(detected, frames[f].tracks.size()) << "every detection remains";
            }
        }
}

// The same, of a face that nobody has seen before, or sees afterwards.
TEST(Relink, DetectionsBesideTheBeginningOfATrackMayBeItsOwn) {
    for (const bool reversed : {false, true}) {
        SCOPED_TRACE(reversed);
        const auto number = [reversed](int f) { return static_cast<std::size_t>(reversed ? 59 - f : f); };
        std::vector<TimedTracks> frames = empty_frames(60);
        for (int f = 0; f < 60; ++f) {
            std::vector<Track>& tracks = frames[number(f)].tracks;
            const bool between = f == 28 || f == 29;
            if (f >= 30) tracks.push_back(track_at(1, 200 + f, 100));
            if (f < 30 || f >= 40) tracks.push_back(track_at(2, (between ? 209 : 218) + f, between ? 105 : 110));
        }
        const std::vector<std::vector<Track>> result = relink_tracks(frames);
        for (int f = 0; f < 60; ++f) {
            SCOPED_TRACE(f);
            const std::vector<Track>& tracks = result[number(f)];
            std::size_t detected = 0;
            for (const Track& track : tracks) {
                if (track.state == TrackState::predicted) continue;
                ++detected;
                EXPECT_EQ(track.confirmed, f != 28 && f != 29);
            }
            EXPECT_EQ(detected, frames[number(f)].tracks.size()) << "every detection remains";
        }
    }
}

// Nearly where the face is that it covers, but not there.
TEST(Relink, AFaceInFrontOfACoveredOneKeepsItsDetections) {
    std::vector<TimedTracks> frames = empty_frames(60);
    for (int f = 0; f < 60; ++f) {
        std::vector<Track>& tracks = frames[static_cast<std::size_t>(f)].tracks;
        tracks.push_back(track_at(1, 209 + f, 105));
        if (f < 20 || f >= 30) tracks.push_back(track_at(2, 200 + f, 100));
    }
    for (const std::vector<Track>& tracks : relink_tracks(frames)) {
        ASSERT_EQ(tracks.size(), 2U) << "the gap is filled";
        for (const Track& track : tracks) EXPECT_TRUE(track.confirmed);
    }
}

// A person who is covered shows for a moment. Somebody else shows beside the line, where nobody else walks, or the
// detector finds the person twice.
TEST(Relink, APieceInAGapOfATrackBelongsToIt) {
    for (const std::uint64_t seed : seeds())
        for (const int aside : {60, 8}) {
            SCOPED_TRACE(seed);
            SCOPED_TRACE(aside);
            std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
            std::uniform_real_distribution<double> noise(-0.5, 0.5), speed(60, 90);
            const double vx = speed(random);
            const auto along = [&](double t) { return std::pair(100 + vx * t, 100.0); };
            std::vector<TimedTracks> frames = empty_frames(60);
            for (int f = 0; f < 60; ++f) {
                std::vector<Track>& tracks = frames[static_cast<std::size_t>(f)].tracks;
                const auto [x, y] = along(f * kStep);
                const bool shows = f >= 28 && f < 31;
                if (f < 20 || f >= 40 || shows) {
                    tracks.push_back(track_at(shows ? 3 : f < 20 ? 1 : 2, x + noise(random), y + noise(random)));
                }
                if (shows) tracks.push_back(track_at(4, x + noise(random), y + aside + noise(random)));
            }
            const std::vector<std::vector<Track>> result = relink_tracks(frames);
            EXPECT_EQ(ids_along(result, along), std::set<std::int64_t>{1});
            for (std::size_t f = 0; f < result.size(); ++f) {
                ASSERT_EQ(result[f].size(), f >= 28 && f < 31 ? 2U : 1U)
                    << f << ": both gaps are short enough to be filled";
                EXPECT_TRUE(result[f].front().confirmed);
                if (result[f].size() > 1) {
                    EXPECT_FALSE(result[f].back().confirmed);
                }
            }
        }
}

// Half a face beside the line, a frame after a person was covered or before they come out of cover.
TEST(Relink, APieceThatFitsOneSideOfAGapIsNoPartOfTheTrack) {
    for (const int stray : {20, 39}) {
        SCOPED_TRACE(stray);
        std::vector<TimedTracks> frames = empty_frames(60);
        for (int f = 0; f < 60; ++f) {
            std::vector<Track>& tracks = frames[static_cast<std::size_t>(f)].tracks;
            if (f < 20 || f >= 40) tracks.push_back(track_at(1, 100 + 2 * f, 100));
            if (f == stray) tracks.push_back(track_at(2, 100 + 2 * f, 120));
        }
        const std::vector<std::vector<Track>> result = relink_tracks(frames);
        ASSERT_EQ(result[static_cast<std::size_t>(stray)].size(), 1U) << "the gap is too long to be filled";
        EXPECT_FALSE(result[static_cast<std::size_t>(stray)].front().confirmed);
        EXPECT_EQ(result[10].at(0).id, result[50].at(0).id);
    }
}

// The edge of the frame cuts the box of a face that comes in, so its center moves at half the speed: as fast as that of
// another one, who is slower.
TEST(Relink, FacesThatComeInAndAreCoveredKeepTheirIds) {
    constexpr int kWidth = 1000;
    for (const std::uint64_t seed : seeds()) {
        SCOPED_TRACE(seed);
        std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
        std::uniform_real_distribution<double> noise(-0.5, 0.5);
        for (const bool from_left : {true, false}) {
            SCOPED_TRACE(from_left);
            std::vector<TimedTracks> frames = empty_frames(60);
            for (int f = 0; f < 60; ++f) {
                TimedTracks& frame = frames[static_cast<std::size_t>(f)];
                frame.width = kWidth;
                if (f >= 7 && f < 27) continue;  // covered
                for (const int step : {5, 10}) {
                    const float right = static_cast<float>(20 + step * f + noise(random));
                    const float left = std::max(0.0F, right - 80);
                    Track track = track_at(f < 7 ? step : step + 1, 0, 0);
                    track.box = {from_left ? left : static_cast<float>(kWidth) - right, 100, right - left, 100};
                    frame.tracks.push_back(track);
                }
            }
            const std::vector<std::vector<Track>> result = relink_tracks(frames);
            std::map<int, std::set<std::int64_t>> ids;  // by step
            for (const std::size_t f : {std::size_t{3}, std::size_t{40}}) {
                ASSERT_EQ(result[f].size(), 2U);
                for (const Track& track : result[f]) {
                    const float right =
                        from_left ? track.box.x + track.box.w : static_cast<float>(kWidth) - track.box.x;
                    ids[right > static_cast<float>(20 + 7 * f) ? 10 : 5].insert(track.id);
                }
            }
            EXPECT_EQ(ids[5].size(), 1U);
            EXPECT_EQ(ids[10].size(), 1U);
        }
    }
}

// The detector reports the part of a face that is inside the frame.
TEST(Relink, AFaceThatTheEdgeOfTheFrameCutsGetsTheBoxOfTheWholeFace) {
    constexpr int kWidth = 1000;
    std::vector<TimedTracks> frames = empty_frames(60);
    const auto whole = [](int f) { return static_cast<float>(-60 + 4 * f); };
    for (int f = 0; f < 60; ++f) {
        TimedTracks& frame = frames[static_cast<std::size_t>(f)];
        frame.width = kWidth;
        if (f == 5 || f == 6) continue;  // missed
        const float inside = std::max(0.0F, whole(f));
        const float width = whole(f) + 80 - inside;
        frame.tracks = {track_at(1, 0, 0), track_at(2, 0, 0)};
        frame.tracks.front().box = {inside, 100, width, 100};
        frame.tracks.back().box = {kWidth - inside - width, 300, width, 100};
    }
    const std::vector<std::vector<Track>> result = relink_tracks(frames);
    for (int f = 0; f < 60; ++f) {
        SCOPED_TRACE(f);
        const std::vector<Track>& tracks = result[static_cast<std::size_t>(f)];
        ASSERT_EQ(tracks.size(), 2U);
        EXPECT_NEAR(reported_box(tracks.front()).x, whole(f), 0.01);
        EXPECT_NEAR(reported_box(tracks.back()).x, static_cast<float>(kWidth - 80) - whole(f), 0.01);
        for (const Track& track : tracks) {
            EXPECT_NEAR(reported_box(track).w, 80, 0.01);
            EXPECT_EQ(reported_box(track).h, 100);
            if (track.state == TrackState::predicted) continue;
            EXPECT_GE(track.box.x, 0) << "what was detected, for the plan of what is hidden";
            EXPECT_LE(track.box.x + track.box.w, kWidth);
        }
    }
}

// Its motion is uncertain, and could lead out of the frame.
TEST(Relink, AFaceThatStandsAtTheEdgeAndFlickersIsOneTrack) {
    constexpr int kWidth = 1000;
    for (const std::uint64_t seed : seeds()) {
        SCOPED_TRACE(seed);
        std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
        std::uniform_real_distribution<float> noise(-1, 1);
        std::vector<TimedTracks> frames = empty_frames(150);
        int id = 0;
        for (std::size_t f = 0; f < frames.size(); ++f) {
            frames[f].width = kWidth;
            frames[f].tracks = {track_at(100, 300, 400, 100)};  // shows how wide a face is
            if (f % 30 == 0) ++id;
            if (f % 30 >= 8) continue;
            const float x = kWidth - 50 + noise(random);
            frames[f].tracks.push_back(track_at(id, 0, 0));
            frames[f].tracks.back().box = {x, 100 + noise(random), kWidth - x, 100};
        }
        std::set<std::int64_t> ids;
        for (const std::vector<Track>& tracks : relink_tracks(frames)) {
            for (const Track& track : tracks) {
                if (track.box.y < 200) ids.insert(track.id);
            }
        }
        EXPECT_EQ(ids.size(), 1U);
    }
}

TEST(Relink, WhoComesInWhereAnotherOneLeftIsAnotherTrack) {
    constexpr int kWidth = 1000;
    for (const std::uint64_t seed : seeds()) {
        SCOPED_TRACE(seed);
        std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
        std::uniform_real_distribution<double> noise(-0.5, 0.5), speed(30, 60), wait(1, 2);
        std::vector<TimedTracks> frames = empty_frames(160);
        const double leaving = speed(random);
        const double coming = speed(random);
        const double left_at = 2;
        const double comes_at = left_at + wait(random);
        for (TimedTracks& frame : frames) {
            frame.width = kWidth;
            const double t = frame.seconds;
            const auto add = [&](int id, double x) {
                if (!(x < kWidth - 20)) return;  // three quarters are cut off: not detected
                Track track = track_at(id, x + noise(random), 100 + noise(random), 80);
                track.box.w = std::min(track.box.w, static_cast<float>(kWidth) - track.box.x);
                frame.tracks.push_back(track);
            };
            if (t <= left_at) add(1, kWidth - 20 - leaving * (left_at - t));
            if (t >= comes_at) add(2, kWidth - 20 - coming * (t - comes_at));
        }
        const std::vector<std::vector<Track>> result = relink_tracks(frames);
        ASSERT_EQ(result[30].size(), 1U);
        ASSERT_EQ(result[150].size(), 1U);
        EXPECT_NE(result[30].front().id, result[150].front().id);
    }
}

TEST(Relink, FillsShortGapsAlongTheLine) {
    std::vector<TimedTracks> frames = empty_frames(100);
    for (int f = 0; f < 100; ++f) {
        if ((f >= 20 && f < 25) || (f >= 50 && f < 80)) continue;
        frames[static_cast<std::size_t>(f)].tracks.push_back(track_at(7, 100 + f, 100));
        frames[static_cast<std::size_t>(f)].tracks.back().detection = f;
    }
    // Another person is in front of the gap in frame 22.
    for (int f = 0; f < 100; ++f) frames[static_cast<std::size_t>(f)].tracks.push_back(track_at(8, 342 - 10 * f, 110));
    const std::vector<std::vector<Track>> result = relink_tracks(frames);
    for (int f = 0; f < 100; ++f) {
        SCOPED_TRACE(f);
        const Track* found = nullptr;
        for (const Track& track : result[static_cast<std::size_t>(f)]) {
            if (std::abs(track.box.x - static_cast<float>(80 + f)) < 0.01F && track.box.y < 81) found = &track;
        }
        if (f >= 50 && f < 80) {
            EXPECT_EQ(found, nullptr) << "a second is too long";
            continue;
        }
        ASSERT_NE(found, nullptr);
        EXPECT_EQ(found->id, 1);
        EXPECT_EQ(found->age, f);
        EXPECT_EQ(found->state, f >= 20 && f < 25 ? TrackState::predicted : TrackState::detected);
        EXPECT_EQ(found->covered, f >= 21 && f < 24);
        EXPECT_EQ(found->detection, f >= 20 && f < 25 ? -1 : f);
        EXPECT_EQ(found->gap, f >= 20 && f < 25 ? f - 19 : 0);
    }
}

TEST(Relink, ShortAndUnconfirmedTracksRemainUnconfirmedAndPredictedOnesAreLeftOut) {
    std::vector<TimedTracks> frames = empty_frames(30);
    for (int f = 0; f < 30; ++f) {
        std::vector<Track>& tracks = frames[static_cast<std::size_t>(f)].tracks;
        if (f >= 10 && f < 14) tracks.push_back(track_at(1, 100, 100));
        tracks.push_back(track_at(2, 300, 100));
        tracks.back().confirmed = false;
        tracks.push_back(track_at(3, 500, 100));
        tracks.back().state = TrackState::predicted;
        tracks.push_back(track_at(4, 700, 100));
        tracks.back().covered = tracks.front().covered = true;  // not read
        tracks.back().gap = 7;
    }
    const std::vector<std::vector<Track>> result = relink_tracks(frames);
    for (std::size_t f = 0; f < result.size(); ++f) {
        const std::vector<Track>& tracks = result[f];
        const bool has_short = f >= 10 && f < 14;
        ASSERT_EQ(tracks.size(), has_short ? 3U : 2U);
        EXPECT_EQ(tracks.front().box.x, 680);
        EXPECT_EQ(tracks.front().id, 1);
        EXPECT_TRUE(tracks.front().confirmed);
        EXPECT_EQ(tracks.front().gap, 0);
        for (const Track& track : tracks) EXPECT_FALSE(track.covered);
        EXPECT_EQ(tracks.back().box.x, 280);
        EXPECT_EQ(tracks.back().id, 3);
        EXPECT_FALSE(tracks.back().confirmed);
        if (!has_short) continue;
        EXPECT_EQ(tracks[1].box.x, 80);
        EXPECT_EQ(tracks[1].age, static_cast<std::int32_t>(f) - 10);
        EXPECT_FALSE(tracks[1].confirmed);
    }
}

TEST(Relink, ALongTrackRemainsOne) {
    std::vector<TimedTracks> frames = empty_frames(900);
    for (TimedTracks& frame : frames) frame.tracks.push_back(track_at(5, 200 + 20 * std::sin(frame.seconds), 100));
    const std::vector<std::vector<Track>> result = relink_tracks(frames);
    for (std::size_t f = 0; f < frames.size(); ++f) {
        ASSERT_EQ(result[f].size(), 1U) << f;
        EXPECT_EQ(result[f].front().id, 1);
        EXPECT_EQ(result[f].front().box.x, frames[f].tracks.front().box.x);
    }
}

TEST(Relink, AnyInputIsAccepted) {
    EXPECT_TRUE(relink_tracks({}).empty());
    EXPECT_EQ(relink_tracks(empty_frames(3)).size(), 3U);
    std::vector<TimedTracks> frames = empty_frames(40);
    const float huge = std::numeric_limits<float>::max();
    for (std::size_t f = 0; f < frames.size(); ++f) {
        frames[f].seconds = f % 7 == 0 ? -1e9 : static_cast<double>(f / 4);  // steps back, and the same time again
        frames[f].width = f % 3 == 0 ? 1 : 200;
        frames[f].tracks.push_back(track_at(1, 100, 100));
        frames[f].tracks.push_back(track_at(2, 1e30, 1e30, 1e-30));
        frames[f].tracks.push_back(track_at(3, 0, 0));
        frames[f].tracks.back().box = {-huge, -huge, huge, huge};
    }
    EXPECT_EQ(relink_tracks(frames).size(), frames.size());
}

}  // namespace
}  // namespace throng
