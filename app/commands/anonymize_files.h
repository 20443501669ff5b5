// Which files `throng anonymize` reads, and the names under which it writes them.
#pragma once

#include <string>
#include <vector>

#include "app/options/run_files.h"

namespace throng {

struct AnonymizeFile {
    std::string input;
    std::string output;
    bool still = false;  // a still image; false: a video or an animation
};

struct AnonymizeFiles {
    std::vector<AnonymizeFile> files;
    std::string folder;       // of the outputs; empty: --out names a file
    std::size_t skipped = 0;  // files in folders that are neither images nor videos
};

// inputs: files, and folders that are read with all folders below them. out: a folder, which is created later, or for one
// input file a file. A file keeps its name and its path below the input folder; a video in a container that cannot be
// written gets ".mp4" added. Checks that no output is an input, by any link, or another output. Throws Error(usage) for
// such outputs, and Error(input) for a folder that cannot be read or holds nothing to do. Files that do not exist are
// returned all the same, so that they fail one by one.
[[nodiscard]] AnonymizeFiles list_anonymize_files(const std::vector<std::string>& inputs, const std::string& out,
                                                  RunFiles& run_files);

}  // namespace throng
