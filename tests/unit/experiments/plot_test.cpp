#include "app/experiments/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <pugixml.hpp>

namespace throng {
namespace {

std::vector<double> rounded(std::vector<double> values) {
    for (double& value : values) value = std::round(value * 1e9) / 1e9;
    return values;
}

TEST(Ticks, AreOneTwoOrFiveTimesAPowerOfTen) {
    EXPECT_EQ(rounded(ticks(0, 10, 6, false)), (std::vector<double>{0, 2, 4, 6, 8, 10}));
    EXPECT_EQ(rounded(ticks(0, 0.35, 6, false)), (std::vector<double>{0, 0.1, 0.2, 0.3}));
    EXPECT_EQ(rounded(ticks(-1, 1, 5, false)), (std::vector<double>{-1, -0.5, 0, 0.5, 1}));
    EXPECT_EQ(ticks(0, 2895, 6, false).front(), 0);
    EXPECT_LE(ticks(0, 2895, 6, false).size(), 7U);
}

TEST(Ticks, OnALogarithmicAxisAreDecadesWithTwoAndFiveIfTheyFit) {
    EXPECT_EQ(rounded(ticks(0.01, 1, 6, true)), (std::vector<double>{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1}));
    EXPECT_EQ(rounded(ticks(1, 1e6, 6, true)), (std::vector<double>{1, 10, 100, 1000, 1e4, 1e5, 1e6}));
}

TEST(Ticks, OfAnEmptyRangeAreEmpty) {
    EXPECT_TRUE(ticks(1, 1, 6, false).empty());
    EXPECT_TRUE(ticks(0, 1, 6, true).empty());
    EXPECT_TRUE(ticks(std::numeric_limits<double>::quiet_NaN(), 1, 6, false).empty());
}

TEST(Ticks, HaveShortLabels) {
    EXPECT_EQ(tick_label(0), "0");
    EXPECT_EQ(tick_label(0.05), "0.05");
    EXPECT_EQ(tick_label(2895), "2895");
    EXPECT_EQ(tick_label(65536), "65.5k");
    EXPECT_EQ(tick_label(3e6), "3M");
    EXPECT_EQ(tick_label(0.30000000000000004), "0.3");
}

pugi::xml_document parsed(const Plot& plot) {
    pugi::xml_document document;
    const std::string svg = to_svg(plot);
    EXPECT_TRUE(document.load_string(svg.c_str())) << svg;
    return document;
}

std::size_t count(const pugi::xml_document& document, const char* path) {
    return document.select_nodes(path).size();
}

TEST(Plots, DrawAMarkerPerFinitePointAndALegendPerSeries) {
    Plot plot;
    plot.title = "a < b & \"c\"";
    plot.log_y = true;
    plot.series = {{"one", {{1, 2}, {2, 0.5}, {3, std::nan("")}, {4, -1}}, false}, {"paper", {{2, 3}}, true}};
    const pugi::xml_document document = parsed(plot);
    EXPECT_EQ(document.select_node("/svg/text[@class='title']").node().text().get(), std::string("a < b & \"c\""));
    EXPECT_EQ(count(document, "/svg/circle"), 2U + 1U) << "two points that can be drawn, one in the legend";
    EXPECT_EQ(count(document, "/svg/rect[@width='7.4']"), 1U + 1U);
}

TEST(Plots, DrawLowerValuesLower) {
    Plot plot;
    plot.series = {{"s", {{0, 10}, {1, 20}}, false}};
    const pugi::xml_document document = parsed(plot);
    const auto markers = document.select_nodes("/svg/circle");
    EXPECT_GT(markers[0].node().attribute("cy").as_double(), markers[1].node().attribute("cy").as_double());
    EXPECT_LT(markers[0].node().attribute("cx").as_double(), markers[1].node().attribute("cx").as_double());
}

TEST(Plots, DrawABarPerCategoryAndSeries) {
    Plot plot;
    plot.categories = {"a", "b"};
    plot.series = {{"s", {{0, 1}, {1, 3}}, false}, {"t", {{0, 2}}, true}};
    const pugi::xml_document document = parsed(plot);
    EXPECT_EQ(count(document, "/svg/rect[@height > 1 and not(@class = 'page')]"), 3U + 2U)
        << "three bars, two in the legend";
}

TEST(Plots, ShowNoDataIfEmpty) {
    EXPECT_NE(to_svg(Plot{}).find("no data"), std::string::npos);
    Plot plot;
    plot.log_y = true;
    plot.series = {{"s", {{1, 0}}, false}};
    EXPECT_NE(to_svg(plot).find("no data"), std::string::npos);
}

TEST(Plots, DrawOnePointWithoutNanOrInf) {
    for (const bool logarithmic : {false, true}) {
        Plot plot;
        plot.log_x = plot.log_y = logarithmic;
        plot.series = {{"s", {{5, 7}}, false}};
        const std::string svg = to_svg(plot);
        EXPECT_EQ(svg.find("nan"), std::string::npos);
        EXPECT_EQ(svg.find("inf"), std::string::npos);
        parsed(plot);
    }
}

}  // namespace
}  // namespace throng
