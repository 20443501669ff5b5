#include "core/count/counter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <utility>

#include "tests/support/random.h"

namespace throng {
namespace {

CountPlan plan() {
    CountPlan plan;
    plan.width = 1000;
    plan.height = 1000;
    plan.lines.push_back({"door", {500, 200}, {500, 800}});  // downwards: its right is the left of the image
    plan.zones.push_back({"square", {{100, 100}, {300, 100}, {300, 300}, {100, 300}}});
    return plan;
}

Track track(std::int64_t id, double x, double y) {
    Track result;
    result.id = id;
    result.confirmed = true;
    result.box = result.smoothed = {static_cast<float>(x) - 20, static_cast<float>(y) - 20, 40, 40};
    return result;
}

// Feeds a counter 10 frames per second.
struct Feed {
    explicit Feed(const CountPlan& with = plan()) : counter(with) {}
    void operator()(const std::vector<Track>& tracks) {
        for (const CountEvent& event : counter.update(tracks, 0.1 * frame, 1000, 1000)) events.push_back(event);
        ++frame;
    }
    [[nodiscard]] std::vector<CountEvent> of(CountEvent::Kind kind) const {
        std::vector<CountEvent> all;
        for (const CountEvent& event : events) {
            if (event.kind == kind) all.push_back(event);
        }
        return all;
    }
    Counter counter;
    int frame = 0;
    std::vector<CountEvent> events;
};

TEST(Counter, CountsPeopleNowAndOverTime) {
    Feed run;
    run({track(1, 50, 50), track(2, 80, 50)});
    EXPECT_EQ(run.counter.totals().people, 2);
    run({track(2, 80, 50), track(3, 90, 90)});
    EXPECT_EQ(run.counter.totals().people, 2);
    EXPECT_EQ(run.counter.totals().unique, 3);
    Track tentative = track(4, 10, 10);
    tentative.confirmed = false;
    run({tentative});
    EXPECT_EQ(run.counter.totals().people, 0);
    EXPECT_EQ(run.of(CountEvent::Kind::appeared).size(), 3U);
    EXPECT_EQ(run.of(CountEvent::Kind::left).size(), 3U);
}

// The track of a person who was hidden has no box for a while.
TEST(Counter, CountsAnIdOnce) {
    Feed run;
    run({track(1, 50, 50), track(70000, 80, 50)});
    run({});
    run({track(1, 50, 50), track(70000, 80, 50), track(2, 300, 300)});
    EXPECT_EQ(run.counter.totals().unique, 3);
    const std::vector<CountEvent> appeared = run.of(CountEvent::Kind::appeared);
    ASSERT_EQ(appeared.size(), 5U);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(appeared[i].again, i == 2 || i == 3) << i;
}

TEST(Counter, NoEventPrecedesWhatIsSettled) {
    std::mt19937_64 random(test::seed(22));
    std::uniform_real_distribution<double> step(-25, 25);
    std::uniform_int_distribution<int> state(0, 9);
    Feed run;
    std::map<std::int64_t, std::pair<double, double>> at;
    double settled = 0;
    for (int n = 0; n < 2000; ++n) {
        std::vector<Track> tracks;
        for (std::int64_t id = n / 100; id < n / 100 + 5; ++id) {
            auto& [x, y] = at.try_emplace(id, 200, 200).first->second;
            x += step(random);
            y += step(random);
            const int chosen = state(random);
            if (chosen == 0) continue;  // no box
            tracks.push_back(track(id, x, y));
            if (chosen < 5) tracks.back().state = TrackState::predicted;
        }
        run.events.clear();
        run(tracks);
        for (const CountEvent& event : run.events) EXPECT_GE(event.seconds, settled) << n;
        EXPECT_GE(run.counter.settled_until(), settled) << n;
        settled = run.counter.settled_until();
    }
    for (const CountEvent& event : run.counter.finish()) EXPECT_GE(event.seconds, settled);
}

TEST(Counter, CountsCrossingsPerDirection) {
    Feed run;
    for (int n = 0; n <= 20; ++n) run({track(1, 600 - 10 * n, 500), track(2, 400 + 10 * n, 300)});
    EXPECT_EQ(run.counter.totals().lines[0].in, 1);  // to the left of the image
    EXPECT_EQ(run.counter.totals().lines[0].out, 1);
    const std::vector<CountEvent> crossed = run.of(CountEvent::Kind::crossed);
    ASSERT_EQ(crossed.size(), 2U);
    EXPECT_EQ(crossed[0].id, 1);
    EXPECT_TRUE(crossed[0].in);
    EXPECT_EQ(crossed[0].name, "door");
    EXPECT_FALSE(crossed[1].in);
}

TEST(Counter, IgnoresWhoPassesBesideTheLineOrStandsOnIt) {
    std::mt19937_64 random(test::seed(5));
    std::uniform_real_distribution<double> sway(-8, 8);
    Feed run;
    for (int n = 0; n <= 40; ++n) {
        run({track(1, 600 - 5 * n, 900), track(2, 600 - 5 * n, 100), track(3, 500 + sway(random), 500)});
    }
    EXPECT_TRUE(run.of(CountEvent::Kind::crossed).empty());
}

TEST(Counter, MeasuresTheTimeInAZone) {
    Feed run;
    for (int n = 0; n < 10; ++n) run({track(1, 50, 200)});
    for (int n = 0; n < 30; ++n) run({track(1, 200, 200)});  // enters at 1.0 s
    EXPECT_EQ(run.counter.totals().zones[0].occupancy, 1);
    for (int n = 0; n < 10; ++n) run({track(1, 350, 200)});  // leaves at 4.0 s
    const CountTotals::Zone& zone = run.counter.totals().zones[0];
    EXPECT_EQ(zone.occupancy, 0);
    EXPECT_EQ(zone.visits, 1);
    EXPECT_EQ(zone.exits, 1);
    EXPECT_NEAR(zone.dwell, 3, 1e-9);
    const std::vector<CountEvent> entered = run.of(CountEvent::Kind::entered);
    ASSERT_EQ(entered.size(), 1U);
    EXPECT_NEAR(entered[0].seconds, 1, 1e-9);
}

TEST(Counter, IgnoresWhoSwaysOnTheEdgeOfAZone) {
    Feed run;
    for (int n = 0; n < 50; ++n) run({track(1, n % 2 == 0 ? 95 : 105, 200)});
    EXPECT_EQ(run.counter.totals().zones[0].visits, 0);
}

TEST(Counter, EndsVisitsWhenTheTrackEnds) {
    Feed run;
    for (int n = 0; n < 20; ++n) run({track(1, 200, 200)});
    Track predicted = track(1, 200, 200);
    predicted.state = TrackState::predicted;
    for (int n = 0; n < 10; ++n) run({predicted});
    run({});
    const std::vector<CountEvent> exited = run.of(CountEvent::Kind::exited);
    ASSERT_EQ(exited.size(), 1U);
    EXPECT_NEAR(exited[0].dwell, 1.9, 1e-9) << "last seen at 1.9 s";
    for (int n = 0; n < 5; ++n) run({track(2, 200, 200)});
    EXPECT_EQ(run.counter.totals().zones[0].occupancy, 1);
    EXPECT_EQ(run.counter.finish().size(), 2U);  // exited, left
    EXPECT_EQ(run.counter.totals().zones[0].occupancy, 0);
}

// As a live source that starts again.
TEST(Counter, ATimeThatGoesBackEndsAllVisits) {
    Feed run;
    for (int n = 0; n < 20; ++n) run({track(1, 200, 200)});
    run.frame = 5;
    run.events.clear();
    run({track(1, 200, 200), track(2, 600, 600)});
    std::vector<std::pair<CountEvent::Kind, std::int64_t>> found;
    for (const CountEvent& event : run.events) found.emplace_back(event.kind, event.id);
    using Kind = CountEvent::Kind;
    EXPECT_EQ(found, (std::vector<std::pair<Kind, std::int64_t>>{
                         {Kind::exited, 1}, {Kind::left, 1}, {Kind::appeared, 1}, {Kind::appeared, 2}}));
    EXPECT_NEAR(run.events[1].seconds, 1.9, 1e-9);
    EXPECT_NEAR(run.events[2].seconds, 0.5, 1e-9);
    EXPECT_EQ(run.counter.totals().people, 2);
    EXPECT_EQ(run.counter.totals().unique, 2);
    EXPECT_EQ(run.counter.totals().zones[0].occupancy, 0);
    EXPECT_NEAR(run.counter.totals().zones[0].dwell, 1.9, 1e-9);
}

TEST(Counter, KeepsTheCountsOfShapesThatRemain) {
    Feed run;
    for (int i = 0; i < 20; ++i) run({track(1, 600 - 20 * i, 500), track(2, 200, 200)});
    ASSERT_EQ(run.counter.totals().lines[0].in, 1);
    ASSERT_EQ(run.counter.totals().zones[0].occupancy, 1);

    CountPlan more = plan();
    more.lines.insert(more.lines.begin(), {"new", {0, 900}, {1000, 900}});
    more.lines[1].name = "gate";
    more.zones.push_back({"all", {{0, 0}, {1000, 0}, {1000, 1000}, {0, 1000}}});
    run.counter.change(more);
    for (int i = 0; i < 5; ++i) run({track(1, 220, 500), track(2, 200, 200)});
    const CountTotals& totals = run.counter.totals();
    EXPECT_EQ(totals.unique, 2) << "people go on";
    ASSERT_EQ(totals.lines.size(), 2U);
    EXPECT_EQ(totals.lines[0].in + totals.lines[0].out, 0);
    EXPECT_EQ(totals.lines[1].in, 1) << "another name and another place in the list";
    ASSERT_EQ(totals.zones.size(), 2U);
    EXPECT_EQ(totals.zones[0].visits, 1);
    EXPECT_EQ(totals.zones[0].occupancy, 1);
    EXPECT_EQ(totals.zones[1].visits, 2) << "who is inside is counted";
    run({track(1, 220, 500), track(2, 200, 600)});
    for (int i = 0; i < 5; ++i) run({track(1, 220, 500), track(2, 200, 600)});
    ASSERT_EQ(run.of(CountEvent::Kind::exited).size(), 1U);
    EXPECT_NEAR(run.of(CountEvent::Kind::exited)[0].dwell, 2.5, 0.11) << "since the entry, before the change";

    CountPlan moved = more;
    moved.lines[1].to.x = 510;
    moved.zones.erase(moved.zones.begin());
    run.counter.change(moved);
    EXPECT_EQ(run.counter.totals().lines[1].in, 0) << "another line";
    ASSERT_EQ(run.counter.totals().zones.size(), 1U);
    EXPECT_EQ(run.counter.totals().zones[0].visits, 2);
    moved.width = moved.height = 500;
    moved.lines[0] = {"new", {0, 450}, {500, 450}};
    run.counter.change(moved);
    EXPECT_EQ(run.counter.totals().zones[0].visits, 0) << "other pixels";
    EXPECT_EQ(run.counter.totals().unique, 2);
}

// Two shapes that are equal keep their own counts by their names.
TEST(Counter, EqualShapesAreToldApartByTheirNames) {
    CountPlan twice = plan();
    twice.lines.push_back({"other", {500, 200}, {500, 800}});
    Feed run(plan());
    for (int i = 0; i < 20; ++i) run({track(1, 600 - 20 * i, 500)});
    std::swap(twice.lines[0], twice.lines[1]);
    run.counter.change(twice);
    EXPECT_EQ(run.counter.totals().lines[0].in, 0);
    EXPECT_EQ(run.counter.totals().lines[1].in, 1);
}

TEST(Counter, ScalesThePlanToTheFrame) {
    CountPlan small = plan();
    small = scaled_to(small, 250, 250);
    Feed run(small);
    for (int n = 0; n < 5; ++n) run({track(1, 290, 290)});
    EXPECT_EQ(run.counter.totals().zones[0].occupancy, 1);
}

// The winding number, another definition of the inside of a simple polygon.
bool winds_around(const CountZone& zone, CountPoint p) {
    double turns = 0;
    for (std::size_t i = 0; i < zone.points.size(); ++i) {
        const CountPoint a = zone.points[i];
        const CountPoint b = zone.points[(i + 1) % zone.points.size()];
        turns +=
            std::remainder(std::atan2(b.y - p.y, b.x - p.x) - std::atan2(a.y - p.y, a.x - p.x), 2 * std::acos(-1.0));
    }
    return std::abs(turns) > 1;
}

TEST(Counter, FindsPointsInPolygons) {
    std::mt19937_64 random(test::seed(6));
    std::uniform_real_distribution<double> unit(0, 1);
    for (std::size_t round = test::case_count(300); round > 0; --round) {
        CountZone star;  // around (50, 50), so that no sides cross
        const int corners = 3 + static_cast<int>(random() % 8);
        for (int i = 0; i < corners; ++i) {
            const double angle = 2 * std::acos(-1.0) * (i + 0.9 * unit(random)) / corners;
            const double radius = 5 + 40 * unit(random);
            star.points.push_back({50 + radius * std::cos(angle), 50 + radius * std::sin(angle)});
        }
        const CountPoint p{100 * unit(random), 100 * unit(random)};
        EXPECT_EQ(contains(star, p), winds_around(star, p));
    }
}

}  // namespace
}  // namespace throng
