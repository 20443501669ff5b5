// One still image, or a folder of them in natural order, as a source.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "core/video/image_file.h"
#include "core/video/source.h"

namespace throng {

// Throws Error(input) if the image cannot be read, and Error(interrupted) after a stop request.
[[nodiscard]] std::unique_ptr<VideoSource> open_image(const std::string& path, ImageSizes sizes,
                                                      const std::stop_token& stop);

// Returns each image as a frame, one per second. Unreadable images are reported and skipped. After the first read, one
// thread per core decodes ahead (core/video/image_ahead.h). Only regular files are
// opened. Throws Error(input) if there is no readable image, and Error(interrupted) after a stop request.
[[nodiscard]] std::unique_ptr<VideoSource> open_image_folder(const std::string& path, ImageSizes sizes,
                                                             const std::stop_token& stop);

// Orders "img2" before "img10": digits compare as numbers, letters ignoring case.
[[nodiscard]] bool natural_less(const std::string& a, const std::string& b);

}  // namespace throng
