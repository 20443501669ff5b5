// Still images in HEIF files: HEIC, AVIF and JPEG in the container of ISO/IEC 23008-12.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/video/header_bytes.h"
#include "core/video/image_pixels.h"
#include "core/video/orientation.h"

namespace throng {

struct HeifItem {
    std::uint32_t type = 0;                                    // "av01", "hvc1", "avc1", "jpeg", "grid", "iden"
    std::vector<std::pair<std::size_t, std::size_t>> extents;  // offset and length in the file
    std::vector<std::uint32_t> inputs;                         // items that a derived image is made of
    std::span<const std::uint8_t> configuration;               // of the decoder; in the file
    std::int64_t width = 0;                                    // as stored
    std::int64_t height = 0;
    Orientation orientation{};
    int matrix = 2;  // ITU-T H.273; 2: unspecified
    std::optional<bool> full_range;
};

// The primary image of a file, with what it is made of.
struct HeifFile {
    std::map<std::uint32_t, HeifItem> items;
    std::uint32_t primary = 0;   // is in items
    std::uint32_t alpha = 0;     // the item with its transparency; 0: none
    bool premultiplied = false;  // its colors are multiplied by alpha
};

// Returns none if the bytes are not an image in this container; image sequences are videos. The beginning of a file
// is sufficient to recognize it. bytes: must outlive the result.
[[nodiscard]] std::optional<HeifFile> read_heif(const HeaderBytes& bytes);

// Decodes the primary image. Throws Error(input) without a place: for a damaged image, an unknown coding, or an image
// that is too large.
[[nodiscard]] ImagePixels decode_heif(const HeifFile& file, const HeaderBytes& bytes);

}  // namespace throng
