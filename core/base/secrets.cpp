#include "core/base/secrets.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

#include "core/base/value_text.h"

namespace throng {
namespace {

constexpr std::string_view kMask = "***";
constexpr std::string_view kSpace = " \t\r\n\v\f";
constexpr std::string_view kQuerySeparators = "?&;#";

// Last words of keys: "pw" of "user-pw", "signature" of "X-Amz-Signature".
constexpr std::array<std::string_view, 22> kSecretWords = {
    "pw",     "pwd",        "pass",        "passwd", "password",  "passphrase", "passcode", "key",
    "apikey", "accesskey",  "secretkey",   "auth",   "token",     "secret",     "sas",      "signature",
    "sig",    "credential", "credentials", "bearer", "authtoken", "jwt"};

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_space(char c) {
    return kSpace.find(c) != std::string_view::npos;
}
bool is_key_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
}

std::string_view without_trailing(std::string_view text, std::string_view characters) {
    const auto last = text.find_last_not_of(characters);
    return last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
}

// Returns true if the authority has a colon without a port after it: then the part before it is a user name.
bool has_password(std::string_view authority) {
    authority = without_trailing(authority, "\"',;.:)!");
    const auto colon = authority.rfind(':');
    if (colon == std::string_view::npos || authority.back() == ']') return false;
    const auto port = authority.substr(colon + 1);
    return !std::all_of(port.begin(), port.end(), is_digit);
}

// Returns the position of the @ that ends the user information beginning at `begin`, or npos where there is none.
std::size_t user_info_end(std::string_view text, std::size_t begin) {
    const std::size_t url_end = std::min(text.find_first_of(kSpace, begin), text.size());
    const std::size_t slash = std::min(text.find_first_of("/?#", begin), url_end);
    const auto last_at = [&](std::size_t end) {
        const std::size_t at = text.substr(0, end).rfind('@');
        return at == std::string_view::npos || at < begin ? std::string_view::npos : at;
    };
    const std::string_view authority = text.substr(begin, slash - begin);
    if (!has_password(authority)) {
        // "user:12/34@host" looks like a host and a port: better mask a part of a path than show a password.
        const bool may_be_user =
            authority.find(':') != std::string_view::npos && authority.find_first_of("[@") == std::string_view::npos;
        const std::size_t query = std::min(text.find_first_of("?#", slash + 1), url_end);
        if (slash < url_end && may_be_user && last_at(query) != std::string_view::npos) return last_at(query);
        return last_at(slash);
    }
    // A password with an unescaped slash or blank ends the authority too early.
    if (const std::size_t at = last_at(url_end); at != std::string_view::npos) return at;
    const std::size_t line_end = std::min(text.find('\n', begin), text.size());
    return last_at(std::min(text.find("://", begin), line_end));
}

void mask_user_info(std::string& text) {
    for (std::size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at + 3)) {
        const std::size_t begin = at + 3;
        const std::size_t end = user_info_end(text, begin);
        if (end != std::string::npos) text.replace(begin, end - begin, kMask);
    }
}

// Masks "me:secret" in "me:secret@host", and in addresses that are written incorrectly: "rtsp:/me:secret@host". A file
// name of this form loses its beginning, too. Words with a correct address are left to mask_user_info.
void mask_bare_user_info(std::string& text) {
    constexpr std::string_view kEnd = " \t\r\n\v\f\"'<>()";
    constexpr std::array<std::string_view, 6> kSources = {"mosaic:", "gst:", "file:", "camera:", "csi:", "crowd:"};
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find_first_of(kEnd, begin), text.size());
        std::string_view word = std::string_view(text).substr(begin, end - begin);
        const std::size_t at = word.rfind('@');
        std::size_t user = 0;
        if (at != std::string_view::npos) {
            const std::size_t equals = word.rfind('=', at);  // "--from=me:secret@host"
            user = equals == std::string_view::npos ? 0 : equals + 1;
        }
        for (const std::string_view source : kSources) {
            if (word.substr(user).starts_with(source)) user += source.size();
        }
        const std::size_t colon = word.find(':', user);
        const std::size_t slash = word.find('/', user);
        const bool path = slash < colon && word.substr(slash, 2) != "//";
        const bool secret = at != std::string_view::npos && at + 1 < word.size() && colon < at && colon > user &&
                            !path && word.find("://") == std::string_view::npos;
        if (secret) text.replace(begin + user, at - user, kMask);
        begin = secret ? std::min(text.find_first_of(kEnd, begin), text.size()) + 1 : end + 1;
    }
}

// Compares case-insensitively; `lower` is lower case.
bool same_word(std::string_view word, std::string_view lower) {
    return std::equal(word.begin(), word.end(), lower.begin(), lower.end(),
                      [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

bool is_secret(std::string_view key) {
    const std::size_t separator = key.find_last_of("-_.");
    const std::string_view word = separator == std::string_view::npos ? key : key.substr(separator + 1);
    return std::any_of(kSecretWords.begin(), kSecretWords.end(),
                       [&](std::string_view secret) { return same_word(word, secret); });
}

// Returns the end of the value that begins at `begin`.
std::size_t value_end(std::string_view text, std::size_t begin) {
    if (begin < text.size() && (text[begin] == '"' || text[begin] == '\'')) {
        const std::size_t quote = text.find(text[begin], begin + 1);
        return quote == std::string_view::npos ? text.size() : quote + 1;
    }
    const std::size_t end = std::min(text.find_first_of("&;#\"'! \t\r\n\v\f", begin), text.size());
    // Trailing punctuation belongs to the sentence that contains the value.
    return begin + without_trailing(text.substr(begin, end - begin), ":,.)").size();
}

void mask_values(std::string& text) {
    for (std::size_t equals = text.find('='); equals != std::string::npos; equals = text.find('=', equals + 1)) {
        // GStreamer allows blanks around the sign.
        std::size_t key_end = equals;
        while (key_end > 0 && is_space(text[key_end - 1])) --key_end;
        std::size_t plain = key_end;
        while (plain > 0 && is_key_character(text[plain - 1])) --plain;
        std::size_t encoded = plain;
        while (encoded > 0 && (is_key_character(text[encoded - 1]) || text[encoded - 1] == '%')) --encoded;
        const auto key_from = [&](std::size_t begin) { return std::string_view(text).substr(begin, key_end - begin); };
        const std::string key = percent_decoded(key_from(encoded));
        // An authorization code of OAuth; outside a URL, a code is usually an error number.
        const bool in_query = encoded > 0 && kQuerySeparators.find(text[encoded - 1]) != std::string_view::npos;
        if (!is_secret(key_from(plain)) && !is_secret(key) && !(in_query && same_word(key, "code"))) continue;
        std::size_t begin = equals + 1;
        while (begin < text.size() && is_space(text[begin])) ++begin;
        const std::size_t end = value_end(text, begin);
        if (end > begin) text.replace(begin, end - begin, kMask);
    }
}

}  // namespace

std::string mask_credentials(std::string_view text) {
    std::string result(text);
    mask_user_info(result);
    mask_bare_user_info(result);
    mask_values(result);
    return result;
}

}  // namespace throng
