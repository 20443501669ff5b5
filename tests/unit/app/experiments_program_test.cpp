// `throng experiments` as a user runs it, with the fastest experiment.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <pugixml.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "app/lab/experiments/experiment.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
    return parts;
}

// Returns the numbers of stumps per stage, from OpenCV's file.
std::vector<int> stage_sizes(const std::filesystem::path& cascade) {
    pugi::xml_document document;
    EXPECT_TRUE(document.load_file(cascade.c_str()));
    std::vector<int> sizes;
    for (const pugi::xml_node stage : document.first_element_by_path("opencv_storage/cascade/stages").children("_")) {
        sizes.push_back(stage.child("maxWeakCount").text().as_int());
    }
    return sizes;
}

TEST(ExperimentsProgram, ListsEveryExperiment) {
    const test::ProgramResult result = test::run_program({"experiments"}, test::own_process());
    ASSERT_EQ(result.status, 0) << result.err;
    for (const Experiment& experiment : experiments()) {
        EXPECT_NE(result.out.find("\n" + std::string(experiment.name) + " "), std::string::npos) << experiment.name;
    }
    EXPECT_EQ(result.out, test::run_program({"experiments", "list"}).out);
}

TEST(ExperimentsProgram, WritesTablesPlotsAndAReport) {
    TH_NEED(haar, test::cascade_file("haarcascade_frontalface_alt2.xml"), "opencv-data");
    TH_NEED(lbp, test::cascade_file("lbpcascade_frontalface.xml"), "opencv-data");
    const test::ScratchDir dir;
    const auto out = dir.path() / "report";
    const test::ProgramResult result =
        test::run_program({"experiments", "run", "windows", "--out", out.string(), "--backend", "cpu"});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find((out / "report.html").string()), std::string::npos) << result.out;

    const std::map<std::string, std::vector<int>> stumps{{"Haar alt2", stage_sizes(haar)}, {"LBP", stage_sizes(lbp)}};
    const auto rows = split(test::contents(out / "windows-windows.csv"), '\n');
    ASSERT_EQ(rows.size(), 1 + stumps.at("Haar alt2").size() + stumps.at("LBP").size());
    EXPECT_EQ(rows[0], "cascade,stage,weak classifiers,alive,fraction of all candidates");
    std::map<std::string, long> alive;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const auto cells = split(rows[i], ',');
        ASSERT_EQ(cells.size(), 5U) << rows[i];
        EXPECT_EQ(cells[2], std::to_string(stumps.at(cells[0]).at(std::stoul(cells[1]) - 1))) << rows[i];
        const long count = std::stol(cells[3]);
        if (alive.count(cells[0]) > 0) {
            EXPECT_LE(count, alive[cells[0]]) << "a stage only rejects: " << rows[i];
        }
        alive[cells[0]] = count;
    }
    for (const auto& [cascade, count] : alive) EXPECT_GT(count, 0) << cascade << " finds the faces of the crowd";

    pugi::xml_document plot;
    ASSERT_TRUE(plot.load_file((out / "windows-windows.svg").c_str()));
    EXPECT_STREQ(plot.document_element().name(), "svg");
    const std::string report = test::contents(out / "report.html");
    EXPECT_NE(report.find("<section id=\"windows\">"), std::string::npos);
    EXPECT_EQ(report.substr(report.size() - 15), "</body></html>\n");
}

TEST(ExperimentsProgram, RejectsUnknownNamesBeforeItMeasures) {
    const test::ScratchDir dir;
    const test::ProgramResult result =
        test::run_program({"experiments", "run", "windows", "fig99", "--out", (dir.path() / "report").string()});
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("fig99"), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(dir.path() / "report"));
}

}  // namespace
}  // namespace throng
