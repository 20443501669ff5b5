#include "core/video/image_header.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <string_view>

#include "core/video/header_bytes.h"
#include "core/video/heif.h"

namespace throng {
namespace {

// The directory of a TIFF file, which EXIF data are, too (TIFF 6.0, section 2).
class TiffDirectory {
public:
    explicit TiffDirectory(const HeaderBytes& bytes) : bytes_(bytes), little_(bytes.at(0) == 'I'), at_(u32(4)) {}

    // Calls use(tag, first value, offset of the low byte of that value) for every entry of the first directory.
    template <class Use>
    void for_each(const Use& use) const {
        for (std::size_t i = 0, entries = u16(at_); i < entries; ++i) {
            const std::size_t entry = at_ + 2 + 12 * i;
            if (entry + 12 > bytes_.size()) return;
            constexpr std::uint32_t kByte = 1;
            constexpr std::uint32_t kShort = 3;
            const std::uint32_t type = u16(entry + 2);
            const std::size_t at = entry + 8;
            const std::uint32_t value = type == kByte ? bytes_.at(at) : type == kShort ? u16(at) : u32(at);
            const std::size_t size = type == kByte ? 1 : type == kShort ? 2 : 4;
            use(u16(entry), value, little_ ? at : at + size - 1);
        }
    }

private:
    [[nodiscard]] std::uint32_t u16(std::size_t i) const { return little_ ? bytes_.little16(i) : bytes_.big16(i); }
    [[nodiscard]] std::uint32_t u32(std::size_t i) const { return little_ ? bytes_.little32(i) : bytes_.big32(i); }

    const HeaderBytes& bytes_;
    bool little_;
    std::size_t at_;
};

bool begins_tiff(const HeaderBytes& bytes) {
    using namespace std::string_view_literals;
    return bytes.holds(0, "II*\0"sv) || bytes.holds(0, "MM\0*"sv);
}

constexpr std::uint32_t kOrientationTag = 274;

// Reads EXIF data, with or without the prefix of JPEG.
Orientation exif_orientation(HeaderBytes exif) {
    if (exif.holds(0, "Exif")) exif = exif.part(6, exif.size());
    if (!begins_tiff(exif)) return {};
    Orientation orientation;
    TiffDirectory(exif).for_each([&](std::uint32_t tag, std::uint32_t value, std::size_t) {
        if (tag == kOrientationTag) orientation = orientation_of_exif(value);
    });
    return orientation;
}

// Walks the marker segments to the frame header (SOF) and the first scan (ITU-T T.81, annex B).
ImageHeader jpeg(const HeaderBytes& bytes) {
    ImageHeader header{ImageKind::jpeg};
    bool has_exif = false;
    std::size_t at = 2;
    while (at + 4 <= bytes.size()) {
        const std::uint32_t marker = bytes.at(at + 1);
        if (bytes.at(at) != 0xFF || marker == 0xFF || marker == 0) {  // fill bytes; decoders skip others, too
            ++at;
            continue;
        }
        const bool frame = marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
        if (frame) {
            header.height = bytes.big16(at + 5);
            header.width = bytes.big16(at + 7);
        }
        if (marker == 0xE1 && !has_exif && bytes.holds(at + 4, "Exif")) {
            has_exif = true;
            header.orientation = exif_orientation(bytes.part(at + 4, bytes.big16(at + 2) - std::size_t{2}));
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

ImageHeader png(const HeaderBytes& bytes) {
    ImageHeader header{ImageKind::png, bytes.big32(16), bytes.big32(20)};
    const std::uint32_t color_type = bytes.at(25);
    header.alpha = color_type == 4 || color_type == 6;
    bool has_pixels = false;
    for (std::size_t at = 8; at + 8 <= bytes.size();) {
        const std::size_t length = bytes.big32(at);
        has_pixels = has_pixels || bytes.holds(at + 4, "IDAT");
        header.alpha = header.alpha || (!has_pixels && bytes.holds(at + 4, "tRNS"));
        header.animated = header.animated || (!has_pixels && bytes.holds(at + 4, "acTL"));
        // May follow the pixels.
        if (bytes.holds(at + 4, "eXIf")) header.orientation = exif_orientation(bytes.part(at + 8, length));
        at += std::size_t{12} + length;
    }
    return header;
}

ImageHeader webp(const HeaderBytes& bytes) {
    ImageHeader header{ImageKind::webp};
    if (bytes.holds(12, "VP8X")) {
        header.animated = (bytes.at(20) & 0x02U) != 0;
        header.alpha = (bytes.at(20) & 0x10U) != 0;
        header.width = 1 + bytes.little24(24);
        header.height = 1 + bytes.little24(27);
        const bool has_exif = (bytes.at(20) & 0x08U) != 0;
        for (std::size_t at = 12; has_exif && at + 8 <= bytes.size();) {  // the chunk may follow the pixels
            const std::size_t length = bytes.little32(at + 4);
            if (bytes.holds(at, "EXIF")) header.orientation = exif_orientation(bytes.part(at + 8, length));
            at += 8 + length + length % 2;
        }
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

ImageHeader bmp(const HeaderBytes& bytes) {
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

ImageHeader tiff(const HeaderBytes& bytes) {
    ImageHeader header{ImageKind::tiff};
    TiffDirectory(bytes).for_each([&](std::uint32_t tag, std::uint32_t value, std::size_t at) {
        if (tag == 256) header.width = value;
        if (tag == 257) header.height = value;
        if (tag == 338) header.alpha = true;  // ExtraSamples
        if (tag != kOrientationTag) return;
        header.orientation = orientation_of_exif(value);
        header.orientation_at = at;
    });
    return header;
}

ImageHeader heif(const HeifFile& file) {
    ImageHeader header{ImageKind::heif, file.width, file.height};
    header.orientation = file.orientation;
    header.alpha = file.alpha != 0;
    return header;
}

// "P5 # a comment\n640 480 255\n"
ImageHeader pnm(const HeaderBytes& bytes) {
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
    const HeaderBytes bytes(data);
    if (bytes.holds(0, "\xFF\xD8\xFF"sv)) return jpeg(bytes);
    if (bytes.holds(0, "\x89PNG\r\n\x1A\n"sv)) return png(bytes);
    if (bytes.holds(0, "RIFF"sv) && bytes.holds(8, "WEBP"sv)) return webp(bytes);
    if (bytes.holds(0, "BM"sv) && bytes.little32(14) >= 12 && bytes.little32(14) <= 124) return bmp(bytes);
    if (begins_tiff(bytes)) return tiff(bytes);
    if (const std::optional<HeifFile> file = read_heif(bytes)) return heif(*file);
    const bool pnm_kind = bytes.at(0) == 'P' && bytes.at(1) >= '1' && bytes.at(1) <= '6';
    if (pnm_kind && std::isspace(static_cast<int>(bytes.at(2))) != 0) return pnm(bytes);
    return std::nullopt;
}

}  // namespace throng
