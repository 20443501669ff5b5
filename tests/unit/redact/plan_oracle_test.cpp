// Compares the plan with the rules of plan.h in plain loops over all detections.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "core/redact/plan.h"
#include "tests/support/random.h"

namespace throng {
namespace {

// A box in double precision, by its sides.
struct Sides {
    double left, top, right, bottom;
    [[nodiscard]] double width() const { return right - left; }
    [[nodiscard]] double height() const { return bottom - top; }
};

struct Found {
    std::int64_t frame;
    Sides sides;  // widened
    float score;
};

struct PlainTrack {
    std::vector<Found> found;
    std::int64_t begin = 0, end = 0;  // frames of the scene
    double width = 0, height = 0;     // of its frames
};

struct PlainRegion {
    Sides sides;
    RegionReason reason;
    float score;
};

constexpr double kNearEdge = 0.2;        // of the size of the face
constexpr std::int64_t kLeadFrames = 8;  // then a region that is extended stands still, except at the edge

Sides mixed(const Sides& a, const Sides& b, double part) {
    const auto mix = [part](double from, double to) { return (1 - part) * from + part * to; };
    return {mix(a.left, b.left), mix(a.top, b.top), mix(a.right, b.right), mix(a.bottom, b.bottom)};
}

// The union of the boxes in the window around a detection, each moved to `frame` with the velocity of the regression line
// through their centers.
Sides plain_hull(const PlainTrack& track, const Found& center, std::int64_t frame, const PlanOptions& options) {
    std::vector<Found> near;
    for (const Found& each : track.found) {
        if (std::abs(each.frame - center.frame) <= options.window) near.push_back(each);
    }
    const auto slope = [&](const auto& value) {
        double n = 0, t = 0, v = 0, tt = 0, tv = 0;
        for (const Found& each : near) {
            const auto time = static_cast<double>(each.frame - center.frame);
            n += 1;
            t += time;
            v += value(each.sides);
            tt += time * time;
            tv += time * value(each.sides);
        }
        return n < 3 ? 0 : (n * tv - t * v) / (n * tt - t * t);
    };
    const double vx = slope([](const Sides& sides) { return (sides.left + sides.right) / 2; });
    const double vy = slope([](const Sides& sides) { return (sides.top + sides.bottom) / 2; });
    Sides result{HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (const Found& each : near) {
        const auto time = static_cast<double>(frame - each.frame);
        result.left = std::min(result.left, each.sides.left + vx * time);
        result.right = std::max(result.right, each.sides.right + vx * time);
        result.top = std::min(result.top, each.sides.top + vy * time);
        result.bottom = std::max(result.bottom, each.sides.bottom + vy * time);
    }
    return result;
}

// Extends a box that the edge cuts to the size that the face has around this detection.
Sides plain_beyond_edges(const PlainTrack& track, const Found& center, Sides box, const PlanOptions& options) {
    double w = box.width(), h = box.height();
    for (const Found& each : track.found) {
        if (std::abs(each.frame - center.frame) > options.edge_extension) continue;
        w = std::max(w, each.sides.width());
        h = std::max(h, each.sides.height());
    }
    const bool left = box.left < kNearEdge * w;
    const bool right = box.right > track.width - kNearEdge * w;
    const bool top = box.top < kNearEdge * h;
    const bool bottom = box.bottom > track.height - kNearEdge * h;
    if (!left && !right && !top && !bottom) return box;
    const double more_w = w - box.width(), more_h = h - box.height();
    box.left -= left == right ? more_w / 2 : left ? more_w : 0;
    box.top -= top == bottom ? more_h / 2 : top ? more_h : 0;
    box.right = box.left + w;
    box.bottom = box.top + h;
    return box;
}

std::optional<PlainRegion> plain_region(const PlainTrack& track, std::int64_t frame, const PlanOptions& options) {
    if (frame < track.begin || frame >= track.end) return std::nullopt;
    const Found* before = nullptr;  // or in this frame
    const Found* after = nullptr;
    for (const Found& each : track.found) {
        if (each.frame <= frame) before = &each;
        if (each.frame > frame && after == nullptr) after = &each;
    }
    const auto region = [&](const Found& nearest, RegionReason reason, const Sides& hull) {
        const Sides sides = plain_beyond_edges(track, nearest, hull, options);
        const double share =
            std::min(static_cast<double>(options.growth) * static_cast<double>(std::abs(frame - nearest.frame)),
                     static_cast<double>(options.max_growth));
        const double x = share * sides.width(), y = share * sides.height();
        return PlainRegion{{sides.left - x, sides.top - y, sides.right + x, sides.bottom + y}, reason, nearest.score};
    };
    if (before != nullptr && before->frame == frame) {
        return region(*before, RegionReason::detected, plain_hull(track, *before, frame, options));
    }
    const std::int64_t since = before != nullptr ? frame - before->frame : 0;
    const std::int64_t until = after != nullptr ? after->frame - frame : 0;
    if (before != nullptr && after != nullptr && since + until - 1 <= options.max_gap) {
        const double part = static_cast<double>(since) / static_cast<double>(since + until);
        return region(since <= until ? *before : *after, RegionReason::filled,
                      mixed(plain_hull(track, *before, before->frame, options),
                            plain_hull(track, *after, after->frame, options), part));
    }
    const auto extended = [&](const Found& from, std::int64_t distance, int direction) -> std::optional<PlainRegion> {
        if (static_cast<int>(track.found.size()) < options.min_extended) return std::nullopt;
        const Sides& box = from.sides;
        const double near_x = kNearEdge * box.width(), near_y = kNearEdge * box.height();
        const bool at_edge = box.left < near_x || box.top < near_y || box.right > track.width - near_x ||
                             box.bottom > track.height - near_y;
        const int limit = at_edge ? options.edge_extension : options.extension;
        if (distance > limit) return std::nullopt;
        const std::int64_t lead = limit == options.edge_extension ? distance : std::min(distance, kLeadFrames);
        return region(from, RegionReason::extended, plain_hull(track, from, from.frame + direction * lead, options));
    };
    // In a long gap, the face may be where it was, where it will be, or between.
    std::optional<PlainRegion> was, will_be;
    if (before != nullptr) was = extended(*before, since, 1);
    if (after != nullptr) will_be = extended(*after, until, -1);
    if (!was || !will_be) return was ? was : will_be;
    const Sides sides{std::min(was->sides.left, will_be->sides.left), std::min(was->sides.top, will_be->sides.top),
                      std::max(was->sides.right, will_be->sides.right),
                      std::max(was->sides.bottom, will_be->sides.bottom)};
    return PlainRegion{sides, RegionReason::extended, since <= until ? was->score : will_be->score};
}

PlanOptions random_options(std::mt19937_64& random) {
    const auto whole = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
    const auto real = [&](float from, float to) { return std::uniform_real_distribution(from, to)(random); };
    PlanOptions options;
    options.extension = whole(0, 14);
    options.edge_extension = whole(0, 25);
    options.min_extended = whole(1, 5);
    options.window = whole(0, 6);
    options.growth = real(0, 0.05F);
    options.max_growth = real(0, 0.3F);
    options.max_gap = whole(0, 20);
    options.min_aspect = whole(0, 1) == 0 ? 0 : real(0.5F, 1.2F);
    options.short_track = whole(1, 8);
    options.low_score = real(0, 1);
    options.long_gap = whole(1, 12);
    return options;
}

TEST(RedactPlanOracle, EveryRegionAndSummaryFollowsTheRules) {
    std::mt19937_64 random(test::seed(61));
    std::array<std::size_t, 3> reasons{};
    for (std::size_t round = test::case_count(40); round > 0; --round) {
        const PlanOptions options = random_options(random);
        RedactPlanner planner(320, 240, options);
        std::map<std::int64_t, PlainTrack> tracks;
        std::int64_t frames = 0;
        for (int scene = 0; scene < 2; ++scene) {
            const int width = scene == 0 ? 320 : 250, height = scene == 0 ? 240 : 400;
            if (scene > 0) planner.begin_scene(width, height);
            const std::int64_t begin = frames, end = frames + 70;
            std::vector<std::vector<FaceBox>> boxes(70);
            for (std::int64_t i = 0; i < 6; ++i) {
                const auto uniform = [&](float from, float to) {
                    return std::uniform_real_distribution(from, to)(random);
                };
                const float x = uniform(-10, static_cast<float>(width)), y = uniform(-10, static_cast<float>(height));
                const float vx = uniform(-4, 4), vy = uniform(-4, 4), w = uniform(8, 60), h = uniform(8, 60);
                const std::uint64_t density = 1 + random() % 12;
                const std::int64_t id = 10 * scene + (7 * i) % 6;
                const std::int64_t last = static_cast<std::int64_t>(random() % 90);
                for (std::int64_t f = static_cast<std::int64_t>(random() % 40); f < std::min<std::int64_t>(70, last);
                     ++f) {
                    if (random() % density != 0) continue;
                    const auto t = static_cast<float>(f);
                    const Box box{x + vx * t + uniform(-2, 2), y + vy * t + uniform(-2, 2), w + uniform(-3, 3),
                                  h + uniform(-3, 3)};
                    const auto score = static_cast<float>(random() % 100) / 100;
                    boxes[static_cast<std::size_t>(f)].push_back({id, box, score, true});
                    const double left = static_cast<double>(box.x), top = static_cast<double>(box.y);
                    const double box_w = static_cast<double>(box.w), box_h = static_cast<double>(box.h);
                    const double wide = std::max(box_w, static_cast<double>(options.min_aspect) * box_h);
                    PlainTrack& track = tracks[id];
                    track.begin = begin;
                    track.end = end;
                    track.width = width;
                    track.height = height;
                    const double middle = left + box_w / 2;
                    track.found.push_back({begin + f, {middle - wide / 2, top, middle + wide / 2, top + box_h}, score});
                }
            }
            for (const std::vector<FaceBox>& each : boxes) planner.push(each);
            frames = end;
        }
        planner.finish();
        std::map<std::int64_t, TrackSummary> summaries;
        for (std::int64_t frame = 0; frame < frames; ++frame) {
            SCOPED_TRACE(frame);
            const std::optional<FramePlan> plan = planner.pop();
            ASSERT_TRUE(plan.has_value());
            EXPECT_EQ(plan->number, frame);
            auto region = plan->regions.begin();
            for (const auto& [id, track] : tracks) {
                const std::optional<PlainRegion> expected = plain_region(track, frame, options);
                if (!expected) continue;
                ++reasons.at(static_cast<std::size_t>(expected->reason));
                TrackSummary& summary = summaries[id];
                if (expected->reason == RegionReason::filled) ++summary.num_filled;
                if (expected->reason == RegionReason::extended) ++summary.num_extended;
                ASSERT_NE(region, plan->regions.end());
                ASSERT_EQ(region->track, id);
                EXPECT_EQ(region->reason, expected->reason);
                EXPECT_EQ(region->score, expected->score);
                EXPECT_NEAR(region->box.x, expected->sides.left, 0.02);
                EXPECT_NEAR(region->box.y, expected->sides.top, 0.02);
                EXPECT_NEAR(region->box.x + region->box.w, expected->sides.right, 0.02);
                EXPECT_NEAR(region->box.y + region->box.h, expected->sides.bottom, 0.02);
                ++region;
            }
            EXPECT_EQ(region, plan->regions.end());
        }
        const std::vector<TrackSummary> found = planner.tracks();
        ASSERT_EQ(found.size(), tracks.size());
        for (const TrackSummary& summary : found) {
            SCOPED_TRACE(summary.track);
            const std::vector<Found>& all = tracks.at(summary.track).found;
            const auto best = std::max_element(all.begin(), all.end(),
                                               [](const Found& a, const Found& b) { return a.score < b.score; });
            std::int64_t longest = 0;
            for (std::size_t i = 1; i < all.size(); ++i) {
                const std::int64_t gap = all[i].frame - all[i - 1].frame - 1;
                if (gap <= options.max_gap) longest = std::max(longest, gap);
            }
            EXPECT_EQ(summary.first, all.front().frame);
            EXPECT_EQ(summary.last, all.back().frame);
            EXPECT_EQ(summary.num_detected, static_cast<std::int64_t>(all.size()));
            EXPECT_EQ(summary.num_filled, summaries[summary.track].num_filled);
            EXPECT_EQ(summary.num_extended, summaries[summary.track].num_extended);
            EXPECT_EQ(summary.longest_gap, longest);
            EXPECT_EQ(summary.best_score, best->score);
            EXPECT_EQ(summary.best_frame, best->frame);
            EXPECT_EQ(summary.is_short, static_cast<int>(all.size()) <= options.short_track);
            EXPECT_EQ(summary.has_low_score, best->score < options.low_score);
            EXPECT_EQ(summary.has_long_gap, longest >= options.long_gap);
        }
    }
    for (const std::size_t count : reasons) EXPECT_GT(count, 0U);
}

}  // namespace
}  // namespace throng
