#include "core/base/csv.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace throng {
namespace {

constexpr std::size_t kBlock = std::size_t{256} << 10U;

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

CsvReader::CsvReader(std::istream& stream, std::string name) : stream_(stream), name_(std::move(name)) {
    fill();
    if (std::string_view(buffer_).substr(0, 3) == "\xEF\xBB\xBF") begin_ = 3;
}

bool CsvReader::next() {
    std::string_view line;
    do {
        if (!read_line(line)) return false;
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

// Reads the next line without its line ending. Returns false after the last.
bool CsvReader::read_line(std::string_view& line) {
    std::size_t searched = 0;
    while (true) {
        const char* const start = buffer_.data() + begin_;
        const std::size_t size = buffer_.size() - begin_;
        const auto* const end =
            size > searched ? static_cast<const char*>(std::memchr(start + searched, '\n', size - searched)) : nullptr;
        if (end != nullptr) {
            line = {start, static_cast<std::size_t>(end - start)};
            begin_ += line.size() + 1;
            ++line_;
            return true;
        }
        if (at_end_) {
            if (size == 0) return false;
            line = {start, size};
            begin_ = buffer_.size();
            ++line_;
            return true;
        }
        if (size > kMaxLine) {
            ++line_;
            throw error("the line is longer than 64 MiB", "is this a CSV file?");
        }
        searched = size;
        fill();
    }
}

// Appends one block of the stream to the unread part of the buffer.
void CsvReader::fill() {
    buffer_.erase(0, begin_);
    begin_ = 0;
    const std::size_t kept = buffer_.size();
    buffer_.resize(kept + kBlock);
    stream_.read(buffer_.data() + kept, static_cast<std::streamsize>(kBlock));
    buffer_.resize(kept + static_cast<std::size_t>(stream_.gcount()));
    if (stream_.bad()) throw Error(ErrorKind::input, "cannot be read", name_);
    at_end_ = !stream_;
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
    return Error(ErrorKind::input, problem, name_ + ":" + std::to_string(line_), advice);
}

Error CsvReader::error_at(std::size_t column, std::string_view column_name, const std::string& problem,
                          const std::string& advice) const {
    return Error(ErrorKind::input, problem,
                 name_ + ":" + std::to_string(line_) + ", column " + std::to_string(column + 1) + " (" +
                     std::string(column_name) + ")",
                 advice);
}

}  // namespace throng
