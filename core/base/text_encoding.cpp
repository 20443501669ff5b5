#include "core/base/text_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/error.h"

namespace throng {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Returns the length of the character at the beginning; 0 if it is no UTF-8 (RFC 3629).
std::size_t character_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) return 0;
    }
    // Longer than needed, surrogates, beyond U+10FFFF.
    const bool invalid = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
                         (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F);
    return invalid ? 0 : length;
}

void append_utf8(std::string& text, std::uint32_t code) {
    if (code < 0x80) {
        text += static_cast<char>(code);
        return;
    }
    const unsigned more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;  // bytes after the first
    constexpr std::array<unsigned, 4> kFirst = {0, 0xC0, 0xE0, 0xF0};
    text += static_cast<char>(kFirst[more] | (code >> (6 * more)));
    for (unsigned i = more; i-- > 0;) text += static_cast<char>(0x80U | ((code >> (6 * i)) & 0x3FU));
}

struct Encoding {
    std::string_view mark;
    const char* name;
    std::size_t unit;  // bytes
    bool little_endian;
};
using namespace std::string_view_literals;
// UTF-32 first: its mark begins with that of UTF-16.
constexpr std::array<Encoding, 5> kEncodings = {{{"\xFF\xFE\0\0"sv, "UTF-32", 4, true},
                                                 {"\0\0\xFE\xFF"sv, "UTF-32", 4, false},
                                                 {"\xFF\xFE"sv, "UTF-16", 2, true},
                                                 {"\xFE\xFF"sv, "UTF-16", 2, false},
                                                 {"\xEF\xBB\xBF"sv, "UTF-8", 1, true}}};

}  // namespace

bool is_utf8(std::string_view bytes) {
    while (!bytes.empty()) {
        const std::size_t length = character_length(bytes);
        if (length == 0) return false;
        bytes.remove_prefix(length);
    }
    return true;
}

std::string name_as_text(std::string_view name) {
    std::string text;
    while (!name.empty()) {
        const std::size_t length = character_length(name);
        if (length > 0 && name.substr(0, length) != kReplacement) {
            text += name.substr(0, length);
            name.remove_prefix(length);
            continue;
        }
        for (std::size_t i = 0; i < std::max<std::size_t>(length, 1); ++i) {
            text += fmt::format("{}{:02x}", kReplacement, static_cast<unsigned char>(name[i]));
        }
        name.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return text;
}

std::string decode_text(std::string bytes, const std::string& file) {
    const auto* const encoding = std::find_if(kEncodings.begin(), kEncodings.end(),
                                              [&](const Encoding& each) { return bytes.starts_with(each.mark); });
    if (encoding == kEncodings.end()) return bytes;
    bytes.erase(0, encoding->mark.size());
    if (encoding->unit == 1) return bytes;
    const auto damaged = [&] {
        return Error(ErrorKind::input, fmt::format("begins as {} text, but is damaged", encoding->name), file,
                     "write it again, as UTF-8");
    };
    if (bytes.size() % encoding->unit != 0) throw damaged();
    const auto unit_at = [&](std::size_t begin) {
        std::uint32_t unit = 0;
        for (std::size_t i = 0; i < encoding->unit; ++i) {
            const std::size_t place = encoding->little_endian ? i : encoding->unit - 1 - i;
            unit |= std::uint32_t{static_cast<unsigned char>(bytes[begin + i])} << (8 * place);
        }
        return unit;
    };
    constexpr std::uint32_t kHigh = 0xD800;  // surrogates
    constexpr std::uint32_t kLow = 0xDC00;
    constexpr std::uint32_t kEnd = 0xE000;
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += encoding->unit) {
        std::uint32_t code = unit_at(at);
        if (encoding->unit == 2 && code >= kHigh && code < kLow && at + 2 < bytes.size()) {
            const std::uint32_t low = unit_at(at + 2);
            if (low >= kLow && low < kEnd) {
                code = 0x10000 + ((code - kHigh) << 10U) + (low - kLow);
                at += 2;
            }
        }
        if (code > 0x10FFFF || (code >= kHigh && code < kEnd)) throw damaged();
        append_utf8(text, code);
    }
    return text;
}

}  // namespace throng
