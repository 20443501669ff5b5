// What a source's name looks like, and how it may be shown: passwords never appear in logs, notices or names.
#pragma once

#include <string>
#include <string_view>

namespace throng {

// "rtsp", "http", "file"…, in lower case, of text that starts with scheme://; empty for anything else.
[[nodiscard]] std::string url_scheme(std::string_view text);

// The text with user names and passwords of all URLs in it, and the values of password-like keys, replaced by "***".
[[nodiscard]] std::string mask_credentials(std::string_view text);

// The path of a file:// URL, with %XX decoded.
[[nodiscard]] std::string file_url_path(std::string_view url);

}  // namespace throng
