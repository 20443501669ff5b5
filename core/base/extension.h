// Extensions of file names, which are compared without case: cameras write CLIP.MP4.
#pragma once

#include <filesystem>
#include <string>

namespace throng {

// Returns the extension in lower case, with the dot; empty if there is none.
[[nodiscard]] std::string lower_extension(const std::filesystem::path& path);

}  // namespace throng
