#include "core/redact/lookahead.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "core/redact/hiding.h"
#include "core/redact/video_plan.h"
#include "tests/support/random.h"
#include "tests/support/sanitized.h"

namespace throng {
namespace {

constexpr double kFps = 15;

// A lookahead and the detections of the frame that is pushed into it.
template <class Stage>
class Feed {
public:
    explicit Feed(Stage& stage) : stage_(stage) {}

    // Pushes the next frame of 640x480. A face stays at a place; its confidence is the same in all frames.
    void push(const std::vector<Box>& faces) {
        std::vector<Detection> kept;
        for (const Box& face : faces) kept.push_back({face, 1, 20, -1});
        LookaheadInput input;
        input.kept = kept;
        input.source = source;
        input.width = width;
        input.height = 480;
        input.seconds = static_cast<double>(frame++) / kFps;
        stage_.push(std::move(input));
    }

    std::int64_t frame = 0;
    const char* source = "a";
    int width = 640;

private:
    Stage& stage_;
};

LookaheadParams live(int delay) {
    HidingParams params = hiding_params(DetectorId::cnn);
    params.plan.delay = delay;
    return lookahead_params(params);
}

HidingParams whole_video() {
    HidingParams params = hiding_params(DetectorId::cnn);
    params.plan.delay = PlanOptions::kWholeSequence;
    return params;
}

// A face that stays; beside it, another one for 100 frames in every 150.
std::vector<Box> faces_at(std::int64_t frame) {
    std::vector<Box> faces{{300, 200, 60, 60}};
    if (frame % 150 < 100) faces.push_back({100, 300, 50, 50});
    return faces;
}

// What is kept must not grow with the time that a source runs: neither with frames nor with a face that stays.
TEST(Lookahead, KeepsNoMoreAfterAnHourThanAfterMinutes) {
    const TrackerParams tracker = tracker_params(DetectorId::cnn);
    for (const LookaheadParams& params : {LookaheadParams{.tracker = tracker}, live(8), live(24),
                                          LookaheadParams{.tracker = tracker, .linked = true}}) {
        Lookahead lookahead(params);
        Feed feed(lookahead);
        std::size_t decided = 0, most_early = 0, most = 0;
        constexpr std::int64_t kEarly = 6000, kFrames = test::kSanitized ? 20'000 : 60'000;
        while (feed.frame < kFrames) {
            feed.push(faces_at(feed.frame));
            while (lookahead.pop()) ++decided;
            most = std::max(most, lookahead.num_kept());
            if (feed.frame == kEarly) most_early = most;
        }
        // Sections of a minute may differ by a frame: times are rounded.
        EXPECT_LE(most, most_early + 1) << "delay " << (params.plan ? params.plan->delay : 0);
        EXPECT_LE(most, params.linked ? 1000U : 200U);
        lookahead.finish();
        while (lookahead.pop()) ++decided;
        EXPECT_EQ(decided, static_cast<std::size_t>(kFrames));
    }
}

// The plan of a whole video keeps detections and no frames. One face that stays costs what many that follow each other do.
TEST(Lookahead, KeepsTheDetectionsOfAWholeVideo) {
    constexpr std::int64_t kFrames = 20'000;
    const auto kept_of = [](const auto& faces) {
        Lookahead lookahead(lookahead_params(whole_video()));
        Feed feed(lookahead);
        while (feed.frame < kFrames) feed.push(faces(feed.frame));
        lookahead.finish();
        return lookahead.num_kept();
    };
    EXPECT_EQ(kept_of([](std::int64_t) { return std::vector<Box>(); }), 0U);
    const std::size_t staying = kept_of([](std::int64_t) { return std::vector<Box>{{300, 200, 60, 60}}; });
    EXPECT_LE(staying, static_cast<std::size_t>(kFrames) + 1);
    const std::size_t following = kept_of([](std::int64_t frame) {
        return std::vector<Box>{{static_cast<float>(frame / 100 % 2) * 400, 200, 60, 60}};
    });
    EXPECT_LE(staying, following);
}

// Faces of one scene are hidden in none of the other, although both plans reach beyond their ends.
TEST(Lookahead, AnotherSizeOrSourceIsPlannedAlone) {
    const auto plans_of = [](const LookaheadParams& params, int scene, const char* source, int width) {
        Lookahead lookahead(params);
        Feed feed(lookahead);
        std::vector<FramePlan> plans;
        const auto take = [&] {
            while (auto decision = lookahead.pop()) plans.push_back(std::move(decision->plan));
        };
        for (int i = 0; i < 80; ++i) {
            if (i == 40) feed.source = source, feed.width = width;
            const bool has_face = scene < 0 || (i >= 40) == (scene == 1);
            // At the edge, where tracks are extended longest.
            feed.push(has_face && i >= 10 && i < 70 ? std::vector<Box>{{2, 200, 60, 60}} : std::vector<Box>());
            take();
        }
        lookahead.finish();
        take();
        return plans;
    };
    for (const LookaheadParams& params : {live(8), lookahead_params(whole_video())}) {
        for (const auto& [source, width] : {std::pair{"b", 640}, std::pair{"a", 800}}) {
            const std::vector<FramePlan> both = plans_of(params, -1, source, width);
            const std::vector<FramePlan> first = plans_of(params, 0, source, width);
            const std::vector<FramePlan> second = plans_of(params, 1, source, width);
            ASSERT_EQ(both.size(), 80U);
            for (std::size_t i = 0; i < both.size(); ++i) {
                EXPECT_EQ(both[i].number, static_cast<std::int64_t>(i));
                const std::vector<PlannedRegion>& alone = (i < 40 ? first : second)[i].regions;
                EXPECT_EQ((i < 40 ? second : first)[i].regions.size(), 0U) << i;
                ASSERT_EQ(both[i].regions.size(), alone.size()) << i;
                for (std::size_t k = 0; k < alone.size(); ++k) EXPECT_EQ(both[i].regions[k].box.w, alone[k].box.w);
            }
        }
    }
}

TEST(FrameLookahead, ReturnsEachFrameWithItsOwnDecision) {
    for (const LookaheadParams& params :
         {LookaheadParams{.tracker = tracker_params(DetectorId::cnn)}, live(8),
          LookaheadParams{.tracker = tracker_params(DetectorId::cnn), .linked = true}}) {
        FrameLookahead<int> lookahead(params);
        int next = 0;
        const auto take = [&] {
            for (; auto decided = lookahead.pop(); ++next) {
                const auto& [frame, decision] = *decided;
                EXPECT_EQ(frame, 7 * next);
                ASSERT_EQ(decision.tracks.size(), params.plan ? 0U : 1U) << next;
                if (params.plan) {
                    EXPECT_EQ(decision.plan.number, next);
                } else {
                    EXPECT_EQ(decision.tracks[0].box.x, static_cast<float>(2 * next));
                }
            }
        };
        for (int i = 0; i < 60; ++i) {
            const std::vector<Detection> kept{{{static_cast<float>(2 * i), 100, 60, 60}, 1, 20, -1}};
            LookaheadInput input;
            input.kept = kept;
            input.width = 640;
            input.height = 480;
            input.seconds = i / kFps;
            lookahead.push(std::move(input), 7 * i);
            take();
        }
        lookahead.finish();
        take();
        EXPECT_EQ(next, 60);
    }
}

TEST(VideoPlan, HasEachFrameOnceWithItsTimes) {
    VideoPlan plan(whole_video());
    Feed feed(plan);
    while (feed.frame < 50) feed.push(feed.frame < 20 ? faces_at(0) : std::vector<Box>());
    plan.finish();
    for (int i = 0; i < 50; ++i) {
        const std::optional<VideoPlan::Frame> frame = plan.next();
        ASSERT_TRUE(frame.has_value()) << i;
        EXPECT_DOUBLE_EQ(frame->pts, i / kFps);
        EXPECT_NEAR(frame->until, (i + 1) / kFps, 1e-9);
        EXPECT_EQ(frame->plan.number, i);
        if (i < 20) {
            EXPECT_EQ(frame->plan.regions.size(), 2U);
        }
    }
    EXPECT_FALSE(plan.next().has_value());
}

// The summaries are there before the regions, and say the same.
TEST(VideoPlan, SummarizesWhatItPlans) {
    std::mt19937_64 random(test::seed(23));
    for (std::size_t n = 0; n < test::case_count(10); ++n) {
        VideoPlan plan(whole_video());
        Feed feed(plan);
        bool seen[3] = {true, true, true};
        while (feed.frame < 300) {
            std::vector<Box> faces;
            for (std::size_t i = 0; i < 3; ++i) {
                if (random() % 12 == 0) seen[i] = !seen[i];
                if (seen[i]) faces.push_back({static_cast<float>(200 * i), 100, 60, 60});
            }
            feed.push(faces);
        }
        plan.finish();
        std::map<std::int64_t, std::map<RegionReason, std::int64_t>> counts;
        while (const std::optional<VideoPlan::Frame> frame = plan.next()) {
            for (const PlannedRegion& region : frame->plan.regions) {
                if (region.track >= 0) ++counts[region.track][region.reason];
            }
        }
        ASSERT_EQ(plan.tracks().size(), counts.size());
        for (const TrackSummary& track : plan.tracks()) {
            EXPECT_EQ(track.num_detected, counts[track.track][RegionReason::detected]);
            EXPECT_EQ(track.num_filled, counts[track.track][RegionReason::filled]);
            EXPECT_EQ(track.num_extended, counts[track.track][RegionReason::extended]);
        }
    }
}

TEST(VideoPlan, FindsATrackByItsSamples) {
    const auto make_plan = [](VideoPlan& plan) {
        Feed feed(plan);
        while (feed.frame < 100) feed.push(feed.frame < 95 ? faces_at(0) : std::vector<Box>());
        plan.finish();
    };
    VideoPlan before(whole_video()), after(whole_video());
    make_plan(before);
    make_plan(after);
    ASSERT_EQ(before.tracks().size(), 2U);
    for (const TrackSummary& track : before.tracks()) {
        std::vector<TrackSample> samples = before.samples(track.track);
        ASSERT_EQ(samples.size(), 8U) << "the first, the last, and one per second";
        EXPECT_DOUBLE_EQ(samples.front().pts, 0);
        EXPECT_DOUBLE_EQ(samples[1].pts, 1);
        EXPECT_DOUBLE_EQ(samples.back().pts, 94 / kFps);
        EXPECT_EQ(after.find(samples), track.track);
        std::vector<TrackSample> moved = samples;
        moved[2].box.x += 100;
        EXPECT_FALSE(after.find(moved).has_value()) << "elsewhere at one time";
        samples.pop_back();
        EXPECT_EQ(after.find(samples), track.track) << "ends half a second earlier at most";
        samples.pop_back();
        EXPECT_FALSE(after.find(samples).has_value());
    }
}

// The box of a person may be that of the face: a decision about one of them is none about the other.
TEST(VideoPlan, FindsATrackOfItsClass) {
    HidingParams params = hiding_params(DetectorId::face_and_person);
    params.plan.delay = PlanOptions::kWholeSequence;
    VideoPlan plan(params);
    const std::vector<Detection> found{{{300, 200, 60, 60}, 1, 20, -1}};
    for (int i = 0; i < 50; ++i) {
        LookaheadInput people;
        people.kept = found;
        people.source = "a";
        people.width = 640;
        people.height = 480;
        people.seconds = i / kFps;
        LookaheadInput faces = people;
        people.faces.push_back(std::move(faces));
        plan.push(std::move(people));
    }
    plan.finish();
    ASSERT_EQ(plan.tracks().size(), 2U);
    for (const TrackSummary& track : plan.tracks()) {
        const bool is_face = track.track >= kFaceIds;
        EXPECT_EQ(plan.find(plan.samples(track.track), is_face), track.track);
        EXPECT_NE(plan.find(plan.samples(track.track), !is_face), track.track);
    }
}

// People and their faces: each class is tracked and planned as if it were alone, whatever the delay and wherever frames
// have no list of faces.
TEST(Lookahead, PeopleAndFacesArePlannedAsEachAlone) {
    std::mt19937_64 random(test::seed(4901));
    for (const int delay : {0, 8, PlanOptions::kWholeSequence}) {
        HidingParams params = hiding_params(DetectorId::face_and_person);
        params.plan.delay = delay;
        const LookaheadParams both = lookahead_params(params);
        LookaheadParams people_only = both;
        people_only.faces.clear();
        Lookahead joined(both), people(people_only), faces(both.faces.front());
        std::vector<std::vector<Box>> people_boxes(60), face_boxes(60);
        const auto not_searched = [](std::size_t i) { return i == 40 || i == 41; };
        const auto jitter = [&] { return static_cast<float>(random() % 5); };
        for (std::size_t i = 0; i < people_boxes.size(); ++i) {
            const auto x = static_cast<float>(5 * i);
            if (random() % 4 > 0) people_boxes[i].push_back({x + jitter(), 100, 80, 240});
            if (random() % 3 > 0) face_boxes[i].push_back({x + 25 + jitter(), 106, 30, 36});
            if (random() % 10 == 0) face_boxes[i].push_back({500, 300 + jitter(), 40, 48});  // on a poster
        }
        std::vector<FramePlan> found, of_people, of_faces;
        const auto take = [](Lookahead& lookahead, std::vector<FramePlan>& plans) {
            while (auto decision = lookahead.pop()) plans.push_back(std::move(decision->plan));
        };
        std::vector<Detection> detections[2];
        for (std::size_t i = 0; i < people_boxes.size(); ++i) {
            LookaheadInput inputs[2];
            for (const int of_faces_number : {0, 1}) {
                std::vector<Detection>& list = detections[of_faces_number];
                list.clear();
                for (const Box& box : (of_faces_number == 0 ? people_boxes : face_boxes)[i])
                    list.push_back({box, 0.9F, 3, -1});
                if (of_faces_number == 1 && not_searched(i)) list.clear();
                LookaheadInput& input = inputs[of_faces_number];
                input.kept = list;
                input.source = "a";
                input.width = 640;
                input.height = 480;
                input.seconds = static_cast<double>(i) / kFps;
                input.damaged = of_faces_number == 1 && (i == 30 || not_searched(i));
            }
            people.push(inputs[0]);
            faces.push(inputs[1]);
            if (!not_searched(i)) inputs[0].faces.push_back(inputs[1]);
            joined.push(inputs[0]);
            take(joined, found);
            take(people, of_people);
            take(faces, of_faces);
        }
        for (Lookahead* each : {&joined, &people, &faces}) each->finish();
        take(joined, found);
        take(people, of_people);
        take(faces, of_faces);
        ASSERT_EQ(found.size(), people_boxes.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            std::vector<PlannedRegion> expected = of_people.at(i).regions;
            expected.insert(expected.end(), of_faces.at(i).regions.begin(), of_faces.at(i).regions.end());
            ASSERT_EQ(found[i].regions.size(), expected.size()) << i;
            EXPECT_EQ(found[i].whole, i == 30 || not_searched(i)) << i;
            for (std::size_t k = 0; k < expected.size(); ++k) {
                EXPECT_EQ(found[i].regions[k].box.x, expected[k].box.x);
                EXPECT_EQ(found[i].regions[k].box.w, expected[k].box.w);
                EXPECT_EQ(found[i].regions[k].reason, expected[k].reason);
                const bool is_face = k >= of_people[i].regions.size() && expected[k].track >= 0;
                EXPECT_EQ(found[i].regions[k].track, expected[k].track + (is_face ? kFaceIds : 0));
            }
        }
        if (delay != PlanOptions::kWholeSequence) continue;
        std::set<std::int64_t> ids;
        for (const TrackSummary& track : joined.planned_tracks()) {
            EXPECT_TRUE(ids.insert(track.track).second);
            EXPECT_EQ(joined.detections(track.track).size(), static_cast<std::size_t>(track.num_detected));
        }
        EXPECT_EQ(ids.size(), people.planned_tracks().size() + faces.planned_tracks().size());
        EXPECT_GT(*ids.rbegin(), kFaceIds);
    }
}

// Without a plan, too: faces that were looked for in some frames only keep no other frame from its decision.
TEST(Lookahead, FramesWithoutFacesAreDecidedLikeOthers) {
    LookaheadParams params{.tracker = tracker_params(DetectorId::person)};
    params.faces.push_back({.tracker = tracker_params(DetectorId::cnn)});
    Lookahead lookahead(params);
    const std::vector<Detection> person{{{100, 100, 80, 240}, 1, 20, -1}}, face{{{125, 106, 30, 36}, 1, 20, -1}};
    for (int i = 0; i < 30; ++i) {
        LookaheadInput input;
        input.kept = person;
        input.width = 640;
        input.height = 480;
        input.seconds = i / kFps;
        const bool has_faces = i < 10 || i % 2 == 0;
        if (has_faces) {
            LookaheadInput faces = input;
            faces.kept = face;
            input.faces.push_back(std::move(faces));
        }
        lookahead.push(std::move(input));
        const std::optional<Lookahead::Decision> decision = lookahead.pop();
        ASSERT_TRUE(decision.has_value()) << i;
        EXPECT_EQ(decision->tracks.size(), 1U);
        if (has_faces) {
            EXPECT_EQ(decision->face_tracks.size(), 1U) << i;
        }
    }
    EXPECT_FALSE(lookahead.pop().has_value());
    EXPECT_LE(lookahead.num_kept(), 2U);
}

}  // namespace
}  // namespace throng
