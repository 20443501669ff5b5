#include "core/video/image_header.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <string_view>

namespace throng {
namespace {

// Bounds-checked bytes: reads outside return 0.
class Bytes {
public:
    explicit Bytes(const std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

    [[nodiscard]] std::size_t size() const { return bytes_.size(); }
    [[nodiscard]] std::uint32_t at(std::size_t i) const { return i < bytes_.size() ? bytes_[i] : 0U; }
    [[nodiscard]] std::uint32_t big16(std::size_t i) const { return at(i) << 8 | at(i + 1); }
    [[nodiscard]] std::uint32_t big32(std::size_t i) const { return big16(i) << 16 | big16(i + 2); }
    [[nodiscard]] std::uint32_t little16(std::size_t i) const { return at(i + 1) << 8 | at(i); }
    [[nodiscard]] std::uint32_t little24(std::size_t i) const { return at(i + 2) << 16 | little16(i); }
    [[nodiscard]] std::uint32_t little32(std::size_t i) const { return little16(i + 2) << 16 | little16(i); }
    [[nodiscard]] bool holds(std::size_t i, std::string_view text) const {
        return i + text.size() <= bytes_.size() && std::memcmp(bytes_.data() + i, text.data(), text.size()) == 0;
    }

private:
    const std::vector<std::uint8_t>& bytes_;
};

// Walks the marker segments to the frame header (SOF) and the first scan (ITU-T T.81, annex B).
ImageHeader jpeg(const Bytes& bytes) {
    ImageHeader header{ImageKind::jpeg};
    std::size_t at = 2;
    while (at + 4 <= bytes.size()) {
        if (bytes.at(at) != 0xFF) break;
        const std::uint32_t marker = bytes.at(at + 1);
        if (marker == 0xFF) {  // fill byte
            ++at;
            continue;
        }
        const bool frame = marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
        if (frame) {
            header.height = bytes.big16(at + 5);
            header.width = bytes.big16(at + 7);
        }
        const bool bare = marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8);
        const std::size_t next = bare ? at + 2 : at + 2 + bytes.big16(at + 2);
        if (marker == 0xDA) {  // scan data: a complete file ends with its end marker
            header.truncated = true;
            for (std::size_t i = bytes.size(); i-- > next && header.truncated;) {
                header.truncated = !(bytes.at(i) == 0xFF && bytes.at(i + 1) == 0xD9);
            }
            break;
        }
        at = next;
    }
    return header;
}

ImageHeader png(const Bytes& bytes) {
    ImageHeader header{ImageKind::png, bytes.big32(16), bytes.big32(20)};
    const std::uint32_t color_type = bytes.at(25);
    header.alpha = color_type == 4 || color_type == 6;
    for (std::size_t at = 8; at + 8 <= bytes.size() && !bytes.holds(at + 4, "IDAT");) {
        header.alpha = header.alpha || bytes.holds(at + 4, "tRNS");
        header.animated = header.animated || bytes.holds(at + 4, "acTL");
        at += std::size_t{12} + bytes.big32(at);
    }
    return header;
}

ImageHeader webp(const Bytes& bytes) {
    ImageHeader header{ImageKind::webp};
    if (bytes.holds(12, "VP8X")) {
        header.animated = (bytes.at(20) & 0x02U) != 0;
        header.alpha = (bytes.at(20) & 0x10U) != 0;
        header.width = 1 + bytes.little24(24);
        header.height = 1 + bytes.little24(27);
    } else if (bytes.holds(12, "VP8L")) {
        header.alpha = (bytes.at(24) & 0x10U) != 0;
        header.width = 1 + (bytes.little16(21) & 0x3FFFU);
        header.height = 1 + (bytes.little32(21) >> 14 & 0x3FFFU);
    } else if (bytes.holds(12, "VP8 ")) {
        header.width = bytes.little16(26) & 0x3FFFU;
        header.height = bytes.little16(28) & 0x3FFFU;
    }
    return header;
}

ImageHeader bmp(const Bytes& bytes) {
    ImageHeader header{ImageKind::bmp};
    if (bytes.little32(14) == 12) {  // OS/2
        header.width = bytes.little16(18);
        header.height = bytes.little16(20);
    } else {
        header.width = static_cast<std::int32_t>(bytes.little32(18));
        header.height = std::abs(std::int64_t{static_cast<std::int32_t>(bytes.little32(22))});
        header.alpha = bytes.little16(28) == 32;
    }
    return header;
}

ImageHeader tiff(const Bytes& bytes) {
    ImageHeader header{ImageKind::tiff};
    const bool little = bytes.at(0) == 'I';
    const auto u16 = [&](std::size_t i) { return little ? bytes.little16(i) : bytes.big16(i); };
    const auto u32 = [&](std::size_t i) { return little ? bytes.little32(i) : bytes.big32(i); };
    const std::size_t directory = u32(4);
    for (std::size_t i = 0, entries = u16(directory); i < entries; ++i) {
        const std::size_t entry = directory + 2 + 12 * i;
        const std::uint32_t value = u16(entry + 2) == 3 ? u16(entry + 8) : u32(entry + 8);
        if (u16(entry) == 256) header.width = value;
        if (u16(entry) == 257) header.height = value;
        if (u16(entry) == 338) header.alpha = true;  // ExtraSamples
    }
    return header;
}

// "P5 # a comment\n640 480 255\n"
ImageHeader pnm(const Bytes& bytes) {
    ImageHeader header{ImageKind::pnm};
    std::size_t at = 2;
    for (std::int64_t* value : {&header.width, &header.height}) {
        while (std::isspace(static_cast<int>(bytes.at(at))) != 0 || bytes.at(at) == '#') {
            if (bytes.at(at) == '#') {
                while (at < bytes.size() && bytes.at(at) != '\n') ++at;
            }
            ++at;
        }
        for (; std::isdigit(static_cast<int>(bytes.at(at))) != 0; ++at) {
            *value = std::min<std::int64_t>(*value * 10 + (bytes.at(at) - '0'), std::int64_t{1} << 31);
        }
    }
    return header;
}

}  // namespace

std::optional<ImageHeader> read_image_header(const std::vector<std::uint8_t>& data) {
    using namespace std::string_view_literals;
    const Bytes bytes(data);
    if (bytes.holds(0, "\xFF\xD8\xFF"sv)) return jpeg(bytes);
    if (bytes.holds(0, "\x89PNG\r\n\x1A\n"sv)) return png(bytes);
    if (bytes.holds(0, "RIFF"sv) && bytes.holds(8, "WEBP"sv)) return webp(bytes);
    if (bytes.holds(0, "BM"sv) && bytes.little32(14) >= 12 && bytes.little32(14) <= 124) return bmp(bytes);
    if (bytes.holds(0, "II*\0"sv) || bytes.holds(0, "MM\0*"sv)) return tiff(bytes);
    const bool pnm_kind = bytes.at(0) == 'P' && bytes.at(1) >= '1' && bytes.at(1) <= '6';
    if (pnm_kind && std::isspace(static_cast<int>(bytes.at(2))) != 0) return pnm(bytes);
    return std::nullopt;
}

}  // namespace throng
