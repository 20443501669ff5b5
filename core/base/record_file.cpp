#include "core/base/record_file.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/json_integer.h"
#include "core/base/json_text.h"

namespace throng {
namespace {

constexpr const char* kBytesKey = "bytes";
constexpr std::uint64_t kMaxBytesOfRecord = std::uint64_t{1} << 30U;
constexpr std::uint64_t kRecordBlock = std::uint64_t{1} << 20U;

}  // namespace

void RecordWriter::write_line(std::string_view line, const std::stop_token& stop) {
    records_.write(line);
    records_.write("\n", stop);
}

void RecordWriter::write(const nlohmann::ordered_json& record, const std::stop_token& stop) {
    write_line(json_text(record), stop);
}

void RecordWriter::write(nlohmann::ordered_json record, std::span<const std::uint8_t> bytes,
                         const std::stop_token& stop) {
    record[kBytesKey] = bytes.size();
    write(record, stop);
    records_.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, stop);
}

void RecordWriter::close(const std::stop_token& stop) {
    records_.flush(stop);
    file_.close();
}

RecordReader::RecordReader(const std::filesystem::path& path)
    : path_(path), stream_(path, std::ios::binary), lines_(stream_, path.string()) {
    if (!stream_) throw damaged("it cannot be read");
}

Error RecordReader::damaged(const std::string& why) const {
    return {ErrorKind::input, "the result of the part is damaged: " + why, path_.string()};
}

nlohmann::ordered_json RecordReader::read(const std::stop_token& stop) {
    if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped", path_.string());
    bytes_.clear();
    if (!lines_.next()) return {};
    if (!lines_.complete()) throw damaged("a record is cut short");
    try {
        auto record = parse_json<nlohmann::ordered_json>(lines_.line());
        if (!record.is_object() || !record.contains(kBytesKey)) return record;
        const auto size = integer_at<std::uint64_t>(record, kBytesKey);
        if (size > kMaxBytesOfRecord) throw damaged("a record is too large");
        // Block by block: a file that was cut short needs no memory for what is missing.
        for (std::size_t begin = 0; begin < size; begin = bytes_.size()) {
            const std::size_t count = std::min(kRecordBlock, size - begin);
            bytes_.resize(begin + count);
            if (lines_.read(reinterpret_cast<char*>(bytes_.data() + begin), count) != count) {
                throw damaged("a record is cut short");
            }
        }
        return record;
    } catch (const nlohmann::json::exception& error) {
        throw damaged(error.what());
    }
}

nlohmann::ordered_json read_records(const std::filesystem::path& path, const UseRecord& begin, const UseRecord& use,
                                    const std::stop_token& stop) {
    RecordReader records(path);
    try {
        const nlohmann::ordered_json first = records.read(stop);
        if (begin) begin(first, records.bytes());
        for (;;) {
            nlohmann::ordered_json record = records.read(stop);
            if (record.is_null()) throw records.damaged("its end is missing");
            if (record.contains("last")) return record;
            use(record, records.bytes());
        }
    } catch (const nlohmann::json::exception& error) {
        throw records.damaged(error.what());
    }
}

}  // namespace throng
