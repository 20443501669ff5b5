// Reads integers of JSON of unknown origin.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

namespace throng {

// A value is no integer, or one out of the range of its type.
class JsonNotInteger final : public nlohmann::json::exception {
public:
    JsonNotInteger() : exception(0, "a number is not an integer, or out of range") {}
};

// Returns an integer. nlohmann's get converts any number, and wraps around. Throws JsonNotInteger.
template <class Integer, class Json>
[[nodiscard]] Integer integer_of(const Json& value) {
    if (value.is_number_unsigned()) {
        const auto number = value.template get<std::uint64_t>();
        if (std::in_range<Integer>(number)) return static_cast<Integer>(number);
    } else if (value.is_number_integer()) {
        const auto number = value.template get<std::int64_t>();
        if (std::in_range<Integer>(number)) return static_cast<Integer>(number);
    }
    throw JsonNotInteger();
}

}  // namespace throng
