// Results of a measurement as rows of named values, written as a table, as CSV and as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "app/lab/measure/samples.h"
#include "app/options/table.h"

namespace throng {

// std::monostate: not measured; "-" in the table, no key in JSON. nullptr: has no value; "-" and null.
using ResultValue =
    std::variant<std::monostate, std::nullptr_t, std::string, double, std::int64_t, bool, std::vector<std::int64_t>>;

template <class Value>
[[nodiscard]] ResultValue value_if(bool measured, Value value) {
    return measured ? ResultValue(std::move(value)) : ResultValue();
}

template <class Value>
[[nodiscard]] ResultValue value_of(const std::optional<Value>& value) {
    return value ? ResultValue(*value) : ResultValue();
}

// Returns null for a ratio whose denominator is 0.
[[nodiscard]] inline ResultValue value_or_null(const std::optional<double>& value) {
    return value ? ResultValue(*value) : ResultValue(nullptr);
}

class ResultRow {
public:
    // column: heading of the table; empty: JSON only. key: of the JSON object, "/" between nested keys; empty: table
    // only. digits: after the decimal point of a double, in the table. Throws std::invalid_argument for a second value in
    // a column.
    ResultRow& add(std::string column, std::string key, ResultValue value, int digits = 4);
    // Adds a cell of the table only.
    ResultRow& cell(std::string column, ResultValue value, int digits = 4) {
        return add(std::move(column), {}, std::move(value), digits);
    }
    // Adds a value of the JSON object only.
    ResultRow& field(std::string key, ResultValue value) { return add({}, std::move(key), std::move(value)); }
    // Adds runs, median_ms, min_ms, p99_ms and the medians of the stages as stages_ms to the JSON object.
    ResultRow& fields(const RunTimes& times);
    // Adds the median of a stage to the table.
    ResultRow& stage(const RunTimes& times, std::string_view name, int digits);

private:
    friend class ResultList;
    struct Cell {
        std::string column;
        std::string key;
        ResultValue value;
        int digits;
    };
    std::vector<Cell> cells_;
};

class ResultList {
public:
    // Returns a new row, which is valid as long as the list.
    ResultRow& row() { return rows_.emplace_back(); }
    [[nodiscard]] bool empty() const { return rows_.empty(); }

    // Columns are in the order of the rows. A column that only some rows have follows its predecessor in them.
    [[nodiscard]] TextTable table() const;
    [[nodiscard]] nlohmann::ordered_json json() const;

private:
    std::deque<ResultRow> rows_;
};

}  // namespace throng
