// A table for the terminal: columns as wide as their widest cell, columns of numbers aligned to the right.
#pragma once

#include <string>
#include <vector>

namespace throng {

class TextTable {
public:
    explicit TextTable(std::vector<std::string> header);

    // Missing cells are empty. Throws std::invalid_argument for more cells than the header has.
    void add(std::vector<std::string> row);

    [[nodiscard]] const std::vector<std::string>& header() const noexcept { return header_; }
    [[nodiscard]] const std::vector<std::vector<std::string>>& rows() const noexcept { return rows_; }
    [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }
    // Returns header, a separator line and the rows, each terminated by \n. Cells are UTF-8; every code point counts as
    // one column.
    [[nodiscard]] std::string text() const;
    // Returns the same rows as RFC 4180 CSV with the header as the first line.
    [[nodiscard]] std::string csv() const;

private:
    std::vector<std::string> header_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace throng
