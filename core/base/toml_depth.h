// Parses TOML. Rejects what is nested so deeply that a recursive parser would overflow its stack.
#pragma once

#include <toml++/toml.h>
#include <string>
#include <string_view>

#include "core/base/message.h"

namespace throng {

// Maximum number of brackets around a value, and of dots in one key. Far more than any file needs.
inline constexpr int kMaxTomlDepth = 32;

// name: of the file, for messages. Throws Error(usage) with file and line if the nesting is too deep.
void check_toml_depth(std::string_view text, const std::string& name);

// Throws Error(usage) with file, line and key for invalid TOML, and as check_toml_depth.
[[nodiscard]] toml::table parse_toml(std::string_view text, const std::string& name, const Message& advice = {});

}  // namespace throng
