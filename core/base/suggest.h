// "Did you mean …?" for misspelt names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace throng {

// The candidate with the smallest edit distance (insertions, deletions, substitutions, swaps of neighbors) from
// `name`, if that is at most a third of the name's length (and at least one edit may differ); else empty.
[[nodiscard]] std::string closest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace throng
