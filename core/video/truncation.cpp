#include "core/video/truncation.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string_view>

namespace throng {
namespace {

using Bytes = std::span<const std::uint8_t>;

bool holds(Bytes bytes, std::size_t at, std::string_view text) {
    return at + text.size() <= bytes.size() && std::memcmp(bytes.data() + at, text.data(), text.size()) == 0;
}

std::uint64_t little_endian(Bytes bytes, std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8 | bytes[at + i];
    return value;
}

std::size_t find(Bytes bytes, std::size_t begin, std::string_view text) {
    const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(std::min(begin, bytes.size()));
    return static_cast<std::size_t>(std::search(from, bytes.end(), text.begin(), text.end()) - bytes.begin());
}

}  // namespace

bool is_truncated_ogg(Bytes tail) {
    using namespace std::string_view_literals;
    constexpr std::string_view kPage = "OggS\0"sv;  // and the version
    constexpr std::size_t kFlags = 5;
    constexpr std::size_t kSerial = 14;
    constexpr std::size_t kSegments = 26;
    constexpr std::uint8_t kEndOfStream = 4;
    std::map<std::uint64_t, bool> ended;  // by serial number of the stream
    for (std::size_t at = find(tail, 0, kPage); at < tail.size(); at = find(tail, at, kPage)) {
        if (at + kSegments >= tail.size()) return true;
        std::size_t end = at + kSegments + 1 + tail[at + kSegments];
        if (end > tail.size()) return true;
        for (std::size_t i = at + kSegments + 1, last = end; i < last; ++i) end += tail[i];
        if (end > tail.size()) return true;
        ended[little_endian(tail, at + kSerial, 4)] = (tail[at + kFlags] & kEndOfStream) != 0;
        at = end;
    }
    return std::any_of(ended.begin(), ended.end(), [](const auto& stream) { return !stream.second; });
}

bool is_truncated_transport_stream(Bytes tail) {
    constexpr std::uint8_t kSync = 0x47;
    constexpr std::size_t kPacket = 188;  // bytes from the sync byte; variants add a time before or a checksum after it
    constexpr std::size_t kMinPackets = 8;
    for (const std::size_t step : {kPacket, std::size_t{192}, std::size_t{204}}) {
        for (std::size_t first = 0; first < step && first + step * kMinPackets < tail.size(); ++first) {
            std::size_t at = first;
            while (at < tail.size() && tail[at] == kSync) at += step;
            if (at >= tail.size()) return tail.size() - (at - step) < kPacket;
        }
    }
    return false;
}

// File layout: magic, version and flags, attributes, an offset for each block, the blocks.
bool is_truncated_exr(Bytes file) {
    using namespace std::string_view_literals;
    constexpr std::uint64_t kTiled = 0x200;
    constexpr std::uint64_t kDeepOrSeveral = 0x1800;
    constexpr std::size_t kMagic = 8;
    if (!holds(file, 0, "\x76\x2F\x31\x01"sv) || file.size() < kMagic) return false;
    const std::uint64_t flags = little_endian(file, 4, 4);
    if ((flags & kDeepOrSeveral) != 0) return false;
    std::size_t at = kMagic;
    while (at < file.size() && file[at] != 0) {
        for (int text = 0; text < 2; ++text) at = find(file, at, "\0"sv) + 1;  // name and type
        if (at + 4 > file.size()) return true;
        at += 4 + little_endian(file, at, 4);
    }
    const std::size_t table = at + 1;
    // The first block follows the offset table, so the smallest offset is the end of the table.
    std::uint64_t table_end = file.size();
    std::uint64_t last_block = 0;
    for (at = table; at + 8 <= table_end; at += 8) {
        const std::uint64_t offset = little_endian(file, at, 8);
        if (offset == 0 && at == table) return false;  // some writers leave the table empty
        if (offset < table || offset >= file.size()) return true;
        table_end = std::min(table_end, offset);
        last_block = std::max(last_block, offset);
    }
    const std::size_t size_at = last_block + ((flags & kTiled) != 0 ? 16 : 4);  // after its coordinates
    if (last_block == 0 || size_at + 4 > file.size()) return true;
    return size_at + 4 + little_endian(file, size_at, 4) > file.size();
}

}  // namespace throng
