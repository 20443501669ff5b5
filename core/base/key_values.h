// Lists of keys and values in the names of sources: "faces=60,size=1920x1080".
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace throng {

// Splits "KEY=VALUE,KEY=VALUE"; without "=", the value is empty. Throws Error(usage) for a key that occurs twice. where:
// the text before it in the message, such as "crowd: ".
[[nodiscard]] inline std::vector<std::pair<std::string_view, std::string_view>> key_values(std::string_view text,
                                                                                           std::string_view where) {
    std::vector<std::pair<std::string_view, std::string_view>> found;
    while (!text.empty()) {
        const std::string_view item = text.substr(0, text.find(','));
        text.remove_prefix(std::min(item.size() + 1, text.size()));
        const std::size_t equals = std::min(item.find('='), item.size());
        const std::string_view key = item.substr(0, equals);
        const std::string_view value = item.substr(std::min(equals + 1, item.size()));
        if (std::any_of(found.begin(), found.end(), [key](const auto& each) { return each.first == key; })) {
            throw Error(ErrorKind::usage, {"invalid value '%1'", std::string(value)},
                        std::string(where) + std::string(key), "use each key only once");
        }
        found.emplace_back(key, value);
    }
    return found;
}

}  // namespace throng
