#include "core/count/count_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>

#include "core/base/error.h"
#include "core/count/counter.h"
#include "tests/support/random.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

TEST(CountPlan, ReadsLinesAndZones) {
    const CountPlan plan = parse_count_plan(R"(
        size = [1920, 1080]
        [[line]]
        name = "door"
        from = [800, 200]
        to = [1100.5, 220]
        [[zone]]
        name = "queue 1"
        points = [[100, 600], [700, 600], [700, 1000]]
    )",
                                            "plan.toml");
    EXPECT_EQ(plan.width, 1920);
    ASSERT_EQ(plan.lines.size(), 1U);
    EXPECT_EQ(plan.lines[0].name, "door");
    EXPECT_EQ(plan.lines[0].to.x, 1100.5);
    ASSERT_EQ(plan.zones.size(), 1U);
    ASSERT_EQ(plan.zones[0].points.size(), 3U);
    const CountPlan half = scaled_to(plan, 960, 540);
    EXPECT_EQ(half.lines[0].from.x, 400);
    EXPECT_EQ(half.zones[0].points[2].y, 500);
}

TEST(CountPlan, TextOfAPlanGivesAnEqualPlan) {
    const std::uint64_t seed = test::seed(11);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> x(0, 1280), radius(10, 300);
    for (int run = 0; run < 200; ++run) {
        CountPlan plan{1280, 720, {}, {}};
        for (std::size_t i = random() % 4; i > 0; --i) {
            plan.lines.push_back({"line " + std::to_string(i), {x(random), 0.5}, {x(random), 719.25}});
        }
        for (std::size_t i = random() % 4; i > 0; --i) {
            CountZone zone{"zone_" + std::to_string(i), {}};
            const double r = radius(random);
            for (int k = 0; k < 5; ++k)
                zone.points.push_back({640 + r * std::cos(k * 1.2), 360 + r * std::sin(k * 1.2)});
            plan.zones.push_back(zone);
        }
        EXPECT_EQ(parse_count_plan(format_count_plan(plan), "plan.toml"), plan) << format_count_plan(plan);
    }
}

TEST(CountPlan, RejectsWhatIsNoPlan) {
    const std::string size = "size = [100, 100]\n";
    const std::string line = "[[line]]\nname = \"a\"\nfrom = [1, 1]\nto = [9, 9]\n";
    const auto zone = [](const std::string& points) { return "[[zone]]\nname = \"z\"\npoints = " + points + "\n"; };
    EXPECT_NO_THROW(static_cast<void>(parse_count_plan(size + line, "plan.toml")));
    EXPECT_NO_THROW(static_cast<void>(parse_count_plan(size, "plan.toml"))) << "counts people only";
    for (const std::string& text : {
             std::string(),
             line,
             size + "colour = 1\n" + line,
             "size = [0, 100]\n" + line,
             "size = [100]\n" + line,
             "size = [nan, 100]\n" + line,
             "size = [100, 99.5]\n" + line,
             size + "line = 3\n",
             size + "line = [3]\n",
             size + line + line,  // the same name
             size + "[[line]]\nname = \"a\"\nfrom = [1, 1]\n",
             size + "[[line]]\nname = \"a\"\nfrom = [1, 1]\nto = [1, 1]\n",
             size + "[[line]]\nname = \"a\"\nfrom = [1, 1]\nto = [1, 101]\n",
             size + "[[line]]\nname = \"a,b\"\nfrom = [1, 1]\nto = [9, 9]\n",
             size + "[[line]]\nname = \"\"\nfrom = [1, 1]\nto = [9, 9]\n",
             size + "[[line]]\nname = \"a\"\nfrom = [1, 1]\nto = [9, 9]\nwidth = 3\n",
             size + zone("[[1, 1], [9, 9]]"),
             size + zone("[[1, 1], [5, 5], [9, 9]]"),           // no area
             size + zone("[[1, 1], [9, 9], [9, 1], [1, 20]]"),  // crosses itself
             size + zone("[[1, 1], [9, \"9\"], [9, 1]]"),
             size + zone("[[1, 1], [9, inf], [9, 1]]"),
             size + zone("7"),
             size + "[[zone]]\npoints = [[1, 1], [9, 1], [9, 9]]\n",
             std::string("size = ["),
         }) {
        try {
            static_cast<void>(parse_count_plan(text, "plan.toml"));
            ADD_FAILURE() << text << " was accepted";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::usage) << text;
            EXPECT_NE(std::string(error.what()).find("plan.toml"), std::string::npos) << error.what();
        }
    }
    EXPECT_THROW(static_cast<void>(load_count_plan("/nowhere/plan.toml")), Error);
}

}  // namespace
}  // namespace throng
