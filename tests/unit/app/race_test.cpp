// Tests the contestants of the window's race on random detections and on a drawn crowd.
#include "app/lab/race.h"

#include <gtest/gtest.h>
#include <random>

#include "core/synth/crowd.h"
#include "tests/support/random.h"

namespace throng {
namespace {

using Rows = std::vector<ui::RaceRow>;

ui::RaceInput random_input(int count, NmsRule rule) {
    std::mt19937_64 random(test::seed(11));
    std::uniform_real_distribution<float> position(0, 500), size(20, 80), score(0.5F, 9);
    ui::RaceInput input;
    for (int i = 0; i < count; ++i) {
        const float side = size(random);
        input.raw.detections.push_back({{position(random), position(random), side, side}, score(random), 1, -1});
    }
    input.raw.total = static_cast<std::uint32_t>(count);
    input.settings.nms.rule = rule;
    input.settings.nms.min_hits = 3;  // the race ignores it
    return input;
}

Rows race(const ui::RaceInput& input) {
    CommonOptions common;
    common.backend = BackendKind::cpu;
    Rows rows;
    race_suppression(common, input, [&](const ui::RaceRow& row) { rows.push_back(row); }, {});
    return rows;
}

TEST(Race, ContestantsOfOneRuleKeepTheSameBoxes) {
    for (const NmsRule rule : {NmsRule::greedy, NmsRule::one_pass}) {
        const Rows rows = race(random_input(400, rule));
        ASSERT_EQ(rows.size(), 4U);
        EXPECT_TRUE(rows[0].reference);
        EXPECT_GT(rows[0].ms, 0);
        EXPECT_TRUE(rows[0].note.text().starts_with("same")) << rows[0].note;
        EXPECT_GT(rows[1].ms, 0);
        EXPECT_EQ(rows[1].note, rows[0].note);
        if (rule == NmsRule::greedy) {
            EXPECT_EQ(rows[2].note, rows[0].note) << "without ties and on the IoU, OpenCV keeps the same boxes";
        } else {
            EXPECT_FALSE(rows[2].unavailable_reason.empty());
        }
        EXPECT_TRUE(rows[3].unavailable_reason.text().starts_with("need a GPU")) << rows[3].unavailable_reason;
    }
}

TEST(Race, SaysWhereOpenCvDiffers) {
    ui::RaceInput input = random_input(400, NmsRule::greedy);
    input.settings.nms.overlap = Overlap::min;
    const Rows rows = race(input);
    EXPECT_EQ(rows[1].note, rows[0].note);
    EXPECT_NE(rows[2].note.text().find("in common"), std::string::npos) << rows[2].note;
    EXPECT_NE(rows[2].note.text().find("always uses the IoU"), std::string::npos);
}

TEST(Race, HasReasonsForSoftRulesAndAcceptsNoDetections) {
    const Rows soft = race(random_input(50, NmsRule::soft_linear));
    EXPECT_GT(soft[0].ms, 0);
    EXPECT_FALSE(soft[1].unavailable_reason.empty());
    EXPECT_FALSE(soft[2].unavailable_reason.empty());
    const Rows none = race(random_input(0, NmsRule::greedy));
    EXPECT_EQ(none[0].note, "same 0 boxes");
}

TEST(Race, DetectorHasTheSameDetectionsOnOneThread) {
    ui::RaceInput input;
    CrowdOptions crowd;
    crowd.width = 320;
    crowd.height = 240;
    input.frame = Crowd(crowd).frame(0);
    CommonOptions common;
    common.backend = BackendKind::cpu;
    Rows rows;
    race_detector(common, input, [&](const ui::RaceRow& row) { rows.push_back(row); }, {});
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_GT(rows[0].ms, 0);
    EXPECT_TRUE(rows[0].note.text().starts_with("same"));
    EXPECT_EQ(rows[1].note, rows[0].note);
    EXPECT_FALSE(rows[2].unavailable_reason.empty()) << "no switches on the CPU";
    std::stop_source stop;
    stop.request_stop();
    rows.clear();
    race_detector(
        common, input, [&](const ui::RaceRow& row) { rows.push_back(row); }, stop.get_token());
    EXPECT_EQ(rows.size(), 1U) << "ends with the current bar";
}

}  // namespace
}  // namespace throng
