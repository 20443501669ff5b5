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

    // Moves to the next directory. Returns false after the last one.
    bool next() {
        const std::size_t following = u32(at_ + 2 + std::size_t{12} * u16(at_));
        if (following == 0 || following + 2 > bytes_.size()) return false;
        at_ = following;
        return true;
    }

    // Calls use(tag, first value, offset of the low byte of that value) for every entry.
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

    // Returns true if a strip or a tile of the image is not, or not entirely, in the file.
    [[nodiscard]] bool is_cut() const {
        std::size_t offsets = 0;  // of the entries
        std::size_t lengths = 0;
        for (std::size_t i = 0, entries = u16(at_); i < entries; ++i) {
            const std::size_t entry = at_ + 2 + 12 * i;
            const std::uint32_t tag = u16(entry);
            if (tag == 273 || tag == 324) offsets = entry;
            if (tag == 279 || tag == 325) lengths = entry;
        }
        if (offsets == 0 || lengths == 0) return false;
        const std::size_t count = std::min(u32(offsets + 4), u32(lengths + 4));
        if (count > bytes_.size()) return true;
        for (std::size_t i = 0; i < count; ++i) {
            const auto value = [&](std::size_t entry) -> std::uint64_t {
                const std::size_t size = u16(entry + 2) == 3 ? 2 : 4;
                const std::size_t at = (count * size <= 4 ? entry + 8 : u32(entry + 8)) + size * i;
                return size == 2 ? u16(at) : u32(at);
            };
            if (value(offsets) + value(lengths) > bytes_.size()) return true;
        }
        return false;
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
constexpr std::string_view kPng = "\x89PNG\r\n\x1A\n";
constexpr std::string_view kStartOfImage = "\xFF\xD8\xFF";
constexpr std::string_view kEndOfImage = "\xFF\xD9";
constexpr std::string_view kFill = "\xFF\xFF";
constexpr std::string_view kIndex("MPF", 4);  // with its NUL
constexpr std::string_view kContainer = "Container:Directory";

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

bool contains(std::span<const std::uint8_t> bytes, std::string_view text) {
    return std::search(bytes.begin(), bytes.end(), text.begin(), text.end()) != bytes.end();
}

// Returns the offset of the next marker, other than those within scan data.
std::size_t next_marker(const HeaderBytes& bytes, std::size_t at) {
    const std::span<const std::uint8_t> all = bytes.span();
    while (at + 1 < all.size()) {
        const auto* found = static_cast<const std::uint8_t*>(std::memchr(all.data() + at, 0xFF, all.size() - 1 - at));
        if (found == nullptr) break;
        at = static_cast<std::size_t>(found - all.data());
        const std::uint8_t marker = all[at + 1];
        const bool restart = marker >= 0xD0 && marker <= 0xD7;
        if (marker != 0 && marker != 0xFF && !restart) return at;
        ++at;
    }
    return all.size();
}

// Walks the marker segments to the frame header (SOF) and to the end of the image (ITU-T T.81, annex B).
ImageHeader jpeg(const HeaderBytes& bytes, bool is_first = true) {
    ImageHeader header{ImageKind::jpeg};
    header.decided = false;
    bool has_exif = false;
    bool has_index = false;  // of further images: the Multi-Picture Format, or a container in XMP (depth maps)
    for (std::size_t at = next_marker(bytes, 2); at + 4 <= bytes.size() || bytes.holds(at, kEndOfImage);) {
        const std::uint32_t marker = bytes.at(at + 1);
        if (marker == 0xD9) {
            at += 2;
            while (at < bytes.size() && (bytes.at(at) == 0 || bytes.holds(at, kFill))) ++at;  // padding
            header.decided = true;
            if (!is_first || has_index || !bytes.holds(at, kStartOfImage)) break;
            const ImageHeader second = jpeg(bytes.part(at, bytes.size()), false);
            header.decided = second.width > 0;
            header.animated = second.width == header.width && second.height == header.height;
            break;
        }
        const bool frame = marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
        if (frame && header.width == 0) {
            header.height = bytes.big16(at + 5);
            header.width = bytes.big16(at + 7);
            if (!is_first) break;
        }
        has_index = has_index || (marker == 0xE2 && bytes.holds(at + 4, kIndex));
        const HeaderBytes segment = bytes.part(at + 4, bytes.big16(at + 2));
        has_index = has_index || (marker == 0xE1 && contains(segment.span(), kContainer));
        if (marker == 0xE1 && !has_exif && bytes.holds(at + 4, "Exif")) {
            has_exif = true;
            header.orientation = exif_orientation(bytes.part(at + 4, bytes.big16(at + 2) - std::size_t{2}));
        }
        const bool bare = marker == 0x01 || marker == 0xD8;
        at = next_marker(bytes, bare ? at + 2 : at + 2 + bytes.big16(at + 2));
    }
    return header;
}

ImageHeader png(const HeaderBytes& bytes) {
    ImageHeader header{ImageKind::png, bytes.big32(16), bytes.big32(20)};
    const std::uint32_t color_type = bytes.at(25);
    header.alpha = color_type == 4 || color_type == 6;
    bool has_pixels = false;
    header.decided = false;
    for (std::size_t at = 8; at + 8 <= bytes.size();) {
        const std::size_t length = bytes.big32(at);
        has_pixels = has_pixels || bytes.holds(at + 4, "IDAT");
        header.decided = header.decided || has_pixels || bytes.holds(at + 4, "acTL");
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
        // Only a mask makes the fourth channel an alpha channel: it follows those of the colors, in the header or
        // after a header of 40 bytes. Elsewhere the channel is padding.
        constexpr std::uint32_t kMasks = 3;
        constexpr std::uint32_t kMasksWithAlpha = 6;
        const std::uint32_t bits = bytes.little16(28);
        const std::uint32_t compression = bytes.little32(30);
        const bool in_header = bytes.little32(14) >= 56 && (compression == kMasks || compression == kMasksWithAlpha);
        const bool after_header = bytes.little32(14) == 40 && compression == kMasksWithAlpha;
        if ((bits == 16 || bits == 32) && (in_header || after_header)) header.alpha_mask = bytes.little32(66);
        header.alpha = header.alpha_mask != 0;
    }
    return header;
}

ImageHeader tiff(const HeaderBytes& bytes) {
    ImageHeader header{ImageKind::tiff};
    TiffDirectory directory(bytes);
    directory.for_each([&](std::uint32_t tag, std::uint32_t value, std::size_t at) {
        constexpr std::uint32_t kAssociated = 1;
        constexpr std::uint32_t kUnassociated = 2;
        if (tag == 256) header.width = value;
        if (tag == 257) header.height = value;
        if (tag == 254) header.preview = (value & 1U) != 0;  // NewSubfileType
        if (tag == 338) {                                    // ExtraSamples
            header.alpha = value == kAssociated || value == kUnassociated;
            header.premultiplied = value == kAssociated;
        }
        if (tag != kOrientationTag) return;
        header.orientation = orientation_of_exif(value);
        header.orientation_at = at;
    });
    header.cut = directory.is_cut();
    constexpr int kMaxPages = 1 << 12;  // directories may lead to one another without end
    for (int i = 1; i < kMaxPages && directory.next(); ++i) {
        bool is_page = true;
        directory.for_each([&](std::uint32_t tag, std::uint32_t value, std::size_t) {
            constexpr std::uint32_t kReducedOrMask = 5;
            if (tag == 254 && (value & kReducedOrMask) != 0) is_page = false;  // NewSubfileType
        });
        header.pages += is_page ? 1 : 0;
    }
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

// The application extension "NETSCAPE2.0" has the repetitions after the first time; without it, a GIF plays once.
int gif_plays(const HeaderBytes& bytes) {
    const auto table = [&](std::size_t flags) {
        return (bytes.at(flags) & 0x80U) != 0 ? std::size_t{6} << (bytes.at(flags) & 7U) : std::size_t{0};
    };
    std::size_t at = 13 + table(10);
    const auto skip_blocks = [&] {
        while (at < bytes.size() && bytes.at(at) != 0) at += 1 + bytes.at(at);
        ++at;
    };
    while (at < bytes.size()) {
        const std::uint32_t block = bytes.at(at);
        if (block == 0x21) {
            const bool loops =
                bytes.at(at + 1) == 0xFF && (bytes.holds(at + 3, "NETSCAPE2.0") || bytes.holds(at + 3, "ANIMEXTS1.0"));
            if (loops && bytes.at(at + 14) >= 3 && bytes.at(at + 15) == 1) {
                const auto repetitions = static_cast<int>(bytes.little16(at + 16));
                return repetitions == 0 ? 0 : repetitions + 1;
            }
            at += 2;
        } else if (block == 0x2C) {
            at += 11 + table(at + 9);
        } else {
            break;
        }
        skip_blocks();
    }
    return 1;
}

}  // namespace

int read_animation_plays(const std::vector<std::uint8_t>& data) {
    const HeaderBytes bytes(data);
    if (bytes.holds(0, "GIF8")) return gif_plays(bytes);
    if (!bytes.holds(0, kPng)) return 0;
    for (std::size_t at = 8; at + 20 <= bytes.size(); at += std::size_t{12} + bytes.big32(at)) {
        constexpr std::uint32_t kMost = 0xFFFF;
        if (bytes.holds(at + 4, "acTL")) return static_cast<int>(std::min(bytes.big32(at + 12), kMost));
    }
    return 0;
}

std::optional<ImageHeader> read_image_header(const std::vector<std::uint8_t>& data) {
    using namespace std::string_view_literals;
    const HeaderBytes bytes(data);
    if (bytes.holds(0, kStartOfImage)) return jpeg(bytes);
    if (bytes.holds(0, kPng)) return png(bytes);
    if (bytes.holds(0, "RIFF"sv) && bytes.holds(8, "WEBP"sv)) return webp(bytes);
    if (bytes.holds(0, "BM"sv) && bytes.little32(14) >= 12 && bytes.little32(14) <= 124) return bmp(bytes);
    if (begins_tiff(bytes)) return tiff(bytes);
    if (const std::optional<HeifFile> file = read_heif(bytes)) return heif(*file);
    const bool pnm_kind = bytes.at(0) == 'P' && bytes.at(1) >= '1' && bytes.at(1) <= '6';
    if (pnm_kind && std::isspace(static_cast<int>(bytes.at(2))) != 0) return pnm(bytes);
    return std::nullopt;
}

}  // namespace throng
