// Parses URLs in the names of sources and outputs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace throng {

// Returns the scheme of text that starts with scheme://, in lower case ("rtsp", "http", "file"…); otherwise empty.
[[nodiscard]] std::string url_scheme(std::string_view text);

// Returns the host of scheme://[user@]host[:port]/…, without the brackets of an IPv6 address; empty if there is none.
[[nodiscard]] std::string url_host(std::string_view url);

// The parts of scheme://[user[:password]@]host[:port][/path], with %XX decoded.
struct UrlParts {
    std::string scheme, user, password, host;
    int port = 0;  // none
    std::string path;
};
// Returns none for a text that has no scheme, no host, or a port that is not from 1 to 65535.
[[nodiscard]] std::optional<UrlParts> parse_url(std::string_view url);

// Returns true if the host of the URL may be a part of a user name or password with a character that must be encoded:
// an @ follows later.
[[nodiscard]] bool has_unencoded_password(std::string_view url);
// Advice for an address with which that is the case.
inline constexpr const char* kEncodePassword = "encode @ / ? # : in a user name or password as %40 %2F %3F %23 %3A";

// Returns the path of "file:…". Decodes %XX in a file:// URL. After "file:" without slashes, the path is literal, as in
// FFmpeg. Returns none for any other text.
[[nodiscard]] std::optional<std::string> file_url_path(std::string_view text);

}  // namespace throng
