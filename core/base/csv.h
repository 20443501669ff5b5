// Comma-separated values: what quotes a cell, and a strict, streaming reader of numbers and bare words, without quotes
// and comments.
// Accepts a byte order mark, LF and CRLF, blank lines (skipped), blanks around values and a last line without line
// ending. Every problem is an Error(input) that names the file, the line, the column and the value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/line_reader.h"

namespace throng {

class CsvReader {
public:
    // name: of the stream, for messages. The stream must outlive the reader.
    CsvReader(std::istream& stream, std::string name);

    // Advances to the next line that is not blank. Returns false at the end. Throws if reading fails or a line is
    // longer than LineReader::kMaxLine.
    bool next();

    // Values and number of the current line. The views are valid until the next call of next().
    [[nodiscard]] const std::vector<std::string_view>& values() const noexcept { return values_; }
    [[nodiscard]] std::uint64_t line() const noexcept { return lines_.number(); }

    // Throws unless the current line has `count` values.
    void require_columns(std::size_t count) const;
    // Returns the value as a number: decimal, "nan" or "inf", rounded to the nearest double (beyond its range: infinite
    // or 0). column_name: for the message.
    [[nodiscard]] double number(std::size_t column, std::string_view column_name) const;
    // Return an error at the current line, and at one of its columns.
    [[nodiscard]] Error error(const std::string& problem, const std::string& advice = {}) const;
    [[nodiscard]] Error error_at(std::size_t column, std::string_view column_name, const std::string& problem,
                                 const std::string& advice = {}) const;

private:
    LineReader lines_;
    std::vector<std::string_view> values_;
};

// Returns the text as a cell: quoted if it contains a comma, a quote or a line ending.
[[nodiscard]] std::string csv_cell(const std::string& text);

// Parses a number in the syntax of CsvReader::number. Returns false if text is not a number.
[[nodiscard]] bool parse_number(std::string_view text, double& value);

}  // namespace throng
