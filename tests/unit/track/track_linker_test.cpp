#include "core/track/track_linker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "tests/support/random.h"

namespace throng {
namespace {

constexpr double kFrameStep = 0.1;

Track walker_at(std::int64_t id, double x, double y) {
    Track track;
    track.id = id;
    track.box = {static_cast<float>(x) - 20, static_cast<float>(y) - 20, 40, 40};
    track.confirmed = true;
    return track;
}

TrackerInput frame_at(double seconds) {
    TrackerInput input;
    input.source = "a";
    input.width = 800;
    input.height = 600;
    input.seconds = seconds;
    return input;
}

void add(std::vector<std::vector<Track>>& found, TrackLinker::Decided decided) {
    for (auto& frame : decided) found.push_back(std::move(frame));
}

using Place = std::tuple<float, float>;

// People who walk to and fro in lanes of their own, are not detected for a while now and then, and get another id there.
std::vector<std::vector<Track>> walkers(std::mt19937& random, std::size_t frames) {
    std::uniform_real_distribution<double> speed(20, 60), noise(-1, 1);
    std::vector<double> speeds;
    for (int i = 0; i < 6; ++i) speeds.push_back(speed(random));
    std::vector<std::int64_t> ids{1, 2, 3, 4, 5, 6};
    std::int64_t next_id = 7;
    std::vector<std::vector<Track>> result(frames);
    for (std::size_t f = 0; f < frames; ++f) {
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const double way = speeds[i] * static_cast<double>(f) * kFrameStep;
            const double x = 400 + 300 * std::sin(way / 300);
            if ((f + 17 * i) % 50 == 0) ids[i] = next_id++;
            if ((f + 17 * i) % 50 < 4) continue;
            result[f].push_back(walker_at(ids[i], x, 60 + 90.0 * static_cast<double>(i) + noise(random)));
        }
    }
    return result;
}

TEST(TrackLinker, ShortSourcesAreLinkedAsAWhole) {
    std::mt19937 random(static_cast<unsigned>(test::seed(11)));
    const auto tracks = walkers(random, 300);
    TrackLinker linker;
    std::vector<TimedTracks> whole;
    for (std::size_t f = 0; f < tracks.size(); ++f) {
        const double seconds = static_cast<double>(f) * kFrameStep;
        EXPECT_TRUE(linker.push(frame_at(seconds), tracks[f]).empty())
            << "nothing is decided before the tracks after it are known";
        whole.push_back({seconds, tracks[f]});
    }
    const auto expected = relink_tracks(whole);
    const auto found = linker.finish();
    ASSERT_EQ(found.size(), expected.size());
    std::map<std::int64_t, std::int64_t> ids;
    for (std::size_t f = 0; f < found.size(); ++f) {
        ASSERT_EQ(found[f].size(), expected[f].size());
        for (const Track& track : expected[f]) {
            const auto same = std::find_if(found[f].begin(), found[f].end(), [&](const Track& other) {
                return other.box.x == track.box.x && other.box.y == track.box.y;
            });
            ASSERT_NE(same, found[f].end());
            EXPECT_EQ(ids.try_emplace(track.id, same->id).first->second, same->id);
            EXPECT_EQ(same->age, track.age);
        }
    }
}

TEST(TrackLinker, TracksGoOnFromSectionToSection) {
    for (const std::uint64_t seed : {std::uint64_t{1}, test::seed(12)}) {
        SCOPED_TRACE(seed);
        std::mt19937 random(static_cast<unsigned>(seed));
        const auto tracks = walkers(random, 3000);  // five minutes
        TrackLinker linker;
        std::vector<std::vector<Track>> found;
        std::size_t most_waiting = 0;
        for (std::size_t f = 0; f < tracks.size(); ++f) {
            add(found, linker.push(frame_at(static_cast<double>(f) * kFrameStep), tracks[f]));
            most_waiting = std::max(most_waiting, f + 1 - found.size());
        }
        EXPECT_LE(most_waiting, 601U);
        add(found, linker.finish());
        ASSERT_EQ(found.size(), tracks.size());

        std::map<int, std::set<std::int64_t>> ids;  // by lane
        std::map<std::int64_t, std::size_t> first;
        for (std::size_t f = 0; f < found.size(); ++f) {
            std::set<Place> detected;
            std::set<std::int64_t> in_frame;
            for (const Track& track : found[f]) {
                EXPECT_TRUE(in_frame.insert(track.id).second) << f;
                EXPECT_EQ(track.age, static_cast<std::int32_t>(f - first.try_emplace(track.id, f).first->second));
                ids[static_cast<int>(track.box.y + 20 - 15) / 90].insert(track.id);
                if (track.state != TrackState::predicted) detected.emplace(track.box.x, track.box.y);
            }
            std::set<Place> given;
            for (const Track& track : tracks[f]) given.emplace(track.box.x, track.box.y);
            ASSERT_EQ(detected, given) << "no detection is lost or added in frame " << f;
        }
        ASSERT_EQ(ids.size(), 6U);
        for (const auto& [lane, all] : ids) EXPECT_EQ(all.size(), 1U) << lane;
        EXPECT_EQ(std::max_element(first.begin(), first.end())->first, 6);
    }
}

TEST(TrackLinker, ACutDecidesAllFramesBeforeAndIdsGoOn) {
    for (const char* cut : {"source", "size", "back", "pause"}) {
        SCOPED_TRACE(cut);
        TrackLinker linker;
        for (int f = 0; f < 20; ++f) {
            EXPECT_TRUE(linker.push(frame_at(f * kFrameStep), {walker_at(1, 100, 100)}).empty());
        }
        TrackerInput next = frame_at(20 * kFrameStep);
        if (cut == std::string_view("source")) next.source = "b";
        if (cut == std::string_view("size")) next.width = 400;
        if (cut == std::string_view("back")) next.seconds = 0;
        if (cut == std::string_view("pause")) next.seconds = 10;
        const auto before = linker.push(next, {walker_at(1, 100, 100)});
        ASSERT_EQ(before.size(), 20U);
        EXPECT_EQ(before.back().front().id, 1);
        EXPECT_EQ(before.back().front().age, 19);
        const auto after = linker.finish();
        ASSERT_EQ(after.size(), 1U);
        EXPECT_EQ(after.front().front().id, 2);
        EXPECT_EQ(after.front().front().age, 0);
    }
}

TEST(TrackLinker, TracksOfAShortSceneRemain) {
    TrackLinker linker;
    for (int f = 0; f < 15; ++f) {
        std::vector<Track> tracks;
        if (f % 5 != 0) tracks.push_back(walker_at(4, 100, 100));
        tracks.push_back(walker_at(9, 300, 100));
        tracks.back().confirmed = f > 2;
        EXPECT_TRUE(linker.push(frame_at(f * kFrameStep), tracks).empty());
    }
    const auto found = linker.finish();
    ASSERT_EQ(found.size(), 15U);
    for (std::size_t f = 0; f < found.size(); ++f) {
        ASSERT_EQ(found[f].size(), f % 5 == 0 ? 1U : 2U);
        EXPECT_EQ(found[f].front().id, 1) << "the first that was born";
        EXPECT_EQ(found[f].front().confirmed, f > 2);
    }
}

TEST(TrackLinker, TracksOfASceneOf16FramesAreLinked) {
    TrackLinker linker;
    for (int f = 0; f < 16; ++f) {
        EXPECT_TRUE(linker.push(frame_at(f * kFrameStep), {walker_at(f < 8 ? 4 : 9, 100, 100)}).empty());
    }
    const auto found = linker.finish();
    ASSERT_EQ(found.size(), 16U);
    for (const std::vector<Track>& tracks : found) {
        ASSERT_EQ(tracks.size(), 1U);
        EXPECT_EQ(tracks.front().id, 1);
    }
}

}  // namespace
}  // namespace throng
