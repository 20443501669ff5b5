#include "core/cpu/corner_nms.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

#include "core/cpu/score_order.h"

namespace throng {
namespace {

// Returns the least Real above theta. So IoU > theta, with theta as double, is IoU >= the result.
template <class Real>
Real least_above(double theta) {
    const auto rounded = static_cast<Real>(theta);
    if (static_cast<double>(rounded) > theta) return rounded;
    return std::nextafter(rounded, std::numeric_limits<Real>::infinity());
}

// NaN precedes all other scores, as in torch.sort in descending order.
std::uint32_t key_with_nan(float score) {
    return std::isnan(score) ? 0 : descending_key(score);
}
bool score_precedes(double a, double b) {
    if (std::isnan(a)) return !std::isnan(b);
    return a > b;
}

template <class Real>
Corners<Real> load_corners(const Real* corners, std::uint32_t index) {
    const Real* at = corners + std::size_t{index} * 4;
    return {at[0], at[1], at[2], at[3], (at[2] - at[0]) * (at[3] - at[1])};
}

// Returns false for a box whose IoU with every box is 0 or NaN: without extent, or with a value that is not finite.
template <class Real>
bool may_overlap(const Corners<Real>& box) {
    return box.x2 > box.x1 && box.y2 > box.y1 && box.area > 0 && box.area <= std::numeric_limits<Real>::max();
}

}  // namespace

template <class Real>
void CornerNms<Real>::run(const CornerBoxes<Real>& boxes, double theta, bool with_hits) {
    least_ = least_above<Real>(theta);
    sort(boxes);
    counts_.assign(boxes.size, 0);
    if (boxes.groups == nullptr || boxes.num_groups <= 1) {
        ranks_.resize(boxes.size);
        std::iota(ranks_.begin(), ranks_.end(), 0U);
        suppress(boxes, 0, boxes.size, with_hits);
    } else {
        sort_into_groups(boxes);
        for (std::uint32_t group = 0; group < boxes.num_groups; ++group) {
            suppress(boxes, starts_[group], starts_[group + 1], with_hits);
        }
    }
    kept_.clear();
    hits_.clear();
    for (std::uint32_t rank = 0; rank < boxes.size; ++rank) {
        if (counts_[rank] == 0) continue;
        kept_.push_back(order_[rank]);
        hits_.push_back(counts_[rank]);
    }
}

template <class Real>
void CornerNms<Real>::sort(const CornerBoxes<Real>& boxes) {
    order_.resize(boxes.size);
    if constexpr (std::is_same_v<Real, float>) {
        keys_.resize(boxes.size);
        for (std::uint32_t i = 0; i < boxes.size; ++i) {
            keys_[i] = std::uint64_t{key_with_nan(boxes.scores[i])} << 32U | i;
        }
        sort_score_keys(keys_, other_keys_);
        for (std::uint32_t rank = 0; rank < boxes.size; ++rank) {
            order_[rank] = static_cast<std::uint32_t>(keys_[rank]);
        }
    } else {
        std::iota(order_.begin(), order_.end(), 0U);
        std::stable_sort(order_.begin(), order_.end(), [&boxes](std::uint32_t a, std::uint32_t b) {
            return score_precedes(boxes.scores[a], boxes.scores[b]);
        });
    }
}

template <class Real>
void CornerNms<Real>::sort_into_groups(const CornerBoxes<Real>& boxes) {
    starts_.assign(std::size_t{boxes.num_groups} + 1, 0);
    for (std::uint32_t i = 0; i < boxes.size; ++i) ++starts_[boxes.groups[i] + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    ranks_.resize(boxes.size);
    for (std::uint32_t rank = 0; rank < boxes.size; ++rank) ranks_[starts_[boxes.groups[order_[rank]]]++] = rank;
    // Each start is now the end of its group.
    std::move_backward(starts_.begin(), starts_.end() - 1, starts_.end());
    starts_.front() = 0;
}

// Decides in order: a box is kept unless a kept one of its group suppresses it.
template <class Real>
void CornerNms<Real>::suppress(const CornerBoxes<Real>& boxes, std::uint32_t first, std::uint32_t last,
                               bool with_hits) {
    constexpr Real kMax = std::numeric_limits<Real>::max();
    Corners<Real> bounds{kMax, kMax, -kMax, -kMax, 0};
    double widths = 0;
    double heights = 0;
    std::size_t active = 0;
    boxes_.resize(last - first);
    for (std::uint32_t k = first; k < last; ++k) {
        const Corners<Real> box = boxes_[k - first] = load_corners(boxes.corners, order_[ranks_[k]]);
        if (!may_overlap(box)) continue;
        bounds = {std::min(bounds.x1, box.x1), std::min(bounds.y1, box.y1), std::max(bounds.x2, box.x2),
                  std::max(bounds.y2, box.y2), 0};
        widths += static_cast<double>(box.x2 - box.x1);
        heights += static_cast<double>(box.y2 - box.y1);
        ++active;
    }
    const auto count = static_cast<double>(std::max<std::size_t>(active, 1));
    suppressors_.clear(bounds, widths / count, heights / count, active);
    for (std::uint32_t k = first; k < last; ++k) {
        const std::uint32_t rank = ranks_[k];
        const Corners<Real>& box = boxes_[k - first];
        if (!may_overlap(box)) {
            counts_[rank] = 1;
            continue;
        }
        const std::uint32_t owner = suppressors_.find(box, least_, with_hits);
        if (owner == ChunkedBoxes<Real>::kNone) {
            counts_[rank] = 1;
            suppressors_.add(box, rank);
        } else {
            ++counts_[owner];
        }
    }
}

template class CornerNms<float>;
template class CornerNms<double>;

}  // namespace throng
