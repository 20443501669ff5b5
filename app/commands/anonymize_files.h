// The names under which `throng anonymize` writes files.
#pragma once

#include <string>
#include <vector>

#include "core/base/input_file.h"

namespace throng {

// Returns true if --out names a folder, false if it names the one output file. Throws Error(usage) for no name.
[[nodiscard]] bool names_a_folder(const std::string& out, const std::vector<std::string>& inputs);

// Returns the name of an output in a folder: `name`, with ".mp4" added for a video whose container or name cannot be
// written, and ".png" for such a still image. path: the file, which is opened to see what it is.
[[nodiscard]] std::string hidden_name(const std::string& name, const std::string& path);

// Throws Error(usage) if an output file of this name cannot hold the hidden input.
void check_hidden_name(const std::string& out, bool still);

// Returns the absolute folder in which a name of an input begins: path is that folder and the name. Empty if it is not.
[[nodiscard]] std::string folder_of_name(const std::string& path, const std::string& name);

// Returns the file and those that it names if it is a playlist, as they are now. Their hash is that of reports and
// manifests.
[[nodiscard]] InputFiles input_files(const std::string& path);

}  // namespace throng
