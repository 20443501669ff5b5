// "Did you mean …?" for misspelled names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace throng {

// Returns the candidate with the smallest edit distance (insertions, deletions, substitutions, swaps of neighbors) from
// `name`. Empty if that distance exceeds a third of the name's length and exceeds 1.
[[nodiscard]] std::string closest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace throng
