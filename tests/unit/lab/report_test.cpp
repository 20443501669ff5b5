#include "app/lab/experiments/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <set>

#include "core/base/error.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

ReportPart part_of(const Experiment& experiment) {
    ReportPart part;
    part.experiment = &experiment;
    part.result.settings = {{"input", "<crowd>"}};
    ResultTable table{"times", "Times & more", {}};
    table.rows.row().cell("n", std::int64_t{1027}).cell("ms", 0.5, 1);
    table.rows.row().cell("n", "a,b").cell("ms", {});
    part.result.tables = {table};
    part.result.plots = {{"times", "Times", "n", "ms", false, false, {}, {{"s", {{1, 2}, {2, 3}}, false}}}};
    part.result.findings = {"faster"};
    part.result.published = {{"1027", "0.088 ms", "the paper"}};
    part.result.missing = {"no GPU"};
    return part;
}

// All texts of an SVG document.
std::multiset<std::string> texts(const std::string& path) {
    pugi::xml_document document;
    EXPECT_TRUE(document.load_file(path.c_str())) << path;
    EXPECT_STREQ(document.document_element().name(), "svg");
    std::multiset<std::string> all;
    for (const pugi::xpath_node text : document.select_nodes("//*[local-name()='text']"))
        all.insert(text.node().text().as_string());
    return all;
}

TEST(Experiments, HaveDistinctNamesAndAreFoundByThem) {
    std::set<std::string_view> names;
    for (const Experiment& experiment : experiments()) {
        EXPECT_TRUE(names.insert(experiment.name).second) << experiment.name;
        EXPECT_EQ(&find_experiment(experiment.name), &experiment);
        EXPECT_NE(experiment.run, nullptr);
    }
    try {
        static_cast<void>(find_experiment("fig99"));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        EXPECT_NE(error.advice().text().find("fig8"), std::string::npos);
    }
}

TEST(Report, HasEverythingInOnePage) {
    const test::ScratchDir scratch;
    const RunFiles files{CommonOptions()};
    Report report;
    report.machine = {{"GPU", "none & nothing"}};
    report.parts.push_back(part_of(experiments().front()));
    ReportPart failed;
    failed.experiment = &experiments().back();
    failed.failure = "the model is missing";
    report.parts.push_back(failed);
    write_results(scratch.path(), report, files);
    draw_report(scratch.path(), files);
    const std::string html = test::contents(scratch.path() / "report.html");
    for (const char* piece : {"none &amp; nothing", "&lt;crowd&gt;", "Times &amp; more", "<svg", "0.088 ms", "no GPU",
                              "Not measured: the model is missing", "a,b"})
        EXPECT_NE(html.find(piece), std::string::npos) << piece;
    for (const char* outside : {"src=", "@import", "<link", "<script"})
        EXPECT_EQ(html.find(outside), std::string::npos) << outside;
    const std::string stem(experiments().front().name);
    EXPECT_EQ(texts((scratch.path() / (stem + "-times.svg")).string()).count("Times"), 1U);
}

TEST(Report, WritesTablesAsFiles) {
    const test::ScratchDir scratch;
    const ReportPart part = part_of(experiments().front());
    const RunFiles files{CommonOptions()};
    write_tables(scratch.path(), part, files);
    EXPECT_EQ(test::contents(scratch.path() / (std::string(part.experiment->name) + "-times.csv")),
              "n,ms\n1027,0.5\n\"a,b\",-\n");
    EXPECT_THROW(write_tables(scratch.path() / "missing", part, files), Error);
}

TEST(Plot, BarsHaveTheirCategoriesSeriesAndValues) {
    const test::ScratchDir scratch;
    Plot plot;
    plot.title = "Faces & leaks";
    plot.add_bar("plan", "20 to 28", 1.5);
    plot.add_bar("plan", "28 to 40", 0);
    plot.add_bar("single frames", "20 to 28", 1234.5);
    plot.add_bar("single frames", "28 to 40", std::nan(""));
    const std::string path = (scratch.path() / "a.svg").string();
    draw_plot(plot, path);
    const std::multiset<std::string> all = texts(path);
    for (const char* text : {"Faces & leaks", "plan", "single frames", "20 to 28", "28 to 40", "1.5", "1.23e+03"})
        EXPECT_EQ(all.count(text), 1U) << text;
}

TEST(Plot, LogarithmicAxesSkipWhatTheyCannotShow) {
    const test::ScratchDir scratch;
    Plot plot{"p", "Times", "n", "ms", true, true};
    const std::string path = (scratch.path() / "a.svg").string();
    plot.add("s", 0, 1);
    plot.add("s", 5, -1);
    draw_plot(plot, path);
    EXPECT_EQ(texts(path).count("no data"), 1U);
    plot.add("s", 10, 100);
    plot.add("s", 1000, 0.1);
    draw_plot(plot, path);
    EXPECT_EQ(texts(path).count("no data"), 0U);
    EXPECT_EQ(texts(path).count("Times"), 1U);
}

// A Python without matplotlib and Jinja2, as many machines have it.
TEST(Plot, AMissingModuleIsNamed) {
    const test::ScratchDir scratch;
    for (const char* name : {"matplotlib.py", "jinja2.py"})
        std::ofstream(scratch.path() / name) << "raise ImportError('No module named ' + __name__)\n";
    setenv("PYTHONPATH", scratch.path().c_str(), 1);
    try {
        draw_plot({}, (scratch.path() / "a.svg").string());
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unavailable);
        EXPECT_NE(std::string(error.what()).find("No module named matplotlib"), std::string::npos) << error.what();
    }
    unsetenv("PYTHONPATH");
}

// The program runs Python where the user works.
TEST(Plot, NoModuleOfTheWorkingFolderIsRun) {
    const test::ScratchDir scratch;
    const std::filesystem::path before = std::filesystem::current_path();
    const std::filesystem::path ran = scratch.path() / "ran";
    for (const char* name : {"io.py", "json.py", "matplotlib.py", "jinja2.py"})
        std::ofstream(scratch.path() / name)
            << "open('" << ran.string() << "', 'w')\nraise ImportError('not this one')\n";
    std::filesystem::current_path(scratch.path());
    EXPECT_NO_THROW(draw_plot({}, (scratch.path() / "a.svg").string()));
    std::filesystem::current_path(before);
    EXPECT_FALSE(std::filesystem::exists(ran));
}

TEST(Plot, ReplacesNoOtherFileAndNoDevice) {
    const test::ScratchDir scratch;
    const std::filesystem::path beside = scratch.path() / "a.svg.part";
    std::ofstream(beside) << "mine";
    draw_plot({}, (scratch.path() / "a.svg").string());
    EXPECT_EQ(test::contents(beside), "mine");
    draw_plot({}, "/dev/null");
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(Plot, AFolderThatDoesNotExistIsAnError) {
    const test::ScratchDir scratch;
    try {
        draw_plot({}, (scratch.path() / "missing" / "a.svg").string());
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace throng
