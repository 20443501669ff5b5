#include "app/experiments/report.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "core/base/error.h"
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

TEST(Experiments, HaveDistinctNamesAndAreFoundByThem) {
    std::set<std::string_view> names;
    for (const Experiment& experiment : experiments()) {
        EXPECT_TRUE(names.insert(experiment.name).second) << experiment.name;
        EXPECT_EQ(&find_experiment(experiment.name), &experiment);
        EXPECT_NE(experiment.run, nullptr);
    }
    EXPECT_EQ(find_experiment("ladder").name, "ablation") << "its previous name";
    try {
        static_cast<void>(find_experiment("fig99"));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        EXPECT_NE(error.advice().text().find("fig8"), std::string::npos);
    }
}

TEST(Report, ContainsEverythingInOnePage) {
    Report report;
    report.machine = {{"GPU", "none & nothing"}};
    report.parts.push_back(part_of(experiments().front()));
    ReportPart failed;
    failed.experiment = &experiments().back();
    failed.failure = "the model is missing";
    report.parts.push_back(failed);
    const std::string html = to_html(report);
    for (const char* piece : {"none &amp; nothing", "&lt;crowd&gt;", "Times &amp; more", "<svg", "0.088 ms", "no GPU",
                              "Not measured: the model is missing"})
        EXPECT_NE(html.find(piece), std::string::npos) << piece;
    for (const char* outside : {"src=", "@import", "url(", "<link", "<script"})
        EXPECT_EQ(html.find(outside), std::string::npos) << outside;
    // The only URL is SVG's namespace.
    std::size_t addresses = 0;
    for (std::size_t at = html.find("http"); at != std::string::npos; at = html.find("http", at + 1)) ++addresses;
    std::size_t namespaces = 0;
    for (std::size_t at = html.find("http://www.w3.org/2000/svg"); at != std::string::npos;
         at = html.find("http://www.w3.org/2000/svg", at + 1))
        ++namespaces;
    EXPECT_EQ(addresses, namespaces);
}

TEST(Report, WritesTablesAndPlotsAsFiles) {
    test::ScratchDir scratch;
    const ReportPart part = part_of(experiments().front());
    const RunFiles files{CommonOptions()};
    write_part(scratch.path(), part, files);
    const std::string stem(part.experiment->name);
    EXPECT_TRUE(std::filesystem::exists(scratch.path() / (stem + "-times.csv")));
    EXPECT_TRUE(std::filesystem::exists(scratch.path() / (stem + "-times.svg")));
    EXPECT_THROW(write_part(scratch.path() / "missing", part, files), Error);
}

}  // namespace
}  // namespace throng
