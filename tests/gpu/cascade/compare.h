// Sorts and compares detections, for comparisons between backends.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "core/detect/detection.h"
#include "tests/unit/cascade/reference.h"

namespace throng::test {

inline void sort_boxes(std::vector<ScoredBox>& boxes) {
    const auto key = [](const ScoredBox& d) { return std::make_tuple(d.box.w, d.box.h, d.box.y, d.box.x, d.score); };
    std::sort(boxes.begin(), boxes.end(), [&](const ScoredBox& a, const ScoredBox& b) { return key(a) < key(b); });
}

inline std::vector<ScoredBox> sorted_boxes(const DetectionSet& set) {
    std::vector<ScoredBox> boxes;
    for (const Detection& d : set.detections) boxes.push_back({d.box, d.score});
    sort_boxes(boxes);
    return boxes;
}

// Returns a short description of the first difference of two sorted lists; empty when they are equal.
inline std::string difference(const std::vector<ScoredBox>& expected, const std::vector<ScoredBox>& found) {
    std::size_t i = 0;
    while (i < expected.size() && i < found.size() && expected[i] == found[i]) ++i;
    if (i == expected.size() && i == found.size()) return {};
    const auto describe = [i](const std::vector<ScoredBox>& list) {
        if (i >= list.size()) return std::string("none");
        const ScoredBox& d = list[i];
        return std::to_string(d.box.x) + "," + std::to_string(d.box.y) + " " + std::to_string(d.box.w) + "x" +
               std::to_string(d.box.h) + " score " + std::to_string(d.score);
    };
    return std::to_string(expected.size()) + " expected, " + std::to_string(found.size()) + " found; number " +
           std::to_string(i) + ": expected " + describe(expected) + ", found " + describe(found);
}

}  // namespace throng::test
