// Determines from the spec of a source which files it reads.
#pragma once

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

}  // namespace throng
