// Properties that tracks and links have in every crowd.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "core/track/relink.h"
#include "core/track/tracker.h"
#include "tests/support/random.h"

namespace throng {
namespace {

constexpr double kSeconds = 1.0 / 30;

// A size of the frame, and the detections of each frame.
struct Scene {
    int width = 0, height = 0;
    std::vector<std::vector<Detection>> kept, candidates;
};

// Faces that walk, stand and cross, that the left and right edge cut, that others cover, and that are missed. All
// coordinates are multiples of 1/8 pixel, so that the transformations below are exact.
Scene random_scene(std::mt19937_64& random) {
    constexpr int kFrames = 90;
    Scene scene{512, 256, std::vector<std::vector<Detection>>(kFrames), std::vector<std::vector<Detection>>(kFrames)};
    const auto uniform = [&](double from, double to) { return std::uniform_real_distribution(from, to)(random); };
    for (int i = 0; i < 10; ++i) {
        const double w = uniform(16, 40);
        const double h = w * uniform(1, 1.4);
        const double vx = i % 3 == 0 ? 0 : uniform(-90, 90);
        const double vy = uniform(-12, 12);
        const double x = uniform(0, 512), y = uniform(40, 216);
        int missed = 0;
        for (std::size_t f = 0; f < kFrames; ++f) {
            if (missed == 0 && random() % 25 == 0) missed = 1 + static_cast<int>(random() % 12);
            if (missed > 0 && missed-- > 0) continue;
            const double t = static_cast<double>(f) * kSeconds;
            double left = x + vx * t - w / 2 + uniform(-0.5, 0.5);
            double right = left + w + uniform(-0.5, 0.5);
            if (random() % 20 == 0) right -= w / 3;  // somebody covers a side
            left = std::max(left, 0.0);
            right = std::min(right, 512.0);
            if (right - left < w / 4) continue;
            const double top = y + vy * t - h / 2 + uniform(-0.5, 0.5);
            const auto exact = [](double value) { return static_cast<float>(std::round(value * 8) / 8); };
            const Box box{exact(left), exact(top), exact(right - left), exact(h + uniform(-0.5, 0.5))};
            const bool weak = random() % 10 == 0;
            const auto hits = static_cast<std::int32_t>(weak ? 1 : 3 + random() % 5);
            auto& list = (weak && random() % 2 == 0 ? scene.candidates : scene.kept)[f];
            list.push_back({box, static_cast<float>(random() % 8) / 8, hits, 0});
        }
    }
    return scene;
}

struct Result {
    std::vector<std::vector<Track>> tracks, linked;
};

// With still_camera, the motion of the camera is not estimated from the boxes. That of a mirrored scene differs, because the
// median of an even number is one of the two in the middle, and so does that of a tiny one, because it has cells of 2 pixels.
Result track_and_link(const Scene& scene, bool still_camera) {
    TrackerParams params = tracker_params(DetectorId::cnn);
    params.confident_hits = 3;
    Tracker tracker(params);
    Result result;
    std::vector<TimedTracks> frames;
    for (std::size_t f = 0; f < scene.kept.size(); ++f) {
        TrackerInput input;
        input.kept = scene.kept[f];
        input.candidates = scene.candidates[f];
        input.width = scene.width;
        input.height = scene.height;
        input.seconds = static_cast<double>(f) * kSeconds;
        if (still_camera) input.camera_motion = TrackerInput::Shift{0, 0};
        result.tracks.push_back(tracker.update(input));
        frames.push_back({input.seconds, result.tracks.back(), scene.width});
    }
    result.linked = relink_tracks(frames);
    return result;
}

void expect_equal(const std::vector<std::vector<Track>>& expected, const std::vector<std::vector<Track>>& found,
                  const std::function<Box(const Box&)>& moved, double scale_x, double scale_y) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t f = 0; f < found.size(); ++f) {
        SCOPED_TRACE(f);
        ASSERT_EQ(found[f].size(), expected[f].size());
        for (std::size_t i = 0; i < found[f].size(); ++i) {
            const Track& a = expected[f][i];
            const Track& b = found[f][i];
            const auto near = [scale = std::abs(scale_x)](const Box& x, const Box& y) {
                const double tolerance = 2e-3 * scale;
                EXPECT_NEAR(x.x, y.x, tolerance);
                EXPECT_NEAR(x.y, y.y, tolerance);
                EXPECT_NEAR(x.w, y.w, tolerance);
                EXPECT_NEAR(x.h, y.h, tolerance);
            };
            near(moved(a.box), b.box);
            near(moved(a.smoothed), b.smoothed);
            if (a.whole.w > 0 || b.whole.w > 0) near(moved(a.whole), b.whole);
            EXPECT_NEAR(scale_x * static_cast<double>(a.vx), b.vx, 2e-2 * std::abs(scale_x));
            EXPECT_NEAR(scale_y * static_cast<double>(a.vy), b.vy, 2e-2 * std::abs(scale_y));
            ASSERT_EQ(std::tie(a.id, a.state, a.confirmed, a.covered, a.age, a.gap, a.detection, a.hits, a.score),
                      std::tie(b.id, b.state, b.confirmed, b.covered, b.age, b.gap, b.detection, b.hits, b.score));
        }
    }
}

// The mirrored scene has the mirrored tracks, and that of another resolution has those of its resolution.
TEST(TrackSymmetry, MirroredAndScaledScenesHaveTheSameTracks) {
    std::mt19937_64 random(test::seed(52));
    std::set<TrackState> states;
    std::size_t covered = 0;
    std::size_t cut = 0;
    for (std::size_t round = std::min<std::size_t>(test::case_count(6), 6); round > 0; --round) {
        const Scene scene = random_scene(random);
        const auto check = [&](const std::function<Box(const Box&)>& moved, double scale_x, double scale_y) {
            Scene other = scene;
            other.width = static_cast<int>(scene.width * std::abs(scale_x));
            other.height = static_cast<int>(scene.height * std::abs(scale_y));
            for (auto* lists : {&other.kept, &other.candidates}) {
                for (auto& list : *lists) {
                    for (Detection& detection : list) detection.box = moved(detection.box);
                }
            }
            const bool still_camera = scale_x < 1 || scale_y < 1;
            const Result expected = track_and_link(scene, still_camera);
            const Result found = track_and_link(other, still_camera);
            expect_equal(expected.tracks, found.tracks, moved, scale_x, scale_y);
            expect_equal(expected.linked, found.linked, moved, scale_x, scale_y);
            for (const auto& frame : expected.tracks) {
                for (const Track& track : frame) {
                    states.insert(track.state);
                    covered += track.covered ? 1 : 0;
                }
            }
            for (const auto& frame : expected.linked) {
                for (const Track& track : frame) cut += track.whole.w > 0 ? 1 : 0;
            }
        };
        check([](const Box& box) { return Box{512 - box.x - box.w, box.y, box.w, box.h}; }, -1, 1);
        check([](const Box& box) { return Box{box.x, 256 - box.y - box.h, box.w, box.h}; }, 1, -1);
        for (const float scale : {1 / 32.0F, 8.0F}) {
            const auto scaled = [scale](const Box& box) {
                return Box{scale * box.x, scale * box.y, scale * box.w, scale * box.h};
            };
            check(scaled, static_cast<double>(scale), static_cast<double>(scale));
        }
    }
    EXPECT_EQ(states.size(), 3U);
    EXPECT_GT(covered, 0U);
    EXPECT_GT(cut, 0U);
}

}  // namespace
}  // namespace throng
