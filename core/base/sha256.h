// SHA-256 by OpenSSL.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

namespace throng {

// Both return 64 lower-case hexadecimal digits. sha256_of throws Error(input) if the file cannot be read, and
// Error(interrupted) after a stop request.
[[nodiscard]] std::string sha256_of(const std::filesystem::path& file, const std::stop_token& stop = {});
[[nodiscard]] std::string sha256_of_text(std::string_view text);

}  // namespace throng
