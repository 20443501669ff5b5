// Still images: one file in, one frame out.
#pragma once

#include <filesystem>
#include <string>

#include "core/frame/frame.h"

namespace throng {

struct LoadedImage {
    Frame frame;
    std::string notice;  // what is not quite right about it; mostly empty
};

// gray8 for grey images, else bgr24, full range, in host memory; upright by its EXIF orientation, 16 bits scaled to 8,
// transparent pixels over white. Throws Error(input) for a file that is no image, is broken, or is too large.
[[nodiscard]] LoadedImage load_image(const std::filesystem::path& path);

// Whether the file's content is a still image of a kind that load_image reads; false where it cannot be read at all.
[[nodiscard]] bool is_still_image(const std::filesystem::path& path);

// Whether the name has an extension of those kinds.
[[nodiscard]] bool has_image_extension(const std::filesystem::path& path);

}  // namespace throng
