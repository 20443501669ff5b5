// Decodes JPEG images with libjpeg, which reports damage that OpenCV does not return.
#pragma once

#include <cstdint>
#include <span>

#include "core/video/image_pixels.h"

namespace throng {

// Writes nothing to standard error. Decodes a damaged image as far as possible.
[[nodiscard]] ImagePixels decode_jpeg(std::span<const std::uint8_t> bytes);

}  // namespace throng
