// The table of file formats by the extensions of names: what a name says, and what is written under it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace throng {

enum class NameKind : std::uint8_t {
    unknown,
    image,  // what cannot be read, too: raw images of cameras
    video,  // and animations
    other,  // sound in containers of videos, and sidecars that begin like images
};

struct FileFormat {
    NameKind kind = NameKind::unknown;
    bool keeps_stills = false;      // a still image is written under such a name in its own format
    const char* muxer = nullptr;    // FFmpeg's, for what moves; null: not written
    std::string_view extensions{};  // lower case, with the dot, separated by spaces
};

[[nodiscard]] std::span<const FileFormat> file_formats();

// Compares without case: cameras write CLIP.MP4. Returns a format of the kind `unknown` for other names.
[[nodiscard]] const FileFormat& format_of_name(const std::filesystem::path& path);

// Returns true if what moves is written under this name as an animation: GIF, PNG.
[[nodiscard]] bool names_animation(const std::filesystem::path& path);

// Returns true if what moves is written under this name as a video.
[[nodiscard]] bool names_video(const std::filesystem::path& path);

}  // namespace throng
