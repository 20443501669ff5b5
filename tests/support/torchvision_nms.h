// torchvision's CPU operator (torchvision/csrc/ops/cpu/nms_kernel.cpp) as plain loops, with groups and hits: boxes of
// different groups never suppress each other, and a kept box is hit by itself and by those that it suppresses.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace throng::test {

using IndexAndHits = std::pair<std::uint32_t, std::int32_t>;

// corners: x1, y1, x2, y2 of each box. groups: empty, or one per box.
template <class Real>
std::vector<IndexAndHits> torchvision_nms(const std::vector<Real>& corners, const std::vector<Real>& scores,
                                          const std::vector<std::uint32_t>& groups, double theta) {
    const auto n = static_cast<std::uint32_t>(scores.size());
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return (std::isnan(scores[a]) && !std::isnan(scores[b])) || scores[a] > scores[b];
    });
    const auto at = [&](std::uint32_t i, std::size_t k) { return corners[std::size_t{i} * 4 + k]; };
    const auto area = [&](std::uint32_t i) { return (at(i, 2) - at(i, 0)) * (at(i, 3) - at(i, 1)); };
    std::vector<bool> suppressed(n, false);
    std::vector<IndexAndHits> kept;
    for (std::uint32_t a = 0; a < n; ++a) {
        const std::uint32_t i = order[a];
        if (suppressed[i]) continue;
        kept.emplace_back(i, 1);
        for (std::uint32_t b = a + 1; b < n; ++b) {
            const std::uint32_t j = order[b];
            if (suppressed[j] || (!groups.empty() && groups[i] != groups[j])) continue;
            const Real left = std::max(at(i, 0), at(j, 0));
            const Real top = std::max(at(i, 1), at(j, 1));
            const Real right = std::min(at(i, 2), at(j, 2));
            const Real bottom = std::min(at(i, 3), at(j, 3));
            const Real width = std::max(Real{0}, right - left);
            const Real height = std::max(Real{0}, bottom - top);
            const Real common = width * height;
            const Real iou = common / (area(i) + area(j) - common);
            if (!(static_cast<double>(iou) > theta)) continue;
            suppressed[j] = true;
            ++kept.back().second;
        }
    }
    return kept;
}

}  // namespace throng::test
