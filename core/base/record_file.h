// Files of JSON lines that are written and read one after the other. Bytes, such as those of a packet, may follow a line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/line_reader.h"
#include "core/base/output_file.h"

namespace throng {

// Not thread-safe.
class RecordWriter {
public:
    explicit RecordWriter(const std::string& path) : file_(path) {}

    // All throw as OutputFile::write does.
    // line: without a line feed.
    void write_line(std::string_view line, const std::stop_token& stop);
    void write(const nlohmann::ordered_json& record, const std::stop_token& stop);
    // Adds the number of the bytes to the record, which is an object.
    void write(nlohmann::ordered_json record, std::span<const std::uint8_t> bytes, const std::stop_token& stop);
    void close(const std::stop_token& stop);

private:
    OutputFile file_;
    BlockWriter records_{file_};
};

// Not thread-safe.
class RecordReader {
public:
    // Throws Error(input) if the file cannot be read.
    explicit RecordReader(const std::filesystem::path& path);

    // Returns null at the end of the file. Throws Error(input) if the record is damaged or cut short, and
    // Error(interrupted) after a stop request.
    [[nodiscard]] nlohmann::ordered_json read(const std::stop_token& stop);
    // Returns what follows the line of the last record.
    [[nodiscard]] const std::vector<std::uint8_t>& bytes() const noexcept { return bytes_; }
    // Returns the error for a file whose records are not as expected.
    [[nodiscard]] Error damaged(const std::string& why) const;

private:
    std::filesystem::path path_;
    std::ifstream stream_;
    LineReader lines_;
    std::vector<std::uint8_t> bytes_;
};

// Gets a record, and the bytes that follow its line.
using UseRecord = std::function<void(const nlohmann::ordered_json& record, const std::vector<std::uint8_t>& bytes)>;

// Calls `begin`, if it is set, with the first record of a file and `use` with each that follows, up to the one with the
// key "last", which is returned. Throws as RecordReader, Error(input) for a file without that record or if one of them
// throws an exception of nlohmann, and what they throw.
nlohmann::ordered_json read_records(const std::filesystem::path& path, const UseRecord& begin, const UseRecord& use,
                                    const std::stop_token& stop);

}  // namespace throng
