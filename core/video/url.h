// The parts of a source's name that is a URL.
#pragma once

#include <string>
#include <string_view>

namespace throng {

// "rtsp", "http", "file"…, in lower case, of text that starts with scheme://; empty for anything else.
[[nodiscard]] std::string url_scheme(std::string_view text);

// The path of a file:// URL, with %XX decoded.
[[nodiscard]] std::string file_url_path(std::string_view url);

}  // namespace throng
