// The cascade heat map against the detector: both visit the same windows and accept the same ones.
#include <gtest/gtest.h>

#include <random>

#include "core/base/error.h"
#include "core/cpu/cascade_detector.h"
#include "core/cpu/stage_map.h"
#include "core/detect/null_recorder.h"
#include "tests/support/random.h"
#include "tests/unit/cascade/reference.h"

namespace throng::test {
namespace {

struct Accepted {
    std::vector<ScoredBox> boxes;
    std::int64_t visited = 0;
};

Accepted accepted_by_detector(const CascadeModel& model, const Frame& frame, const DetectorParams& params) {
    DetectionBuffer raw = make_host_buffer(100000);
    NullRecorder recorder;
    CascadeDetector detector(model, params);
    detector.enqueue(frame, raw, recorder);
    Accepted found{{}, detector.counts().visited};
    for (std::uint32_t i = 0; i < raw.span().count->total; ++i) {
        found.boxes.push_back({raw.span().boxes[i], raw.span().scores[i]});
    }
    return found;
}

TEST(StageMap, AcceptsTheWindowsOfTheDetector) {
    ThreadPool pool(1);
    const std::uint64_t chosen = seed(41);
    std::mt19937_64 random(chosen);
    std::size_t total = 0;
    for (int trial = 0; trial < 12; ++trial) {
        const CascadeKind kind = trial % 3 == 0 ? CascadeKind::lbp : CascadeKind::haar;
        const CascadeModel model = random_cascade(random, kind, 20, 18, 3, trial % 3 == 1);
        const GrayImage image =
            random_image(random, 20 + static_cast<int>(random() % 90), 18 + static_cast<int>(random() % 120));
        const Frame frame = frame_of(image);
        DetectorParams params;
        params.min_size = 1 + static_cast<int>(random() % 25);
        params.scale_factor = 1.3;
        params.threads = 1;
        const Accepted expected = accepted_by_detector(model, frame, params);
        total += expected.boxes.size();

        // In the same order and with equal scores.
        std::vector<ScoredBox> boxes;
        std::int64_t visited = 0;
        const auto levels = levels_of(model, image.width, image.height, params);
        EXPECT_TRUE(visit_windows(
            model, frame, levels, kAllLevels, pool, [&](int, const auto& level, int i, int j, auto result) {
                ++visited;
                if (result.stages_passed < static_cast<int>(model.stages.size())) return;
                boxes.push_back({window_box(level, i, j, image.width, image.height), result.score});
            }));
        EXPECT_EQ(boxes, expected.boxes) << "trial " << trial << ", seed " << chosen;
        EXPECT_EQ(visited, expected.visited) << "trial " << trial << ", seed " << chosen;

        const StageMap all = compute_stage_map(model, frame, params, kAllLevels, pool).value();
        EXPECT_EQ(all.accepted, static_cast<std::int64_t>(expected.boxes.size()));
        EXPECT_EQ(all.visited, expected.visited);
        ASSERT_EQ(all.columns, (image.width + 3) / 4);
        ASSERT_EQ(all.rows, (image.height + 3) / 4);
        for (const ScoredBox& box : expected.boxes) {
            const Box& b = box.box;
            EXPECT_EQ(all.at(static_cast<int>(b.x + b.w / 2) / 4, static_cast<int>(b.y + b.h / 2) / 4), all.stage_count)
                << "a detection's center, trial " << trial << ", seed " << chosen;
        }
        // The map of all levels is the largest of those of each level.
        std::vector<std::uint16_t> largest(all.stages.size(), 0);
        std::int64_t accepted = 0;
        for (int level = 0; level < static_cast<int>(levels.size()); ++level) {
            const StageMap one = compute_stage_map(model, frame, params, level, pool).value();
            EXPECT_EQ(one.level, level);
            accepted += one.accepted;
            for (std::size_t k = 0; k < largest.size(); ++k) largest[k] = std::max(largest[k], one.stages[k]);
        }
        EXPECT_EQ(largest, all.stages) << "trial " << trial << ", seed " << chosen;
        EXPECT_EQ(accepted, all.accepted);
    }
    EXPECT_GT(total, 100U) << "too few accepted windows to compare";
}

TEST(StageMap, CoversOnlyTheCentersOfWindows) {
    ThreadPool pool(1);
    std::mt19937_64 random(seed(42));
    const CascadeModel model = random_cascade(random, CascadeKind::lbp, 20, 20, 1, false);
    DetectorParams params;
    params.min_size = 1;
    params.max_size = 20;  // one level: centers from 10 to 70
    const StageMap map = compute_stage_map(model, frame_of(random_image(random, 80, 80)), params, 99, pool).value();
    ASSERT_EQ(map.levels.size(), 1U);
    EXPECT_EQ(map.level, 0) << "one past the last is the last";
    bool any = false;
    for (int y = 0; y < map.rows; ++y) {
        for (int x = 0; x < map.columns; ++x) {
            const bool inside = x >= 2 && x <= 17 && y >= 2 && y <= 17;
            any |= map.at(x, y) > 0;
            EXPECT_TRUE(inside || map.at(x, y) == 0) << x << " " << y;
        }
    }
    EXPECT_TRUE(any);
}

TEST(StageMap, TheNumberOfThreadsDoesNotChangeIt) {
    const std::uint64_t chosen = seed(44);
    std::mt19937_64 random(chosen);
    ThreadPool one(1), two(2), five(5);
    for (int trial = 0; trial < 4; ++trial) {
        const CascadeKind kind = trial % 2 == 0 ? CascadeKind::haar : CascadeKind::lbp;
        const CascadeModel model = random_cascade(random, kind, 20, 20, 3, trial == 2);
        const Frame frame = frame_of(random_image(random, 150, 230 + static_cast<int>(random() % 50)));
        DetectorParams params;
        params.min_size = 20;
        const StageMap expected = compute_stage_map(model, frame, params, kAllLevels, one).value();
        EXPECT_GT(expected.visited, 1000);
        for (ThreadPool* pool : {&two, &five}) {
            const StageMap map = compute_stage_map(model, frame, params, kAllLevels, *pool).value();
            EXPECT_EQ(map.stages, expected.stages)
                << pool->size() << " threads, trial " << trial << ", seed " << chosen;
            EXPECT_EQ(map.visited, expected.visited);
            EXPECT_EQ(map.accepted, expected.accepted);
        }
    }
}

TEST(StageMap, AcceptsSmallFramesAndStops) {
    ThreadPool pool(2);
    std::mt19937_64 random(seed(43));
    const CascadeModel model = random_cascade(random, CascadeKind::haar, 20, 20, 2, false);
    const StageMap none = compute_stage_map(model, frame_of(random_image(random, 19, 50)), {}, 3, pool).value();
    EXPECT_TRUE(none.levels.empty());
    EXPECT_EQ(none.level, kAllLevels);
    EXPECT_EQ(none.visited, 0);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(
        compute_stage_map(model, frame_of(random_image(random, 60, 60)), {}, kAllLevels, pool, stop.get_token()));
}

}  // namespace
}  // namespace throng::test
