// Tables of the names of an enumeration: on the command line, in configuration files, in JSON and in the window. A
// table is an array of pairs of a name and a choice; the first name of a choice is the one that is written.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace throng {

template <class Choice, std::size_t kSize>
using ChoiceNames = const std::pair<std::string_view, Choice> (&)[kSize];

// Returns the name of a choice.
template <class Choice, std::size_t kSize>
[[nodiscard]] constexpr std::string_view name_of(ChoiceNames<Choice, kSize> names, Choice value) noexcept {
    for (const auto& [name, choice] : names) {
        if (choice == value) return name;
    }
    return {};
}

// Returns the choice with this name, or nothing for an unknown name.
template <class Choice, std::size_t kSize>
[[nodiscard]] constexpr std::optional<Choice> choice_of(ChoiceNames<Choice, kSize> names,
                                                        std::string_view requested) noexcept {
    for (const auto& [name, choice] : names) {
        if (name == requested) return choice;
    }
    return std::nullopt;
}

// Returns the names, in the order of the table.
[[nodiscard]] std::vector<std::string> words_of(const auto& names) {
    std::vector<std::string> words;
    for (const auto& [word, value] : names) words.emplace_back(word);
    return words;
}

}  // namespace throng
