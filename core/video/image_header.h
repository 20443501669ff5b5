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
    bool premultiplied = false;      // TIFF: the colors are multiplied by alpha
    std::uint32_t alpha_mask = 0;    // BMP: the bits of a pixel that are its alpha
    bool animated = false;           // WebP, PNG; JPEG: an image of the same size follows, as in Motion JPEG
    bool decided = true;             // `animated` is certain; false: more bytes are needed
    bool cut = false;                // TIFF: not all of its image is in the file
    int pages = 1;                   // TIFF, without reduced images and masks
    bool preview = false;            // TIFF: the first image is a reduced one, as in raw images of cameras
    Orientation orientation{};       // displays the stored pixels correctly: EXIF, TIFF, the properties of HEIF
    std::size_t orientation_at = 0;  // TIFF: offset of its low byte, since decoders apply it themselves; 0: none
};

// Returns none if the bytes are not an image of these kinds. `bytes` is the whole file; its beginning is sufficient for
// `kind`. EXIF data may be anywhere in it.
[[nodiscard]] std::optional<ImageHeader> read_image_header(const std::vector<std::uint8_t>& bytes);

// Returns how often a GIF or an animated PNG is played; 0: without end. The beginning of a file is sufficient.
[[nodiscard]] int read_animation_plays(const std::vector<std::uint8_t>& bytes);

}  // namespace throng
