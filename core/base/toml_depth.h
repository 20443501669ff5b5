// Rejects TOML that is nested so deeply that a recursive parser would run out of stack.
#pragma once

#include <string>
#include <string_view>

namespace throng {

// Levels of brackets around a value, and dots of one key; far beyond what any file needs.
inline constexpr int kMaxTomlDepth = 32;

// To be called before the parser. name: of the file, for the message. Throws Error(usage) naming file and line.
void check_toml_depth(std::string_view text, const std::string& name);

}  // namespace throng
