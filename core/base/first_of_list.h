// Shortens a list in a message.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace throng {

// Returns "a, b, c and 7 more".
[[nodiscard]] inline std::string first_of_list(const std::vector<std::string>& names, std::size_t limit = 10) {
    const std::size_t shown = std::min(names.size(), limit);
    std::string text;
    for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > shown) text += " and " + std::to_string(names.size() - shown) + " more";
    return text;
}

}  // namespace throng
