// Formats defaults that depend on the detector, for the help text.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/detect/detector_kinds.h"

namespace throng {

// Returns "24; hog 64; cnn 10": the value of the first kind, then those of the kinds that differ from it. value:
// converts a DetectorKind to text.
template <class Value>
[[nodiscard]] std::string default_by_kind(const std::vector<std::string>& kinds, Value value) {
    const std::string first = value(detector_kind(kinds.front()));
    std::string text = first;
    for (const std::string& name : kinds) {
        const std::string other = value(detector_kind(name));
        if (other != first) text += fmt::format("; {} {}", name, other);
    }
    return text;
}

// The same over all kinds.
template <class Value>
[[nodiscard]] std::string default_by_kind(Value value) {
    std::vector<std::string> names;
    for (const DetectorKind& kind : detector_kinds()) names.emplace_back(kind.name);
    return default_by_kind(names, value);
}

}  // namespace throng
