#include "core/video/url.h"

#include <algorithm>
#include <cctype>
#include <charconv>

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
    std::string path;
    for (std::size_t i = 0; i < encoded.size(); ++i) {
        unsigned char code = 0;
        const char* digits = encoded.data() + i + 1;
        if (encoded[i] == '%' && i + 2 < encoded.size() &&
            std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2) {
            path += static_cast<char>(code);
            i += 2;
        } else {
            path += encoded[i];
        }
    }
    return path;
}

}  // namespace throng
