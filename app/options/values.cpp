#include "app/options/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

#include "core/base/secrets.h"

namespace throng {
namespace {

// Returns whether the whole text is a decimal number that fits the type. A leading plus is allowed.
template <class Number>
bool parse(std::string_view text, Number& value) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, value);
    return problem == std::errc{} && stop == end;
}

// Masks before truncating, because a truncated URL is not recognized as one.
std::string in_quotes(std::string_view text) {
    constexpr std::size_t kMaxShown = 200;
    return fmt::format("\"{}\"", mask_credentials(text).substr(0, kMaxShown));
}

// CLI11 reads a leading zero as octal.
bool is_octal(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of("+-"), text.size()));
    return text.size() > 1 && text[0] == '0';
}

template <class Integer>
CLI::Validator range_of(Integer low, Integer high) {
    const auto check = [low, high](const std::string& text) {
        Integer value{};
        if (!is_octal(text) && parse(text, value) && value >= low && value <= high) {
            return std::string();
        }
        return fmt::format("must be a whole number from {} to {}, not {}", low, high, in_quotes(text));
    };
    return CLI::Validator(check, "");
}

}  // namespace

CLI::Validator finite_range(double low, double high) {
    const auto check = [low, high](const std::string& text) {
        double value = 0;
        // NaN fails the comparisons.
        if (parse(text, value) && value >= low && value <= high) {
            return std::string();
        }
        return fmt::format("must be a number from {:g} to {:g}, not {}", low, high, in_quotes(text));
    };
    return CLI::Validator(check, "");
}

CLI::Validator signed_range(std::int64_t low, std::int64_t high) {
    return range_of(low, high);
}

CLI::Validator unsigned_range(std::uint64_t low, std::uint64_t high) {
    return range_of(low, high);
}

std::vector<std::string> split_list(const std::string& option, const std::string& text) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0;;) {
        const std::size_t comma = text.find(',', begin);
        parts.push_back(text.substr(begin, comma - begin));
        if (parts.back().empty()) {
            throw CLI::ValidationError(option, "has an empty element in " + in_quotes(text));
        }
        if (comma == std::string::npos) return parts;
        begin = comma + 1;
    }
}

}  // namespace throng
