// Reads text line by line. A file without line ends does not fill the memory: a line that is too long is an error, which
// names the file and the line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

namespace throng {

// Not thread-safe.
class LineReader {
public:
    static constexpr std::size_t kMaxLine = std::size_t{256} << 20U;  // bytes; a line of detections may be long

    // Reads from the current position. name: of the stream, for messages. The stream must outlive the reader.
    LineReader(std::istream& stream, std::string name, std::size_t max_line = kMaxLine);

    // Advances to the next line. Returns false at the end. Throws Error(input) if reading fails or the line is longer
    // than max_line.
    bool next();
    // Returns the current line without its line feed. The view is valid until the next call of next() or read().
    [[nodiscard]] std::string_view line() const noexcept { return line_; }
    // Returns false for a last line without a line feed.
    [[nodiscard]] bool complete() const noexcept { return complete_; }
    // Reads bytes that follow the current line. Returns how many there were.
    [[nodiscard]] std::size_t read(char* to, std::size_t count);

    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }  // of the current line, from 1
    [[nodiscard]] std::string location() const;                              // "boxes.csv:12"

private:
    void fill();

    std::istream& stream_;
    std::string name_;
    std::size_t max_line_;
    std::string buffer_;
    std::size_t begin_ = 0;  // of the unread part of buffer_
    std::size_t block_ = 0;  // size of the last one read
    bool at_end_ = false;
    std::string_view line_;
    bool complete_ = false;
    std::uint64_t number_ = 0;
};

}  // namespace throng
