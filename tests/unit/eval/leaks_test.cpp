#include "core/eval/leaks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "tests/support/random.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

constexpr int kSize = 200;

TruthFace seen_face(float x, float y, float size, float visible = 1) {
    TruthFace result;
    result.box = {x, y, size, size};
    result.visible = visible;
    return result;
}

LeakResult measure(const std::vector<TruthFace>& truth, const RedactRegions& regions, float margin = 0.3F) {
    LeakMeter meter;
    meter.add(kSize, kSize, truth, regions, {RedactStyle::blur, margin});
    return meter.result();
}

TEST(Leaks, AFaceLeaksUnlessItsBoxIsHidden) {
    const std::vector<TruthFace> truth = {seen_face(80, 80, 40)};
    EXPECT_EQ(measure(truth, {}).leaks, 1);
    EXPECT_EQ(measure(truth, {{{80, 80, 40, 40}}, false}).leaks, 0);
    EXPECT_EQ(measure(truth, {{{100, 80, 40, 40}}, false}).leaks, 1) << "half of the face";
    EXPECT_EQ(measure(truth, {{{80, 80, 40, 40}}, false}, 0).leaks, 1) << "the ellipse leaves the corners";
    EXPECT_EQ(measure(truth, {{}, true}).leaks, 0);
}

TEST(Leaks, SmallAndCoveredFacesAreNotCounted) {
    EXPECT_EQ(measure({seen_face(80, 80, 19), seen_face(20, 20, 40, 0.4F)}, {}).face_frames, 0);
    EXPECT_EQ(measure({seen_face(80, 80, 20), seen_face(20, 20, 40, 0.5F)}, {}).leaks, 2);
}

TEST(Leaks, AFaceAtTheEdgeCountsByItsPartInTheFrame) {
    const std::vector<TruthFace> truth = {seen_face(-20, 80, 60, 0.66F)};
    EXPECT_EQ(measure(truth, {{{-20, 80, 60, 60}}, false}).leaks, 0);
    EXPECT_EQ(measure(truth, {{{-60, 80, 60, 60}}, false}).leaks, 1);
}

TEST(Leaks, CountsWhatIsHiddenBesideFaces) {
    const LeakResult none = measure({seen_face(80, 80, 40)}, {{{80, 80, 40, 40}}, false});
    EXPECT_EQ(none.extra_area, 0) << "the region lies within the box grown by the margin";
    const LeakResult other = measure({seen_face(80, 80, 40)}, {{{10, 10, 20, 20}}, false}, 0);
    EXPECT_NEAR(other.extra_area, 3.14159 * 10 * 10 / (kSize * kSize), 0.0005);
    EXPECT_NEAR(measure({}, {{}, true}).extra_area, 1, 1e-9);
    EXPECT_EQ(measure({}, {{}, true}).whole_frames, 1);
}

TEST(Leaks, SumsByTheSizeOfTheFace) {
    LeakResult sum = measure({seen_face(80, 80, 22), seen_face(20, 20, 90)}, {});
    sum += measure({seen_face(80, 80, 22)}, {});
    EXPECT_EQ(sum.face_frames, 3);
    EXPECT_EQ(sum.bins[0].leaks, 2);
    std::int64_t faces = 0;
    for (const LeakBin& bin : sum.bins) {
        faces += bin.face_frames;
    }
    EXPECT_EQ(faces, 3);
    EXPECT_NEAR(*sum.per_10000(), 10000, 1e-6);
    EXPECT_FALSE(LeakResult().per_10000().has_value());
}

// A face that the detector misses in 10 of 40 frames: single frames leak, the plan does not.
TEST(Leaks, ThePlanHidesWhatSingleFramesMiss) {
    std::vector<TruthLabels> truth;
    std::vector<DetectionLabels> detections;
    for (std::int64_t i = 0; i < 40; ++i) {
        const float x = 30 + 2 * static_cast<float>(i);
        TruthLabels faces{"clip", i, {seen_face(x, 80, 40)}};
        DetectionLabels found{"clip", i, {}};
        if (i < 15 || i >= 25) found.entries.push_back({{x, 80, 40, 40}, 0.9, 20});
        found.width = found.height = kSize;
        found.pts = static_cast<double>(i) / 30;
        truth.push_back(faces);
        detections.push_back(found);
    }
    LeakComparison comparison;
    comparison.hiding = hiding_params(DetectorId::cnn);
    for (const int delay : {8, PlanOptions::kWholeSequence}) {
        comparison.hiding.plan.delay = delay;
        const LeakEvaluation result = evaluate_leaks(truth, detections, comparison);
        EXPECT_EQ(result.single.leaks, 10);
        EXPECT_EQ(result.planned.leaks, 0);
        EXPECT_EQ(result.planned.face_frames, 40);
    }
    comparison.shown_score = 0.95;
    EXPECT_EQ(evaluate_leaks(truth, detections, comparison).single.leaks, 40);
    EXPECT_EQ(evaluate_leaks(truth, detections, comparison).planned.leaks, 0) << "candidates are hidden, too";

    // A second video adds its faces; the plan does not continue from one to the other.
    std::vector<TruthLabels> two_truth = truth;
    std::vector<DetectionLabels> two_found = detections;
    for (TruthLabels labels : truth) {
        labels.source = "b/other.mp4";
        two_truth.push_back(labels);
    }
    for (DetectionLabels labels : detections) {
        labels.source = "c/other.mp4";
        two_found.push_back(labels);
    }
    const LeakEvaluation both = evaluate_leaks(two_truth, two_found, comparison);
    EXPECT_EQ(both.planned.face_frames, 80);
    EXPECT_EQ(both.single.leaks, 80);
    EXPECT_EQ(both.planned.leaks, 0);
    EXPECT_THROW(static_cast<void>(evaluate_leaks(two_truth, detections, comparison)), Error);
    EXPECT_THROW(static_cast<void>(evaluate_leaks(truth, two_found, comparison)), Error);

    std::vector<DetectionLabels> broken = detections;
    broken[3].source = "other";
    EXPECT_THROW(static_cast<void>(evaluate_leaks(truth, broken, comparison)), Error);
    broken = detections;
    broken[3].frame = 2;
    EXPECT_THROW(static_cast<void>(evaluate_leaks(truth, broken, comparison)), Error);
    broken = detections;
    broken[0].width = 0;
    EXPECT_THROW(static_cast<void>(evaluate_leaks(truth, broken, comparison)), Error);
    EXPECT_THROW(static_cast<void>(evaluate_leaks(truth, {}, comparison)), Error);
}

