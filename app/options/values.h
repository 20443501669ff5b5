// Validators of option values, run before conversion. CLI11 alone accepts NaN in any range, reads an empty text as 0,
// and clamps a number that is too large to the maximum.
#pragma once

#include <CLI/CLI.hpp>

#include <concepts>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/value_text.h"

namespace throng {

// Accepts decimal numbers from low to high. Both limits are finite.
[[nodiscard]] CLI::Validator finite_range(double low, double high);

// Accepts whole decimal numbers from low to high.
template <std::integral Integer>
[[nodiscard]] CLI::Validator whole_range(Integer low, Integer high = std::numeric_limits<Integer>::max()) {
    return CLI::Validator([=](const std::string& text) { return check_whole(text, low, high).text(); }, "");
}

// Returns the words of a table of pairs or of a map.
[[nodiscard]] std::vector<std::string> words_of(const auto& names) {
    std::vector<std::string> words;
    for (const auto& [word, value] : names) words.emplace_back(word);
    return words;
}

// Accepts these words.
[[nodiscard]] CLI::Validator one_of(const std::vector<std::string>& choices);

// Splits "a,b" at its commas. Throws CLI::ValidationError for an empty element.
[[nodiscard]] std::vector<std::string> split_list(const std::string& option, const std::string& text);

// Adds an option that takes a comma-separated list without empty elements. `element` checks each element. The values in
// `values` are the default.
template <class Value>
CLI::Option* add_list(CLI::App& command, const std::string& option, std::vector<Value>& values,
                      const std::string& description, const CLI::Validator& element) {
    const auto assign = [&values, option, element](const std::vector<std::string>& texts) {
        std::vector<Value> read;
        for (const std::string& text : texts) {
            for (std::string& part : split_list(option, text)) {
                const std::string problem = element(part);
                if (!problem.empty()) throw CLI::ValidationError(option, problem);
                Value value{};
                if (!CLI::detail::lexical_cast(part, value)) throw CLI::ConversionError(part, option);
                read.push_back(std::move(value));
            }
        }
        values = std::move(read);
    };
    return command.add_option_function<std::vector<std::string>>(option, assign, description)
        ->default_str(CLI::detail::join(values, ","));
}

}  // namespace throng
