// Rejects TOML that is nested so deeply that a recursive parser would overflow its stack.
#pragma once

#include <string>
#include <string_view>

namespace throng {

// Maximum number of brackets around a value, and of dots in one key. Far more than any file needs.
inline constexpr int kMaxTomlDepth = 32;

// Call before parsing. name: of the file, for messages. Throws Error(usage) with file and line if the nesting is too
// deep.
void check_toml_depth(std::string_view text, const std::string& name);

}  // namespace throng
