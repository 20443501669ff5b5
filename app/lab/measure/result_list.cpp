#include "app/lab/measure/result_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace throng {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const ResultValue& value, int digits) {
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:.{}f}", *number, digits);
    if (const auto* count = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *count);
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "yes" : "no";
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) {
        return fmt::format("{}", fmt::join(*list, " "));
    }
    return "-";
}

Json json_of(const ResultValue& value) {
    return std::visit(
        [](const auto& held) -> Json {
            if constexpr (std::is_same_v<decltype(held), const std::monostate&>) {
                return {};
            } else {
                return held;
            }
        },
        value);
}

}  // namespace

ResultRow& ResultRow::add(std::string column, std::string key, ResultValue value, int digits) {
    if (!column.empty() && std::any_of(cells_.begin(), cells_.end(), [&](const Cell& c) { return c.column == column; }))
        throw std::invalid_argument("a row of results has two values in the column " + column);
    cells_.push_back({std::move(column), std::move(key), std::move(value), digits});
    return *this;
}

ResultRow& ResultRow::fields(const RunTimes& times) {
    field("runs", static_cast<std::int64_t>(times.total.size()));
    field("median_ms", times.total.median()).field("min_ms", times.total.min()).field("p99_ms", times.total.p99());
    for (const auto& [name, samples] : times.stages) field("stages_ms/" + name, samples.median());
    return *this;
}

ResultRow& ResultRow::stage(const RunTimes& times, std::string_view name, int digits) {
    return cell(std::string(name), value_of(times.stage_median(name)), digits);
}

TextTable ResultList::table() const {
    std::vector<std::string> columns;
    for (const ResultRow& row : rows_) {
        auto next = columns.begin();
        for (const ResultRow::Cell& cell : row.cells_) {
            if (cell.column.empty()) continue;
            auto found = std::find(columns.begin(), columns.end(), cell.column);
            if (found == columns.end()) found = columns.insert(next, cell.column);
            next = found + 1;
        }
    }
    TextTable table(columns);
    for (const ResultRow& row : rows_) {
        std::vector<std::string> texts(columns.size(), "-");
        for (const ResultRow::Cell& cell : row.cells_) {
            const auto column = std::find(columns.begin(), columns.end(), cell.column);
            if (column == columns.end()) continue;
            texts[static_cast<std::size_t>(column - columns.begin())] = text_of(cell.value, cell.digits);
        }
        table.add(std::move(texts));
    }
    return table;
}

Json ResultList::json() const {
    Json list = Json::array();
    for (const ResultRow& row : rows_) {
        Json item = Json::object();
        for (const ResultRow::Cell& cell : row.cells_) {
            if (cell.key.empty() || std::holds_alternative<std::monostate>(cell.value)) continue;
            item[Json::json_pointer("/" + cell.key)] = json_of(cell.value);
        }
        list.push_back(std::move(item));
    }
    return list;
}

}  // namespace throng
