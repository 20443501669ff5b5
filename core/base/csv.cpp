#include "core/base/csv.h"

#include <charconv>
#include <cstdlib>
#include <utility>

namespace throng {
namespace {

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Quotes a value for a message: truncated, and without bytes that a terminal would interpret.
std::string quoted(std::string_view value) {
    constexpr std::size_t kMaxShown = 40;
    std::string text = "\"";
    for (const char c : value.substr(0, kMaxShown)) text += (c >= ' ' && c <= '~') ? c : '?';
    return text + (value.size() > kMaxShown ? "…\"" : "\"");
}

}  // namespace

std::string csv_cell(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
    return quoted + "\"";
}

bool parse_number(std::string_view text, double& value) {
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, value);
    if (stop != end) return false;
    if (problem == std::errc::result_out_of_range) value = std::strtod(std::string(text).c_str(), nullptr);
    return problem != std::errc::invalid_argument;
}

CsvReader::CsvReader(std::istream& stream, std::string name) : lines_(stream, std::move(name)) {}

bool CsvReader::next() {
    std::string_view line;
    do {
        if (!lines_.next()) return false;
        line = lines_.line();
        if (lines_.number() == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    } while (trimmed(line).empty());

    values_.clear();
    while (true) {
        const auto comma = line.find(',');
        values_.push_back(trimmed(line.substr(0, comma)));
        if (comma == std::string_view::npos) return true;
        line.remove_prefix(comma + 1);
    }
}

void CsvReader::require_columns(std::size_t count) const {
    if (values_.size() == count) return;
    throw error("has " + std::to_string(values_.size()) + " values where " + std::to_string(count) + " are expected");
}

double CsvReader::number(std::size_t column, std::string_view column_name) const {
    double value = 0;
    if (parse_number(values_[column], value)) return value;
    throw error_at(column, column_name, quoted(values_[column]) + " is not a number");
}

Error CsvReader::error(const std::string& problem, const std::string& advice) const {
    return Error(ErrorKind::input, problem, lines_.location(), advice);
}

Error CsvReader::error_at(std::size_t column, std::string_view column_name, const std::string& problem,
                          const std::string& advice) const {
    return Error(ErrorKind::input, problem,
                 lines_.location() + ", column " + std::to_string(column + 1) + " (" + std::string(column_name) + ")",
                 advice);
}

}  // namespace throng
