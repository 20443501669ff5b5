// One still image, or a folder of them in natural order, as a source.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "core/video/source.h"

namespace throng {

// Throws Error(input) when the image cannot be read.
[[nodiscard]] std::unique_ptr<VideoSource> open_image(const std::string& path);

// Each image is a frame, one a second. Unreadable ones are reported and left out; what is not a regular file is not
// opened. Throws Error(input) when there is no image, or none that can be read, Error(interrupted) after a stop
// request.
[[nodiscard]] std::unique_ptr<VideoSource> open_image_folder(const std::string& path, const std::stop_token& stop);

// "img2" before "img10": digits compare as numbers, letters without case.
[[nodiscard]] bool natural_less(const std::string& a, const std::string& b);

}  // namespace throng
