// A strict, streaming reader of comma-separated values: numbers and bare words, no quotes, no comments.
// Accepts a byte order mark, LF and CRLF, blank lines (skipped), blanks around values and a last line without its end.
// Every problem is an Error(input) that names the file, the line, the column and the value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace throng {

class CsvReader {
public:
    // name: what messages call the stream. The stream must outlive the reader.
    CsvReader(std::istream& stream, std::string name);

    // Goes to the next line that is not blank; false at the end. Throws where reading fails, and for a line beyond
    // kMaxLine.
    bool next();

    // Of the line that next() went to; the views hold until the next call.
    [[nodiscard]] const std::vector<std::string_view>& values() const noexcept { return values_; }
    [[nodiscard]] std::uint64_t line() const noexcept { return line_; }

    // Throws unless the line has this many values.
    void require_columns(std::size_t count) const;
    // The value as a number: decimal, "nan" or "inf", rounded to the nearest double (beyond its range: infinite or 0).
    // column_name: for the message.
    [[nodiscard]] double number(std::size_t column, std::string_view column_name) const;
    // An error at the current line, and at one of its columns.
    [[nodiscard]] Error error(const std::string& problem, const std::string& advice = {}) const;
    [[nodiscard]] Error error_at(std::size_t column, std::string_view column_name, const std::string& problem,
                                 const std::string& advice = {}) const;

    static constexpr std::size_t kMaxLine = std::size_t{64} << 20U;

private:
    bool read_line(std::string_view& line);
    void fill();

    std::istream& stream_;
    std::string name_;
    std::string buffer_;
    std::size_t begin_ = 0;  // of what is not read yet, in buffer_
    bool at_end_ = false;
    std::uint64_t line_ = 0;
    std::vector<std::string_view> values_;
};

// Whether text is a number as CsvReader::number understands it.
[[nodiscard]] bool parse_number(std::string_view text, double& value);

}  // namespace throng
