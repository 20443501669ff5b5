// What the first bytes of an image file say, before anything is decoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace throng {

enum class ImageKind : std::uint8_t { jpeg, png, webp, bmp, tiff, pnm };

struct ImageHeader {
    ImageKind kind = ImageKind::jpeg;
    std::int64_t width = 0;  // 0 where the header is broken
    std::int64_t height = 0;
    bool alpha = false;      // may have transparent pixels
    bool animated = false;   // WebP, PNG
    bool cut_short = false;  // JPEG without an end marker
};

// None where the bytes are no image of these kinds. `bytes` is the whole file, or its beginning for the kind alone.
[[nodiscard]] std::optional<ImageHeader> read_image_header(const std::vector<std::uint8_t>& bytes);

}  // namespace throng
