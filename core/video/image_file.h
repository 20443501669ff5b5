// Still images: one file in, one frame out.
#pragma once

#include <filesystem>
#include <string>

#include "core/frame/frame.h"

namespace throng {

struct LoadedImage {
    Frame frame;
    std::string incomplete;  // why the frame is not all that the file holds; mostly empty
};

// gray8 for gray images, else bgr24, full range, in host memory; upright by its EXIF orientation, 16 bits scaled to 8,
// transparent pixels over white. Throws Error(input) for a file that is no image, is broken, or is too large.
[[nodiscard]] LoadedImage load_image(const std::filesystem::path& path);

// The file's content is an image of a kind that load_image reads; false where it cannot be read at all. None of these
// opens anything but a regular file, so a FIFO cannot block them.
[[nodiscard]] bool is_still_image(const std::filesystem::path& path);

// An animated PNG: load_image gives its first frame alone, FFmpeg all of them.
[[nodiscard]] bool is_animated_png(const std::filesystem::path& path);

// Whether the name has an extension of those kinds.
[[nodiscard]] bool has_image_extension(const std::filesystem::path& path);

}  // namespace throng