// The lines say which pixels are replaced: checked with the equation of an ellipse.
TEST(Leaks, LinesOfRegionsDescribeWhatIsDrawn) {
    std::mt19937_64 random(test::seed(20231));
    const auto number = [&](int from, int to) {
        return static_cast<float>(std::uniform_int_distribution<int>(8 * from, 8 * to)(random)) / 8;
    };
    const test::ScratchDir dir;
    const std::string path = (dir.path() / "regions.jsonl").string();
    std::vector<RedactRegions> all(20);
    std::ofstream file(path);
    const RedactOptions options{RedactStyle::blur, 0.3F};
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (int faces = 0; faces < 3; ++faces) {
            all[i].boxes.push_back({number(-30, kSize), number(-30, kSize), number(1, 60), number(1, 60)});
        }
        all[i].whole = i == 7;
        RegionLabels labels;
        labels.source = "clip \"a\".mp4";
        labels.frame = static_cast<std::int64_t>(i);
        labels.width = labels.height = kSize;
        labels.pts = static_cast<double>(i) / 25;
        file << region_line(labels, all[i], options);
    }
    file.close();
    EXPECT_TRUE(has_region_lines(path));
    const std::vector<RegionLabels> lines = read_region_lines(path);
    ASSERT_EQ(lines.size(), all.size());
    std::vector<std::uint8_t> drawn;
    std::vector<std::uint8_t> again;
    for (std::size_t i = 0; i < all.size(); ++i) {
        SCOPED_TRACE(i);
        draw_redaction_mask(kSize, kSize, all[i], options, drawn);
        draw_redaction_mask(kSize, kSize, regions_of(lines[i]), {RedactStyle::blur, 0}, again);
        EXPECT_EQ(drawn, again);
        EXPECT_EQ(lines[i].whole, i == 7);
        int wrong = 0;
        for (int y = 0; y < kSize; ++y) {
            for (int x = 0; x < kSize; ++x) {
                double nearest = lines[i].whole ? 0 : 9;  // squared distance from a center, in semi-axes
                for (const Box& core : lines[i].entries) {
                    const double w = core.w, h = core.h;
                    const double across = (x + 0.5 - static_cast<double>(core.x) - w / 2) / (w / 2);
                    const double down = (y + 0.5 - static_cast<double>(core.y) - h / 2) / (h / 2);
                    nearest = std::min(nearest, across * across + down * down);
                }
                const bool opaque = drawn[static_cast<std::size_t>(y * kSize + x)] == 255;
                wrong += opaque != (nearest <= 1) && std::abs(nearest - 1) > 1e-3 ? 1 : 0;
            }
        }
        EXPECT_EQ(wrong, 0);
    }
}

TEST(Leaks, RegionsOfEveryFrameAreNeeded) {
    std::vector<TruthLabels> truth;
    std::vector<RegionLabels> regions;
    for (std::int64_t i = 0; i < 3; ++i) {
        truth.push_back({"clip.mp4", i, {seen_face(80, 80, 40)}});
        RegionLabels hidden;
        hidden.source = "in/clip.mp4";
        hidden.frame = i;
        hidden.width = hidden.height = kSize;
        hidden.whole = i == 1;
        if (i == 2) hidden.entries = {{68, 68, 64, 64}};
        regions.push_back(hidden);
    }
    LeakOptions options;
    options.margin = 0.3F;
    const LeakResult result = evaluate_regions(truth, regions, options);
    EXPECT_EQ(result.face_frames, 3);
    EXPECT_EQ(result.leaks, 1) << "nothing is hidden in the first frame";
    EXPECT_EQ(result.whole_frames, 1);
    for (const int width : {kSize, kSize - 1, kSize - 2}) {  // an encoder may round an odd size up
        for (TruthLabels& labels : truth) labels.width = labels.height = width;
        const auto evaluate = [&] { static_cast<void>(evaluate_regions(truth, regions, options)); };
        if (width < kSize - 1) {
            EXPECT_THROW(evaluate(), Error);
        } else {
            EXPECT_NO_THROW(evaluate());
        }
    }
    for (TruthLabels& labels : truth) labels.width = 0;
    regions.pop_back();
    EXPECT_THROW(static_cast<void>(evaluate_regions(truth, regions, options)), Error);
    EXPECT_THROW(static_cast<void>(evaluate_regions(truth, {}, options)), Error);
}

}  // namespace
}  // namespace throng
