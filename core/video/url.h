// The parts of a source's name that is a URL.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace throng {

// "rtsp", "http", "file"…, in lower case, of text that starts with scheme://; empty for anything else.
[[nodiscard]] std::string url_scheme(std::string_view text);

// The host of scheme://[user@]host[:port]/…, without the brackets of an IPv6 address; empty where there is none.
[[nodiscard]] std::string url_host(std::string_view url);

// The path that "file:…" names: a file:// URL has its %XX decoded; after "file:" alone the path stands as it is, as for
// FFmpeg. None for any other text.
[[nodiscard]] std::optional<std::string> file_url_path(std::string_view text);

}  // namespace throng
