// Values in texts of users: how numbers are read and written, and the one wording for a value that is not allowed.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/message.h"

namespace throng {

// Reads a whole text as a decimal number, with an optional plus. A whole number must not start with a zero, which other
// readers take as octal.
[[nodiscard]] std::optional<double> parse_real(std::string_view text);
[[nodiscard]] std::optional<std::int64_t> parse_whole(std::string_view text);
[[nodiscard]] std::optional<std::uint64_t> parse_unsigned(std::string_view text);

// Returns up to 6 significant digits: "0.3", "1e-06".
[[nodiscard]] std::string text_of(double value);

// Returns the shortest text that reads as the same number.
template <class Number>
[[nodiscard]] std::string exact_text(Number value) {
    char text[32];
    return {text, std::to_chars(text, std::end(text), value).ptr};
}

// Returns the text with every %XX of a URL replaced by its character.
[[nodiscard]] std::string percent_decoded(std::string_view text);

// "must be a number from 0 to 1, not \"2\"": the problem of a value that was given as `given`.
[[nodiscard]] Message real_problem(double low, double high, std::string_view given);
[[nodiscard]] Message whole_problem(const std::string& low, const std::string& high, std::string_view given);
[[nodiscard]] Message choice_problem(const std::vector<std::string>& choices, std::string_view given);

// Checks a text. Returns its problem; empty if it is a number from low to high, or one of the choices.
[[nodiscard]] Message check_real(std::string_view text, double low, double high);
[[nodiscard]] Message check_choice(std::string_view text, const std::vector<std::string>& choices);
template <std::integral Integer>
[[nodiscard]] Message check_whole(std::string_view text, Integer low, Integer high) {
    const auto value = [text] {
        if constexpr (std::unsigned_integral<Integer>) {
            return parse_unsigned(text);
        } else {
            return parse_whole(text);
        }
    }();
    if (value && *value >= low && *value <= high) return {};
    return whole_problem(std::to_string(low), std::to_string(high), text);
}

}  // namespace throng
