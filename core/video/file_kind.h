// Finds what kind of file a path names, by its content. All code that treats stills, animations and videos differently
// asks here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/video/orientation.h"

namespace throng {

enum class FileKind : std::uint8_t {
    unknown,    // FFmpeg may know more when it opens the file: playlists, formats without a signature
    still,      // image_file.h reads it
    animation,  // GIF, animated PNG
    video,      // also Motion JPEG
};

struct FileType {
    FileKind kind = FileKind::unknown;
    std::string demuxer{};                     // of FFmpeg, for what moves: "gif", "apng", "mjpeg", "mov"
    bool begins_as_image = false;              // so FFmpeg needs the name of the demuxer
    std::optional<Orientation> orientation{};  // of all frames, if the file has one
};

// Reads as little of the file as possible, and at most so many bytes: Motion JPEG is known only after its first image.
// An animated WebP is a still, of which nothing is read. Opens only regular files, so a FIFO cannot block it; returns
// `unknown` for others, and if the file cannot be read. The name does not count.
[[nodiscard]] FileType find_file_type(const std::filesystem::path& path, std::size_t at_most = SIZE_MAX);

[[nodiscard]] bool is_still_image(const std::filesystem::path& path);

// Returns true for a file that a search in folders takes as input: by its name, or by its first bytes if the name does
// not tell. Such a file may still be damaged, or of a kind that cannot be read. Other files can be named one by one.
[[nodiscard]] bool is_media_file(const std::string& path);

}  // namespace throng
