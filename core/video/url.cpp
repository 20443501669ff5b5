#include "core/video/url.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace throng {
namespace {

constexpr std::string_view kMask = "***";
constexpr std::array<std::string_view, 9> kSecretKeys = {"password", "passwd",  "passphrase", "pwd", "user-pw",
                                                         "token",    "api_key", "secret",     "auth"};

bool is_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}
bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool ends_value(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0 || c == '"' || c == '\'' || c == '!';
}

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
    return result;
}

// A colon in the authority that no port follows: then a user's name stands before it.
bool has_password(std::string_view authority) {
    const auto colon = authority.rfind(':');
    if (colon == std::string_view::npos || authority.back() == ']') return false;
    const auto port = authority.substr(colon + 1);
    return !std::all_of(port.begin(), port.end(), is_digit);
}

// user:password@ after each "://". A password with an unescaped slash ends the authority too early: then the last @
// counts.
void mask_user_info(std::string& text) {
    for (std::size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at + 3)) {
        const std::size_t begin = at + 3;
        const auto url_end = static_cast<std::size_t>(
            std::find_if(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), ends_value) - text.begin());
        const std::size_t slash = std::min(text.find_first_of("/?#", begin), url_end);
        const std::string_view authority = std::string_view(text).substr(begin, slash - begin);
        const std::size_t searched = has_password(authority) ? url_end : slash;
        const std::size_t last = std::string_view(text).substr(0, searched).rfind('@');
        if (last == std::string_view::npos || last < begin) continue;
        text.replace(begin, last - begin, kMask);
    }
}

void mask_key(std::string& text, std::string_view key) {
    std::string searchable = lower(text);
    for (std::size_t at = searchable.find(key); at != std::string::npos; at = searchable.find(key, at + 1)) {
        std::size_t begin = at + key.size();
        if (begin >= text.size() || text[begin] != '=') continue;
        ++begin;
        const bool quoted = begin < text.size() && (text[begin] == '"' || text[begin] == '\'');
        std::size_t end = quoted ? text.find(text[begin], begin + 1) : text.find_first_of("&;# \t\n\"'!", begin);
        if (end == std::string::npos) end = text.size();
        if (quoted && end < text.size()) ++end;
        text.replace(begin, end - begin, kMask);
        searchable = lower(text);
    }
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

std::string mask_credentials(std::string_view text) {
    std::string result(text);
    mask_user_info(result);
    for (const std::string_view key : kSecretKeys) mask_key(result, key);
    return result;
}

std::string file_url_path(std::string_view url) {
    const std::string_view encoded = url.substr(url.find("://") + 3);
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
