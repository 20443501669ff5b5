// throng merge --relink: links the tracks of whole videos again.
#pragma once

#include <string>

#include "app/options/command.h"

namespace throng {

// Reads the lines of `throng detect --track --json`, and writes the same lines with other tracks. out_path: "-" for
// standard output. Returns the exit status. Throws Error(usage) if a file is given twice, and Error(input).
int run_merge_relink(const std::string& path, const std::string& out_path, const CommonOptions& common);

}  // namespace throng
