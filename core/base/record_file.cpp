#include "core/base/record_file.h"

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/error.h"
#include "core/base/json_text.h"

namespace throng {
namespace {

constexpr std::uint32_t kMaxRecord = std::uint32_t{1} << 30U;  // bytes

}  // namespace

// A record is its size in 4 bytes, the lowest first, and CBOR, which holds floats without rounding.
void RecordWriter::write(const nlohmann::json& record, const std::stop_token& stop) {
    const std::vector<std::uint8_t> cbor = nlohmann::json::to_cbor(record);
    std::string bytes;
    for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(cbor.size() >> shift);
    bytes.append(cbor.begin(), cbor.end());
    records_.write(bytes, stop);
}

void RecordWriter::close(const std::stop_token& stop) {
    records_.flush(stop);
    file_.close();
}

RecordReader::RecordReader(const std::filesystem::path& path) : path_(path), stream_(path, std::ios::binary) {
    if (!stream_) throw damaged("it cannot be read");
}

Error RecordReader::damaged(const std::string& why) const {
    return {ErrorKind::input, "the result of the part is damaged: " + why, path_.string()};
}

nlohmann::json RecordReader::read(const std::stop_token& stop) {
    if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped", path_.string());
    std::array<char, 4> head{};
    stream_.read(head.data(), head.size());
    if (stream_.gcount() == 0) return {};
    std::uint32_t size = 0;
    for (unsigned i = 0; i < 4; ++i) size |= std::uint32_t{static_cast<std::uint8_t>(head[i])} << (8 * i);
    if (stream_.gcount() < 4 || size > kMaxRecord) throw damaged("a record is cut short");
    std::vector<std::uint8_t> cbor(size);
    stream_.read(reinterpret_cast<char*>(cbor.data()), size);
    if (stream_.gcount() != static_cast<std::streamsize>(size)) throw damaged("a record is cut short");
    try {
        return parse_cbor(cbor);
    } catch (const nlohmann::json::exception& error) {
        throw damaged(error.what());
    }
}

}  // namespace throng
