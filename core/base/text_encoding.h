// Names of any bytes as text, and text files in other encodings than UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace throng {

// Returns true for valid UTF-8.
[[nodiscard]] bool is_utf8(std::string_view bytes);

// Returns valid UTF-8, which is the name itself if that is valid. Each other byte, and each byte of a replacement
// character (U+FFFD) of the name, becomes U+FFFD and two hexadecimal digits: different names remain different.
[[nodiscard]] std::string name_as_text(std::string_view name);

// Returns the text of a file without its byte order mark: UTF-16 and UTF-32 become UTF-8; without such a mark the bytes
// are returned as they are. file: for messages. Throws Error(input) for text that is not as its mark says.
[[nodiscard]] std::string decode_text(std::string bytes, const std::string& file);

}  // namespace throng
