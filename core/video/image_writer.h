// Writes a frame as an image file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/frame/frame.h"

namespace throng {

inline constexpr int kJpegQuality = 92;  // of images that are written

// Returns true for a name that is written as JPEG.
[[nodiscard]] bool is_jpeg_name(const std::string& path);

// The extension selects the format: jpg, png, and others that OpenCV writes: webp, bmp, tiff. Gray frames are written as
// gray images. The file is replaced atomically; after an error, an existing file of this name is unchanged. Throws
// Error(usage) for an unknown extension and Error(input) if the file cannot be written.
void write_image(const std::string& path, const Frame& frame);

// Returns true if write_image knows the extension.
[[nodiscard]] bool can_write_image(const std::string& path);

// Returns the bytes that write_image writes. They hold the pixels only: no EXIF, XMP, color profile or thumbnail.
[[nodiscard]] std::vector<std::uint8_t> encode_image(const std::string& path, const Frame& frame);

}  // namespace throng
