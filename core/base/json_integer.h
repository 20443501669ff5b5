// Reads integers of JSON of unknown origin.
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

namespace throng {

// A value is no integer, or one out of the range of its type.
class JsonNotInteger final : public nlohmann::json::exception {
public:
    JsonNotInteger() : exception(0, "a number is not an integer, or out of range") {}
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
    throw JsonNotInteger();
}

}  // namespace throng
