#include "core/count/count_plan.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/base/error.h"
#include "core/count/counter.h"
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

TEST(CountPlan, RejectsWhatIsNoPlan) {
    const std::string size = "size = [100, 100]\n";
    const std::string line = "[[line]]\nname = \"a\"\nfrom = [1, 1]\nto = [9, 9]\n";
    const auto zone = [](const std::string& points) { return "[[zone]]\nname = \"z\"\npoints = " + points + "\n"; };
    EXPECT_NO_THROW(static_cast<void>(parse_count_plan(size + line, "plan.toml")));
    for (const std::string& text : {
             std::string(),
             size,
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
