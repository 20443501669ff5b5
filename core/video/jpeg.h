// Decodes JPEG images with libjpeg, which reports damage that OpenCV does not return, and encodes them.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <span>
#include <vector>

#include "core/video/image_pixels.h"

namespace throng {

// Writes nothing to standard error. Decodes a damaged image as far as possible.
[[nodiscard]] ImagePixels decode_jpeg(std::span<const std::uint8_t> bytes);

// image: gray or BGR, 8 bits. quality: 0 to 100. Colors have half the resolution in both directions (4:2:0). Returns
// nothing if the format cannot hold the image: more than 65,500 pixels in one direction.
[[nodiscard]] std::vector<std::uint8_t> encode_jpeg(const cv::Mat& image, int quality);

}  // namespace throng
