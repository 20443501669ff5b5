// SHA-256 by OpenSSL.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace throng {

// Both return 64 lower-case hexadecimal digits. sha256_of throws Error(input) if the file cannot be read.
[[nodiscard]] std::string sha256_of(const std::filesystem::path& file);
[[nodiscard]] std::string sha256_of_text(std::string_view text);

}  // namespace throng
