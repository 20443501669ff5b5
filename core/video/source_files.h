// Determines from the spec of a source which files it reads.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace throng {

struct SourceFiles {
    std::vector<std::string> files;    // the file itself, and the files that a playlist or a GStreamer pipeline names
    std::vector<std::string> folders;  // folders whose images are read
    bool complete = true;              // false: a pipeline may also read other files
};

// spec: as open_source takes it. Reads the head of files, and playlists; never throws for a spec that cannot be opened.
[[nodiscard]] SourceFiles files_of_source(std::string_view spec);

// Returns the file, whatever its name, and those that it names if it is a playlist. Never throws, as files_of_source.
[[nodiscard]] std::vector<std::string> files_of_file(const std::string& path);

// Returns true for a file that a search in folders takes as input: by its name, or by its first bytes if the name does
// not tell. Such a file may still be damaged, or of a kind that cannot be read. Other files can be named one by one.
[[nodiscard]] bool is_media_file(const std::string& path);

// Returns the demuxer of FFmpeg that recognizes the first bytes of the file with certainty, whatever its name: "gif",
// "mov"; empty if none does. Formats of images with one frame, of sound, text and data do not count.
[[nodiscard]] std::string find_demuxer(const std::filesystem::path& path);

// The usual extensions of video files and of animations that are no still images: lower case, with the dot. FFmpeg
// recognizes files by their content, so other files may be videos, too.
[[nodiscard]] std::span<const std::string_view> video_extensions();

// Returns true if the name has one of video_extensions(), in any case.
[[nodiscard]] bool has_video_extension(const std::filesystem::path& path);

}  // namespace throng
