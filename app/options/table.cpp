#include "app/options/table.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "core/base/csv.h"

namespace throng {
namespace {

// Returns the number of code points of UTF-8 text: the bytes that are not continuation bytes.
std::size_t columns(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Matches "12.5", "-3", "0.1 %", "±2", "2.4x". An empty cell or a dash fits any column.
bool looks_like_number(std::string_view cell) {
    if (cell.empty() || cell == "-" || cell == "–") return true;
    const std::size_t first = cell.find_first_not_of("+-.");
    return first != std::string_view::npos && cell[first] >= '0' && cell[first] <= '9' && columns(cell) <= 20;
}

void append_csv(std::string& out, const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (i > 0) out += ',';
        out += csv_cell(row[i]);
    }
    out += '\n';
}

}  // namespace

TextTable::TextTable(std::vector<std::string> header) : header_(std::move(header)) {}

void TextTable::add(std::vector<std::string> row) {
    if (row.size() > header_.size()) throw std::invalid_argument("a row of a table has more cells than its header");
    row.resize(header_.size());
    rows_.push_back(std::move(row));
}

std::string TextTable::text() const {
    std::vector<std::size_t> width(header_.size());
    std::vector<bool> right(header_.size(), !rows_.empty());
    for (std::size_t i = 0; i < header_.size(); ++i) {
        width[i] = columns(header_[i]);
        for (const auto& row : rows_) {
            width[i] = std::max(width[i], columns(row[i]));
            right[i] = right[i] && looks_like_number(row[i]);
        }
    }
    std::string out;
    const auto line = [&](const std::vector<std::string>& row) {
        std::string text;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string padding(width[i] - columns(row[i]), ' ');
            if (i > 0) text += "  ";
            text += right[i] ? padding + row[i] : row[i] + padding;
        }
        text.erase(text.find_last_not_of(' ') + 1);
        out += text + '\n';
    };
    line(header_);
    for (std::size_t i = 0; i < width.size(); ++i) out += (i > 0 ? "  " : "") + std::string(width[i], '-');
    out += '\n';
    for (const auto& row : rows_) line(row);
    return out;
}

std::string TextTable::csv() const {
    std::string out;
    append_csv(out, header_);
    for (const auto& row : rows_) append_csv(out, row);
    return out;
}

}  // namespace throng
