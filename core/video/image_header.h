// Reads the header of an image file without decoding the image.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/video/header_bytes.h"
#include "core/video/orientation.h"

namespace throng {

// real: floating-point numbers, in PFM and Radiance HDR. coded: a format that only FFmpeg reads here, such as JPEG 2000.
enum class ImageKind : std::uint8_t { jpeg, png, webp, bmp, tiff, pnm, heif, real, coded };

struct ImageHeader {
    ImageKind kind = ImageKind::jpeg;
    std::int64_t width = 0;  // as stored; 0 if the header is damaged, and for `coded`
    std::int64_t height = 0;
    bool alpha = false;                    // may have transparent pixels
    bool premultiplied = false;            // TIFF: the colors are multiplied by alpha
    std::array<std::uint32_t, 4> masks{};  // BMP: the bits of red, green, blue and alpha in a pixel; all 0: none
    std::string codec{};                   // of FFmpeg, by its name, if that decodes the image; otherwise empty
    bool animated = false;                 // WebP, PNG; JPEG: an image of the same size follows, as in Motion JPEG
    int pages = 1;                         // TIFF, without reduced images and masks
    bool preview = false;                  // TIFF: the first image is a reduced one, as in raw images of cameras
    Orientation orientation{};             // displays the stored pixels correctly: EXIF, TIFF, the properties of HEIF
};

// Names what of a header must be known; less of the file is read then.
enum class ImagePart : std::uint8_t {
    size,
    kind,  // whether it is animated
    all,   // also what may follow the pixels
};

// JPEG and PNG. Returns none for other files.
[[nodiscard]] std::optional<ImageHeader> read_image_header(FileBytes& bytes, ImagePart part);

// Returns none if the bytes are not an image of these kinds. `bytes` is the whole file; its beginning is sufficient for
// `kind`. EXIF data may be anywhere in it.
[[nodiscard]] std::optional<ImageHeader> read_image_header(const std::vector<std::uint8_t>& bytes);

// Returns the largest image of an icon or a cursor (ICO, CUR) as a file of its own, PNG or BMP: of equal ones in an
// icon, that with the most bits. Empty for other files, and if it is damaged. The mask of an image without an alpha
// channel is left out.
[[nodiscard]] std::vector<std::uint8_t> image_of_icon(std::span<const std::uint8_t> bytes);

// Returns how often a GIF or an animated PNG is played; 0: without end. The beginning of a file is sufficient.
[[nodiscard]] int read_animation_plays(const std::vector<std::uint8_t>& bytes);

}  // namespace throng
