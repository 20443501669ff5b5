// Reads the header of an image file without decoding the image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/video/orientation.h"

namespace throng {

enum class ImageKind : std::uint8_t { jpeg, png, webp, bmp, tiff, pnm, heif };

struct ImageHeader {
    ImageKind kind = ImageKind::jpeg;
    std::int64_t width = 0;  // as stored; 0 if the header is damaged
    std::int64_t height = 0;
    bool alpha = false;              // may have transparent pixels
    bool animated = false;           // WebP, PNG
    bool truncated = false;          // JPEG without an end marker
    Orientation orientation{};       // displays the stored pixels correctly: EXIF, TIFF, the properties of HEIF
    std::size_t orientation_at = 0;  // TIFF: offset of its low byte, since decoders apply it themselves; 0: none
};

// Returns none if the bytes are not an image of these kinds. `bytes` is the whole file; its beginning is sufficient for
// `kind`. EXIF data may be anywhere in it.
[[nodiscard]] std::optional<ImageHeader> read_image_header(const std::vector<std::uint8_t>& bytes);

}  // namespace throng
