// Greedy and one-pass non-maximum suppression as plain loops: the definition that every engine must reproduce. Read
// this first, then core/cpu/nms_decision.h and gpu/nms. Quadratic, without any optimization; tests use it, the program
// does not.
//
// Loops work on ranks: positions in the order of `precedes`, rank 0 first. suppresses(j, i) is the pair rule: whether
// j, which precedes i, has enough overlap with it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/algo/nms_rules.h"

namespace throng {

// One-pass: i is kept unless some j before it suppresses it, even a j that is itself suppressed.
template <class Suppresses>
[[nodiscard]] std::vector<bool> keep_one_pass(std::size_t count, const Suppresses& suppresses) {
    std::vector<bool> kept(count, true);
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < i && kept[i]; ++j) {
            if (suppresses(j, i)) kept[i] = false;
        }
    }
    return kept;
}

// Greedy: i is kept unless some kept j before it suppresses it.
template <class Suppresses>
[[nodiscard]] std::vector<bool> keep_greedy(std::size_t count, const Suppresses& suppresses) {
    std::vector<bool> kept(count, true);
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < i && kept[i]; ++j) {
            if (kept[j] && suppresses(j, i)) kept[i] = false;
        }
    }
    return kept;
}

// The owner of each detection: itself if it is kept, otherwise the first kept one that suppresses it. Returns
// kept.size() where there is none, which only one-pass allows. The hits of a kept detection are the number that it
// owns.
template <class Suppresses>
[[nodiscard]] std::vector<std::size_t> find_owners(const std::vector<bool>& kept, const Suppresses& suppresses) {
    std::vector<std::size_t> owner(kept.size(), kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (kept[i]) owner[i] = i;
        for (std::size_t j = 0; j < i && owner[i] == kept.size(); ++j) {
            if (kept[j] && suppresses(j, i)) owner[i] = j;
        }
    }
    return owner;
}

struct ReferenceRule {
    bool greedy = true;  // false: one-pass
    Overlap overlap = Overlap::iou;
    float theta = 0.3F;
    PixelConvention pixels = PixelConvention::continuous;
    Ties ties = Ties::total;
};

// The indices of the kept boxes in the order of `precedes`. Invalid detections are dropped first. One score per box.
[[nodiscard]] inline std::vector<std::uint32_t> suppress_by_definition(const std::vector<Box>& boxes,
                                                                       const std::vector<float>& scores,
                                                                       const ReferenceRule& rule) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < boxes.size(); ++i) {
        if (is_valid_detection(boxes[i], scores[i])) order.push_back(i);
    }
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return precedes(boxes[a], scores[a], a, boxes[b], scores[b], b);
    });
    const auto suppresses = [&](std::size_t j, std::size_t i) {
        return may_suppress(rule.ties, scores[order[i]], scores[order[j]]) &&
               overlap_suppresses(rule.overlap, boxes[order[i]], boxes[order[j]], pixel_extent(rule.pixels),
                                  rule.theta);
    };
    const std::vector<bool> kept =
        rule.greedy ? keep_greedy(order.size(), suppresses) : keep_one_pass(order.size(), suppresses);
    std::vector<std::uint32_t> result;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (kept[i]) result.push_back(order[i]);
    }
    return result;
}

}  // namespace throng
