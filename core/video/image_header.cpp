#include "core/video/image_header.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/video/coded_image.h"
#include "core/video/header_bytes.h"
#include "core/video/heif.h"
#include "core/video/tiff_decoder.h"

namespace throng {
namespace {

bool begins_tiff(const HeaderBytes& bytes) {
    using namespace std::string_view_literals;
    return bytes.holds(0, "II*\0"sv) || bytes.holds(0, "MM\0*"sv) || bytes.holds(0, "II+\0"sv) ||
           bytes.holds(0, "MM\0+"sv);
}

constexpr std::string_view kPng = "\x89PNG\r\n\x1A\n";
constexpr std::string_view kStartOfImage = "\xFF\xD8\xFF";
constexpr std::string_view kEndOfImage = "\xFF\xD9";
constexpr std::string_view kFill = "\xFF\xFF";
constexpr std::string_view kIndex("MPF", 4);  // with its NUL
constexpr std::string_view kContainer = "Container:Directory";

// Reads EXIF data, with or without the prefix of JPEG: the first directory of a TIFF file (TIFF 6.0, section 2).
Orientation exif_orientation(HeaderBytes exif) {
    if (exif.holds(0, "Exif")) exif = exif.part(6, exif.size());
    if (!begins_tiff(exif)) return {};
    const bool little = exif.at(0) == 'I';
    const auto u16 = [&](std::size_t at) { return little ? exif.little16(at) : exif.big16(at); };
    const auto u32 = [&](std::size_t at) { return little ? exif.little32(at) : exif.big32(at); };
    const std::size_t directory = u32(4);
    for (std::size_t i = 0, entries = u16(directory); i < entries; ++i) {
        constexpr std::uint32_t kOrientationTag = 274;
        constexpr std::uint32_t kByte = 1;
        constexpr std::uint32_t kShort = 3;
        const std::size_t entry = directory + 2 + 12 * i;
        if (entry >= exif.size()) break;
        if (u16(entry) != kOrientationTag) continue;
        const std::uint32_t type = u16(entry + 2);
        const std::size_t at = entry + 8;
        return orientation_of_exif(type == kByte ? exif.at(at) : type == kShort ? u16(at) : u32(at));
    }
    return {};
}

// Returns the offset of the next marker, other than those within scan data.
std::size_t next_marker(FileBytes& bytes, std::size_t at) {
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    while (at + 1 < bytes.size()) {
        const std::span<const std::uint8_t> block = bytes.part(at, kBlock).span();
        if (block.size() < 2) break;  // the file cannot be read
        const std::size_t last = block.size() - 1;
        std::size_t i = 0;
        while (i < last) {
            const auto* found = static_cast<const std::uint8_t*>(std::memchr(block.data() + i, 0xFF, last - i));
            if (found == nullptr) break;
            i = static_cast<std::size_t>(found - block.data());
            const std::uint8_t marker = block[i + 1];
            const bool restart = marker >= 0xD0 && marker <= 0xD7;
            if (marker != 0 && marker != 0xFF && !restart) return at + i;
            ++i;
        }
        at += last;
    }
    return bytes.size();
}

// Walks the marker segments to the frame header (SOF) and to the end of the image (ITU-T T.81, annex B). begin: of the
// image in the file.
ImageHeader jpeg(FileBytes& bytes, ImagePart part, std::size_t begin = 0) {
    constexpr std::size_t kMaxSegment = 2 + 0xFFFF;
    ImageHeader header{ImageKind::jpeg};
    const bool is_first = begin == 0;
    bool has_exif = false;
    bool has_index = false;  // of further images: the Multi-Picture Format, or a container in XMP (depth maps)
    for (std::size_t at = next_marker(bytes, begin + 2);;) {
        const HeaderBytes segment = bytes.part(at, kMaxSegment);
        const std::uint32_t marker = segment.at(1);
        if (segment.holds(0, kEndOfImage)) {
            at += 2;
            const auto is_padding = [](const HeaderBytes& next) { return next.at(0) == 0 || next.holds(0, kFill); };
            while (at < bytes.size() && is_padding(bytes.part(at, 2))) ++at;
            if (!is_first || has_index || !bytes.part(at, 3).holds(0, kStartOfImage)) break;
            const ImageHeader second = jpeg(bytes, ImagePart::size, at);
            header.animated = second.width == header.width && second.height == header.height;
            break;
        }
        if (segment.size() < 4) break;
        const bool frame = marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
        if (frame && header.width == 0) {
            header.height = segment.big16(5);
            header.width = segment.big16(7);
            if (part == ImagePart::size) break;
        }
        const std::size_t length = segment.big16(2);
        has_index = has_index || (marker == 0xE2 && segment.holds(4, kIndex));
        if (marker == 0xE1) {
            const HeaderBytes content = segment.part(4, length);
            has_index = has_index || content.find(0, kContainer) < content.size();
            if (!has_exif && content.holds(0, "Exif")) {
                has_exif = true;
                header.orientation = exif_orientation(segment.part(4, length - std::size_t{2}));
            }
        }
        const bool bare = marker == 0x01 || marker == 0xD8;
        at = next_marker(bytes, bare ? at + 2 : at + 2 + length);
    }
    return header;
}

ImageHeader png(FileBytes& bytes, ImagePart part) {
    const HeaderBytes first = bytes.part(0, 33);
    ImageHeader header{ImageKind::png, first.big32(16), first.big32(20)};
    const std::uint32_t color_type = first.at(25);
    header.alpha = color_type == 4 || color_type == 6;
    bool has_pixels = false;
    for (std::size_t at = 8; at + 8 <= bytes.size() && part != ImagePart::size;) {
        const HeaderBytes chunk = bytes.part(at, 8);
        if (chunk.size() < 8) break;
        const std::size_t length = chunk.big32(0);
        has_pixels = has_pixels || chunk.holds(4, "IDAT");
        header.alpha = header.alpha || (!has_pixels && chunk.holds(4, "tRNS"));
        header.animated = header.animated || (!has_pixels && chunk.holds(4, "acTL"));
        if ((has_pixels || header.animated) && part == ImagePart::kind) break;
        // May follow the pixels.
        constexpr std::size_t kMaxExif = std::size_t{1} << 20;
        if (chunk.holds(4, "eXIf"))
            header.orientation = exif_orientation(bytes.part(at + 8, std::min(length, kMaxExif)));
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

// The compression of a bitmap: none, but masks select the colors of a pixel.
constexpr std::uint32_t kMasks = 3;
constexpr std::uint32_t kMasksWithAlpha = 6;

ImageHeader bmp(const HeaderBytes& bytes) {
    ImageHeader header{ImageKind::bmp};
    header.codec = "bmp";
    if (bytes.little32(14) == 12) {  // OS/2
        header.width = bytes.little16(18);
        header.height = bytes.little16(20);
    } else {
        header.width = std::max(static_cast<std::int32_t>(bytes.little32(18)), 0);
        header.height = std::abs(std::int64_t{static_cast<std::int32_t>(bytes.little32(22))});
        // The masks are in the header, or follow one of 40 bytes. Only a mask makes the fourth channel an alpha
        // channel: elsewhere it is padding.
        const std::uint32_t bits = bytes.little16(28);
        const std::uint32_t compression = bytes.little32(30);
        const bool masked = (bits == 16 || bits == 32) && (compression == kMasks || compression == kMasksWithAlpha);
        const bool with_alpha = bytes.little32(14) >= 56 || compression == kMasksWithAlpha;
        for (std::size_t i = 0; masked && i < (with_alpha ? 4U : 3U); ++i) header.masks[i] = bytes.little32(54 + 4 * i);
        header.alpha = header.masks[3] != 0;
    }
    return header;
}

ImageHeader heif(const HeifFile& file) {
    const HeifItem& image = file.items.at(file.primary);
    ImageHeader header{ImageKind::heif, image.width, image.height};
    header.orientation = image.orientation;
    header.alpha = file.alpha != 0;
    return header;
}

// "P5 # a comment\n640 480 255\n"; PFM likewise.
ImageHeader pnm(const HeaderBytes& bytes) {
    ImageHeader header{ImageKind::pnm};
    constexpr std::array<const char*, 3> kCodecs = {"pbm", "pgm", "ppm"};
    if (bytes.at(1) <= '6') header.codec = kCodecs[(bytes.at(1) - '1') % 3];
    if (header.codec.empty()) header.kind = ImageKind::real;
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

// "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 480 +X 640\n"
ImageHeader radiance(const HeaderBytes& bytes) {
    ImageHeader header{ImageKind::real};
    const std::span<const std::uint8_t> head = bytes.part(0, std::size_t{1} << 12).span();
    const std::string text(head.begin(), head.end());
    const std::size_t size = text.find("\n\n");
    if (size == std::string::npos) return header;
    static_cast<void>(
        std::sscanf(text.c_str() + size, " %*2s %9" SCNd64 " %*2s %9" SCNd64, &header.height, &header.width));
    if (header.width < 0 || header.height < 0) header.width = header.height = 0;
    return header;
}

// A format that FFmpeg recognizes. PAM has a header of words.
std::optional<ImageHeader> coded(const HeaderBytes& bytes) {
    ImageHeader header{ImageKind::coded};
    header.codec = bytes.holds(0, "P7\n") ? "pam" : find_image_codec(bytes.span());
    header.alpha = true;  // if the decoder says so
    return header.codec.empty() ? std::nullopt : std::optional(header);
}

constexpr std::size_t kMinIconImage = 40;  // bytes

struct IconEntry {
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::uint32_t bits = 0;  // of a pixel; 0 for cursors
    HeaderBytes image{{}};
};

// Returns the largest image of an icon or a cursor; none for other files.
std::optional<IconEntry> largest_of_icon(const HeaderBytes& bytes) {
    constexpr std::size_t kMaxImages = 255;  // their directory fits into the first 4096 bytes
    const std::size_t count = bytes.little16(4);
    const std::size_t kind = bytes.little16(2);
    if (bytes.little16(0) != 0 || (kind != 1 && kind != 2) || count == 0 || count > kMaxImages) return std::nullopt;
    const auto rank = [](const IconEntry& entry) { return std::pair(entry.width * entry.height, entry.bits); };
    IconEntry largest;
    for (std::size_t at = 6; at < 6 + 16 * count; at += 16) {
        const auto side = [](std::uint32_t byte) { return std::int64_t{byte == 0 ? 256 : byte}; };
        const std::size_t length = bytes.little32(at + 8);
        const std::size_t offset = bytes.little32(at + 12);
        const std::uint32_t reserved = bytes.at(at + 3);  // 0; some programs write 255
        if ((reserved != 0 && reserved != 255) || length < kMinIconImage || offset < 6 + 16 * count)
            return std::nullopt;
        const std::uint32_t bits = kind == 1 ? bytes.little16(at + 6) : 0;
        const IconEntry entry{side(bytes.at(at)), side(bytes.at(at + 1)), bits, bytes.part(offset, length)};
        if (rank(entry) >= rank(largest)) largest = entry;
    }
    return largest;
}

void put32(std::vector<std::uint8_t>& bytes, std::size_t at, std::uint32_t value) {
    for (std::size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<std::uint8_t>(value >> 8 * i);
}

// Returns the bitmap of an icon with a header of a file. Its height counts the mask, too, which follows the pixels.
std::vector<std::uint8_t> bitmap_of_icon(const HeaderBytes& bitmap) {
    constexpr std::uint32_t kFileHeader = 14;
    constexpr std::uint32_t kHeader = 40;
    if (bitmap.size() < kHeader || bitmap.little32(0) < kHeader) return {};
    const std::uint32_t bits = bitmap.little16(14);
    const std::uint32_t height = bitmap.little32(8) / 2;
    const std::uint32_t compression = bitmap.little32(16);
    // Masks follow the header if it is too short for them. A table of colors may come with any number of bits.
    const bool is_short = bitmap.little32(0) == kHeader;
    const std::size_t masks = !is_short ? 0 : compression == kMasks ? 12 : compression == kMasksWithAlpha ? 16 : 0;
    const std::size_t used = bitmap.little32(32);
    const std::size_t colors = used != 0 || bits > 8 ? used : std::size_t{1} << bits;
    const std::size_t first = bitmap.little32(0) + masks + 4 * colors;  // the pixels
    if (first > bitmap.size()) return {};
    std::vector<std::uint8_t> file = {'B', 'M'};
    file.resize(kFileHeader);
    file.insert(file.end(), bitmap.span().begin(), bitmap.span().end());
    put32(file, 10, static_cast<std::uint32_t>(kFileHeader + first));
    put32(file, 22, height);
    put32(file, 2, static_cast<std::uint32_t>(file.size()));
    return file;
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

std::vector<std::uint8_t> image_of_icon(std::span<const std::uint8_t> bytes) {
    const std::optional<IconEntry> icon = largest_of_icon(HeaderBytes(bytes));
    if (!icon) return {};
    const std::span<const std::uint8_t> image = icon->image.span();
    return icon->image.holds(0, kPng) ? std::vector(image.begin(), image.end()) : bitmap_of_icon(icon->image);
}

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

std::optional<ImageHeader> read_image_header(FileBytes& bytes, ImagePart part) {
    const HeaderBytes signature = bytes.part(0, kPng.size());
    if (signature.holds(0, kStartOfImage)) return jpeg(bytes, part);
    if (signature.holds(0, kPng)) return png(bytes, part);
    return std::nullopt;
}

std::optional<ImageHeader> read_image_header(const std::vector<std::uint8_t>& data) {
    using namespace std::string_view_literals;
    FileBytes all(data);
    if (const std::optional<ImageHeader> header = read_image_header(all, ImagePart::all)) return header;
    const HeaderBytes bytes(data);
    if (bytes.holds(0, "RIFF"sv) && bytes.holds(8, "WEBP"sv)) return webp(bytes);
    if (bytes.holds(0, "BM"sv) && bytes.little32(14) >= 12 && bytes.little32(14) <= 124) return bmp(bytes);
    if (begins_tiff(bytes)) return read_tiff_header(data);
    if (const std::optional<HeifFile> file = read_heif(bytes)) return heif(*file);
    const bool pnm_kind = bytes.at(0) == 'P' && std::string_view("123456Ff").find(static_cast<char>(bytes.at(1))) < 8;
    if (pnm_kind && std::isspace(static_cast<int>(bytes.at(2))) != 0) return pnm(bytes);
    if (bytes.holds(0, "#?RADIANCE"sv) || bytes.holds(0, "#?RGBE"sv)) return radiance(bytes);
    if (largest_of_icon(bytes)) {
        // The image itself has the size: the directory may state less. It is unknown if the bytes end before the image.
        ImageHeader header = read_image_header(image_of_icon(data)).value_or(ImageHeader{ImageKind::png});
        header.animated = false;
        return header;
    }
    return coded(bytes);
}

}  // namespace throng
