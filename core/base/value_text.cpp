#include "core/base/value_text.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "core/base/secrets.h"

namespace throng {
namespace {

template <class Number>
std::optional<Number> parse_decimal(std::string_view text) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    const char* const end = text.data() + text.size();
    Number value{};
    const auto [stop, problem] = std::from_chars(text.data(), end, value);
    return problem == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

bool is_octal(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of("+-"), text.size()));
    return text.size() > 1 && text[0] == '0';
}

// Masks before truncating, because a truncated URL is not recognized as one.
std::string shown(std::string_view given) {
    constexpr std::size_t kMaxShown = 200;
    return mask_credentials(given).substr(0, kMaxShown);
}

}  // namespace

std::optional<double> parse_real(std::string_view text) {
    return parse_decimal<double>(text);
}

std::optional<std::int64_t> parse_whole(std::string_view text) {
    return is_octal(text) ? std::nullopt : parse_decimal<std::int64_t>(text);
}

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
    return is_octal(text) ? std::nullopt : parse_decimal<std::uint64_t>(text);
}

std::string percent_decoded(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned char code = 0;
        const char* digits = text.data() + i + 1;
        const bool escape = text[i] == '%' && i + 2 < text.size();
        const bool decodes = escape && std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2;
        result += decodes ? static_cast<char>(code) : text[i];
        if (decodes) i += 2;
    }
    return result;
}

std::string text_of(double value) {
    char text[32];
    return {text, std::to_chars(std::begin(text), std::end(text), value, std::chars_format::general, 6).ptr};
}

Message real_problem(double low, double high, std::string_view given) {
    return {"must be a number from %1 to %2, not \"%3\"", text_of(low), text_of(high), shown(given)};
}

Message whole_problem(const std::string& low, const std::string& high, std::string_view given) {
    return {"must be a whole number from %1 to %2, not \"%3\"", low, high, shown(given)};
}

Message choice_problem(const std::vector<std::string>& choices, std::string_view given) {
    std::string list;
    for (const std::string& choice : choices) list += (list.empty() ? "" : ", ") + choice;
    return {"must be one of %1, not \"%2\"", list, shown(given)};
}

Message check_real(std::string_view text, double low, double high) {
    const std::optional<double> value = parse_real(text);
    // NaN fails the comparisons.
    return value && *value >= low && *value <= high ? Message() : real_problem(low, high, text);
}

Message check_choice(std::string_view text, const std::vector<std::string>& choices) {
    const bool known = std::find(choices.begin(), choices.end(), text) != choices.end();
    return known ? Message() : choice_problem(choices, text);
}

}  // namespace throng
