#include "app/experiments/report.h"

#include <fmt/format.h>

#include "app/options/interrupt.h"
#include "core/base/output_file.h"

namespace throng {
namespace {

constexpr const char* kHead = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Throng: the papers' experiments, measured on this machine</title>
<style>
:root{color-scheme:light dark;--ink:#1c2127;--soft:#5c6670;--line:#dfe3e7;--page:#fff;--band:#f5f7f9;--link:#0072b2}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ec;--soft:#9aa4ae;--line:#333a42;--page:#171b1f;--band:#1e2429;--link:#56b4e9}}
body{font:15px/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;color:var(--ink);background:var(--page);max-width:880px;margin:0 auto;padding:24px}
h1{font-size:26px;line-height:1.25;margin:0 0 4px}h2{font-size:20px;margin:44px 0 2px;padding-top:14px;border-top:1px solid var(--line)}
.source,.note{color:var(--soft);font-size:14px;margin:0 0 10px}
table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums;margin:6px 0 14px}
th{text-align:left;font-weight:600;border-bottom:2px solid var(--line);padding:4px 10px}td{padding:3px 10px;border-bottom:1px solid var(--line)}
td.n,th.n{text-align:right}td.n{white-space:nowrap}tbody tr:nth-child(even){background:var(--band)}
.wide{overflow-x:auto}figure{margin:14px 0}svg{width:100%;height:auto;display:block}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;font-size:14px;margin:8px 0}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
ul{padding-left:20px;margin:8px 0}.missing li{color:var(--soft)}nav a{display:inline-block;margin-right:14px;color:var(--link)}
summary{cursor:pointer;color:var(--link);font-size:14px}h3{font-size:14px;margin:14px 0 2px}
@media print{body{max-width:none;padding:0}h2{break-before:auto}figure,table{break-inside:avoid}nav{display:none}}
</style></head><body>
)";

bool is_number(const std::string& cell) {
    return !cell.empty() && (cell == "-" || (cell.find_first_not_of("0123456789.+-eE%x") == std::string::npos));
}

std::string list_of(const std::vector<std::pair<std::string, std::string>>& pairs) {
    std::string out = "<dl>";
    for (const auto& [key, value] : pairs)
        out += fmt::format("<dt>{}</dt><dd>{}</dd>", escape_xml(key), escape_xml(value));
    return out + "</dl>\n";
}

std::string bullets(const std::vector<std::string>& lines, const char* kind) {
    if (lines.empty()) return {};
    std::string out = fmt::format("<ul class=\"{}\">", kind);
    for (const std::string& line : lines) out += fmt::format("<li>{}</li>", escape_xml(line));
    return out + "</ul>\n";
}

std::string html_table(const ResultTable& results) {
    const TextTable table = results.rows.table();
    std::vector<bool> numbers(table.header().size(), true);
    for (const auto& row : table.rows()) {
        for (std::size_t i = 0; i < row.size(); ++i) numbers[i] = numbers[i] && is_number(row[i]);
    }
    const auto row_of = [&](const std::vector<std::string>& cells, const char* tag) {
        std::string out = "<tr>";
        for (std::size_t i = 0; i < cells.size(); ++i)
            out += fmt::format("<{0}{1}>{2}</{0}>", tag, numbers[i] ? " class=\"n\"" : "", escape_xml(cells[i]));
        return out + "</tr>";
    };
    std::string body;
    for (const auto& row : table.rows()) body += row_of(row, "td");
    const std::string whole = fmt::format("<div class=\"wide\"><table><thead>{}</thead><tbody>{}</tbody></table></div>",
                                          row_of(table.header(), "th"), body);
    constexpr std::size_t kLong = 24;
    if (table.rows().size() <= kLong) return fmt::format("<h3>{}</h3>{}\n", escape_xml(results.title), whole);
    return fmt::format("<details><summary>{} ({} rows)</summary>{}</details>\n", escape_xml(results.title),
                       table.rows().size(), whole);
}

std::string published_table(const std::vector<Published>& published) {
    if (published.empty()) return {};
    ResultTable table{"published", "Published figures", {}};
    for (const Published& entry : published) {
        table.rows.row().cell("what", entry.what).cell("value", entry.value).cell("source", entry.source);
    }
    return html_table(table);
}

std::string html_part(const ReportPart& part) {
    std::string out = fmt::format(
        "<section id=\"{0}\"><h2>{1}</h2><p class=\"source\">{2} · <code>throng experiments run "
        "{0}</code>{3}</p>\n",
        part.experiment->name, escape_xml(part.experiment->title), escape_xml(part.experiment->source),
        part.result.seconds > 0 ? fmt::format(" · {:.1f} s", part.result.seconds) : "");
    if (!part.failure.empty()) return out + bullets({"Not measured: " + part.failure}, "missing") + "</section>\n";
    out += list_of(part.result.settings);
    for (const Plot& plot : part.result.plots) out += "<figure>" + to_svg(plot) + "</figure>\n";
    out += bullets(part.result.findings, "findings");
    for (const ResultTable& table : part.result.tables) out += html_table(table);
    out += published_table(part.result.published);
    out += bullets(part.result.missing, "missing");
    return out + "</section>\n";
}

}  // namespace

void write_report_file(const std::filesystem::path& path, const std::string& text, const RunFiles& files) {
    files.check_output("--out", path.string());
    write_file(path.string(), text, InterruptGuard::token());
}

void write_part(const std::filesystem::path& folder, const ReportPart& part, const RunFiles& files) {
    const std::string stem(part.experiment->name);
    for (const ResultTable& table : part.result.tables)
        write_report_file(folder / fmt::format("{}-{}.csv", stem, table.name), table.rows.table().csv(), files);
    for (const Plot& plot : part.result.plots)
        write_report_file(folder / fmt::format("{}-{}.svg", stem, plot.name), to_svg(plot), files);
}

std::string to_html(const Report& report) {
    std::string out = kHead;
    out += "<h1>The papers’ experiments, measured on this machine</h1>\n<p class=\"note\">Throng " TH_VERSION
           ". Solid markers are measured on this machine; hollow markers and dashed lines are published figures.</p>\n";
    out += list_of(report.machine);
    out += "<nav>";
    for (const ReportPart& part : report.parts) out += fmt::format("<a href=\"#{0}\">{0}</a>", part.experiment->name);
    out += "</nav>\n";
    for (const ReportPart& part : report.parts) out += html_part(part);
    return out + "</body></html>\n";
}

}  // namespace throng
