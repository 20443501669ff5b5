// Reads integers of JSON of unknown origin.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/base/json_text.h"
#include "core/base/value_text.h"

namespace throng {

// A value is no integer, or one out of the range of its type.
class JsonNotInteger final : public nlohmann::json::exception {
public:
    explicit JsonNotInteger(const std::string& problem) : exception(0, problem.c_str()) {}
};

// Returns an integer; others may write one as 3.0. nlohmann's get converts any number, and wraps around. Throws
// JsonNotInteger.
template <class Integer, class Json>
[[nodiscard]] Integer integer_of(const Json& value) {
    if (value.is_number_unsigned()) {
        const auto number = value.template get<std::uint64_t>();
        if (std::in_range<Integer>(number)) return static_cast<Integer>(number);
    } else if (value.is_number_integer()) {
        const auto number = value.template get<std::int64_t>();
        if (std::in_range<Integer>(number)) return static_cast<Integer>(number);
    } else if (value.is_number_float()) {
        constexpr double kMaxExact = std::int64_t{1} << 53U;  // from there on, a double is not one integer only
        const auto number = value.template get<double>();
        if (std::fabs(number) < kMaxExact && std::trunc(number) == number) {
            const auto exact = static_cast<std::int64_t>(number);
            if (std::in_range<Integer>(exact)) return static_cast<Integer>(exact);
        }
    }
    using Limits = std::numeric_limits<Integer>;
    throw JsonNotInteger(
        whole_problem(std::to_string(Limits::min()), std::to_string(Limits::max()), json_text(value)).text());
}

// Returns the integer of a key of an object, or of an index of an array. The error names it: "'frame' must be …".
template <class Integer, class Json, class Key>
[[nodiscard]] Integer integer_at(const Json& values, const Key& key) {
    const Json& value = values.at(key);
    try {
        return integer_of<Integer>(value);
    } catch (const JsonNotInteger& error) {
        if constexpr (std::integral<Key>) {
            throw JsonNotInteger("value " + std::to_string(key) + " " + error.what());
        } else {
            throw JsonNotInteger("'" + std::string(key) + "' " + error.what());
        }
    }
}

}  // namespace throng
