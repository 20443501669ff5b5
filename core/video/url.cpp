#include "core/video/url.h"

#include <algorithm>
#include <cctype>

#include "core/base/value_text.h"

namespace throng {
namespace {

bool is_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}
bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
    return result;
}

}  // namespace

std::string url_scheme(std::string_view text) {
    const auto end = text.find("://");
    if (end == std::string_view::npos || end == 0 || !is_letter(text.front())) return {};
    const std::string_view scheme = text.substr(0, end);
    const auto allowed = [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.'; };
    if (!std::all_of(scheme.begin(), scheme.end(), allowed)) return {};
    return lower(scheme);
}

std::string url_host(std::string_view url) {
    if (url_scheme(url).empty()) return {};
    url.remove_prefix(url.find("://") + 3);
    std::string_view host = url.substr(0, url.find_first_of("/?#"));
    host.remove_prefix(host.rfind('@') + 1);  // npos + 1 is 0
    if (host.starts_with('[')) return std::string(host.substr(1, host.find(']') - 1));
    return std::string(host.substr(0, host.find(':')));
}

std::optional<UrlParts> parse_url(std::string_view url) {
    UrlParts parts{url_scheme(url), {}, {}, url_host(url), 0, {}};
    if (parts.scheme.empty() || parts.host.empty()) return std::nullopt;
    url.remove_prefix(url.find("://") + 3);
    const std::size_t slash = std::min(url.find_first_of("/?#"), url.size());
    if (slash < url.size()) parts.path = percent_decoded(url.substr(slash + 1));
    std::string_view host = url.substr(0, slash);
    if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) {
        const std::string_view user = host.substr(0, at);
        const std::size_t colon = std::min(user.find(':'), user.size());
        parts.user = percent_decoded(user.substr(0, colon));
        if (colon < user.size()) parts.password = percent_decoded(user.substr(colon + 1));
        host.remove_prefix(at + 1);
    }
    if (host.starts_with('[')) host.remove_prefix(std::min(host.find(']'), host.size()));
    const std::size_t colon = host.find(':');
    if (colon == std::string_view::npos) return parts;
    const std::optional<std::int64_t> port = parse_whole(host.substr(colon + 1));
    if (!port || *port < 1 || *port > 65535) return std::nullopt;
    parts.port = static_cast<int>(*port);
    return parts;
}

bool has_unencoded_password(std::string_view url) {
    if (url_scheme(url).empty()) return false;
    url.remove_prefix(url.find("://") + 3);
    const std::size_t end = url.find_first_of("/?#");
    return end != std::string_view::npos && url.find('@', end) != std::string_view::npos;
}

std::optional<std::string> file_url_path(std::string_view text) {
    constexpr std::string_view kFile = "file:";
    if (lower(text.substr(0, kFile.size())) != kFile) return std::nullopt;
    std::string_view encoded = text.substr(kFile.size());
    if (!encoded.starts_with("//")) return std::string(encoded);
    encoded.remove_prefix(2);
    return percent_decoded(encoded);
}

}  // namespace throng
