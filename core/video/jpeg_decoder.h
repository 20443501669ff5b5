// Decodes JPEG images with libjpeg, which reports damage that OpenCV does not return.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <span>
#include <string>

namespace throng {

struct JpegPixels {
    cv::Mat image;       // gray or BGR, 8 bits, as stored; empty if nothing can be decoded
    std::string damage;  // the first fault that libjpeg found; empty if there is none
    bool cut = false;    // the end marker is missing
};

// Writes nothing to standard error. Decodes a damaged image as far as possible.
[[nodiscard]] JpegPixels decode_jpeg(std::span<const std::uint8_t> bytes);

}  // namespace throng
