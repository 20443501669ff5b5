// Writes a frame as an image file.
#pragma once

#include <string>

#include "core/frame/frame.h"

namespace throng {

// png, jpg, webp, bmp, tiff…: whatever the extension says and OpenCV writes; gray frames stay gray. The file appears
// whole; after an error an earlier file of this name is unchanged. Throws Error(usage) for an unknown extension,
// Error(input) when it cannot be written.
void write_image(const std::string& path, const Frame& frame);

}  // namespace throng
