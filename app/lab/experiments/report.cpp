#include "app/lab/experiments/report.h"

#include <fmt/format.h>

#include <report_script.h>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/options/interrupt.h"
#include "core/base/child_process.h"
#include "core/base/error.h"
#include "core/base/output_file.h"

namespace throng {
namespace {

using Json = nlohmann::ordered_json;

// Returns what report.py prints, with the first Python that has its modules. Throws Error(unavailable) that names the
// missing module.
std::string run_script(const std::vector<std::string>& arguments, const std::string& path) {
    constexpr std::chrono::minutes kLimit{2};  // a first start of matplotlib lists all fonts
    constexpr std::size_t kMaxOutput = std::size_t{1} << 28;
    constexpr const char* kAdvice = "install python3-matplotlib and python3-jinja2";
    std::optional<Error> missing;
    for (const char* python : {"python3", "/usr/bin/python3"}) {  // a Python of the user may lack Debian's modules
        std::vector<std::string> command{python, "-c", kReportScript};
        command.insert(command.end(), arguments.begin(), arguments.end());
        ChildResult child = run_child(std::move(command), kLimit, kMaxOutput);
        if (child.failure.empty()) return std::move(child.output);
        const std::string why =
            child.status == 4 ? child.output.substr(0, child.output.find('\n')) : "python3 " + child.failure;
        if (!missing) missing.emplace(ErrorKind::unavailable, Message("cannot draw: %1", why), path, kAdvice);
    }
    throw *missing;
}

Json pairs(const std::vector<std::pair<std::string, std::string>>& list) {
    Json all = Json::array();
    for (const auto& [key, value] : list) all.push_back({key, value});
    return all;
}

Json to_json(const ReportPart& part) {
    Json tables = Json::array(), plots = Json::array(), published = Json::array();
    for (const ResultTable& each : part.result.tables) {
        const TextTable table = each.rows.table();
        tables.push_back(
            {{"name", each.name}, {"title", each.title}, {"header", table.header()}, {"rows", table.rows()}});
    }
    for (const Plot& plot : part.result.plots) plots.push_back(to_json(plot));
    for (const Published& entry : part.result.published) published.push_back({entry.what, entry.value, entry.source});
    return {{"name", part.experiment->name},     {"title", part.experiment->title},
            {"source", part.experiment->source}, {"seconds", part.result.seconds},
            {"failure", part.failure},           {"settings", pairs(part.result.settings)},
            {"tables", std::move(tables)},       {"plots", std::move(plots)},
            {"findings", part.result.findings},  {"published", std::move(published)},
            {"missing", part.result.missing}};
}

void write(const std::filesystem::path& path, const std::string& text, const RunFiles& files) {
    files.check_output("out", path.string());
    write_file(path.string(), text, InterruptGuard::token());
}

}  // namespace

void Plot::add(const std::string& line, double x, double y) {
    auto found = std::find_if(series.begin(), series.end(), [&](const Series& s) { return s.name == line; });
    if (found == series.end()) found = series.insert(series.end(), Series{line});
    found->points.emplace_back(x, y);
}

void Plot::add_bar(const std::string& line, const std::string& category, double y) {
    auto found = std::find(categories.begin(), categories.end(), category);
    if (found == categories.end()) found = categories.insert(categories.end(), category);
    add(line, static_cast<double>(found - categories.begin()), y);
}

nlohmann::ordered_json to_json(const Plot& plot) {
    const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
    Json series = Json::array();
    for (const Series& each : plot.series) {
        Json points = Json::array();
        for (const auto& [x, y] : each.points) points.push_back({number(x), number(y)});
        series.push_back({{"name", each.name}, {"published", each.published}, {"points", std::move(points)}});
    }
    return {
        {"name", plot.name},   {"title", plot.title}, {"x_label", plot.x_label},       {"y_label", plot.y_label},
        {"log_x", plot.log_x}, {"log_y", plot.log_y}, {"categories", plot.categories}, {"series", std::move(series)}};
}

void draw_plot(const Plot& plot, const std::string& path) {
    write_file(path, run_script({"--plot", to_json(plot).dump()}, path));
}

void write_tables(const std::filesystem::path& folder, const ReportPart& part, const RunFiles& files) {
    for (const ResultTable& table : part.result.tables)
        write(folder / fmt::format("{}-{}.csv", part.experiment->name, table.name), table.rows.table().csv(), files);
}

void write_results(const std::filesystem::path& folder, const Report& report, const RunFiles& files) {
    Json parts = Json::array();
    for (const ReportPart& part : report.parts) parts.push_back(to_json(part));
    const Json results = {{"version", TH_VERSION}, {"machine", pairs(report.machine)}, {"parts", std::move(parts)}};
    write(folder / "results.json", results.dump(1) + "\n", files);
}

void draw_report(const std::filesystem::path& folder, const RunFiles& files) {
    const std::string results = (folder / "results.json").string();
    const Json drawn = Json::parse(run_script({results}, results));
    for (const auto& [name, text] : drawn.items()) write(folder / name, text.get<std::string>(), files);
}

}  // namespace throng
