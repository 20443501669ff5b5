// Files of JSON records that are written and read one after the other, without rounding.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>

#include "core/base/output_file.h"

namespace throng {

// Not thread-safe.
class RecordWriter {
public:
    explicit RecordWriter(const std::string& path) : file_(path) {}

    // Both throw as OutputFile::write does.
    void write(const nlohmann::json& record, const std::stop_token& stop);
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
    [[nodiscard]] nlohmann::json read(const std::stop_token& stop);
    // Returns the error for a file whose records are not as expected.
    [[nodiscard]] Error damaged(const std::string& why) const;

private:
    std::filesystem::path path_;
    std::ifstream stream_;
};

}  // namespace throng
