// TIFF images by libtiff, which reports damage that OpenCV does not return.
#pragma once

#include <cstdint>
#include <span>

#include "core/video/image_header.h"
#include "core/video/image_pixels.h"

namespace throng {

// Reads the first directory of a file, and counts the pages. A width of 0: the file is damaged, or its beginning alone
// does not have the directory.
[[nodiscard]] ImageHeader read_tiff_header(std::span<const std::uint8_t> bytes);

// Decodes the first image as far as possible. Writes nothing to standard error. `image` is empty for samples that
// libtiff does not convert: 32 bits, floating point; their damage is reported, too. Throws Error(input) without a place
// for transparency that cannot be read.
[[nodiscard]] ImagePixels decode_tiff(std::span<const std::uint8_t> bytes);

}  // namespace throng
