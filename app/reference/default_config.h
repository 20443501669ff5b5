// configs/default.toml and the stub of the Python module's keywords: files of the sources that follow from the tables of
// options. tests/unit/reference compares them with the files there.
#pragma once

#include <string>

#include "app/reference/command_tree.h"

namespace throng {

// Returns a configuration file with every option of view, detect and anonymize. An option that has no default, or one
// that depends on the detector or the command, is commented out.
[[nodiscard]] std::string default_config(const CommandEntry& top);

// Returns app/python/throng/_settings.pyi: types of the keywords of Detector and Pipeline.
[[nodiscard]] std::string python_settings();

}  // namespace throng
