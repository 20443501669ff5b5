// Parses URLs in the names of sources.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace throng {

// Returns the scheme of text that starts with scheme://, in lower case ("rtsp", "http", "file"…); otherwise empty.
[[nodiscard]] std::string url_scheme(std::string_view text);

// Returns the host of scheme://[user@]host[:port]/…, without the brackets of an IPv6 address; empty if there is none.
[[nodiscard]] std::string url_host(std::string_view url);

// Returns the path of "file:…". Decodes %XX in a file:// URL. After "file:" without slashes, the path is literal, as in
// FFmpeg. Returns none for any other text.
[[nodiscard]] std::optional<std::string> file_url_path(std::string_view text);

}  // namespace throng
