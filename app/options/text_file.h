// Results as a text file.
#pragma once

#include <string>
#include <string_view>

namespace throng {

// Writes (and overwrites) the file; path "-" is standard output. Throws Error(input) when it cannot be written.
void write_text(const std::string& path, std::string_view text);

}  // namespace throng
