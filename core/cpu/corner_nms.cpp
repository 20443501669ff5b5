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

// Searches run in float32: the boxes of the grid contain the corners. They are a thousandth larger at most, so that their
// IoU is at least 0.99 times that of the corners.
constexpr double kMaxGrowth = 1.001;
constexpr float kSearchedPart = 0.99F;
constexpr float kMinSearched = 1e-3F;  // lower thresholds could underflow in float32
constexpr float kMinSide = 1e-15F;
constexpr float kMaxValue = 1e15F;

// Returns false if there is no such box.
template <class Real>
bool cover_side(Real first, Real last, float& start, float& side) {
    constexpr Real kRounding = std::is_same_v<Real, float> ? Real{0} : Real{0x1p-23};
    start = static_cast<float>(first - std::abs(first) * kRounding);
    const auto end = static_cast<float>(last + std::abs(last) * kRounding);
    side = (end - start) * (1 + 0x1p-22F);  // start + side is not below the end
    // No branches: they would be of no use to the loop over all boxes.
    return (side >= kMinSide) & (side <= kMaxValue) & (std::abs(start) <= kMaxValue) &
           (static_cast<Real>(side) <= static_cast<Real>(kMaxGrowth) * (last - first));
}

// Doubles may be far from 0 for their size. The smallest finite coordinates, or 0.
void find_origin(const CornerBoxes<double>& boxes, double& left, double& top) {
    double smallest[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    for (std::size_t k = 0; k < std::size_t{boxes.size} * 4; ++k) {
        const double v = boxes.corners[k];
        if (std::isfinite(v)) smallest[k % 2] = std::min(smallest[k % 2], v);
    }
    if (std::isfinite(smallest[0])) left = smallest[0];
    if (std::isfinite(smallest[1])) top = smallest[1];
}

}  // namespace

template <class Real>
void CornerNms<Real>::run(const CornerBoxes<Real>& boxes, double theta, const StopFlag& stop) {
    least_ = least_above<Real>(theta);
    sort(boxes, stop);
    left_ = top_ = 0;
    if constexpr (std::is_same_v<Real, double>) find_origin(boxes, left_, top_);
    counts_.resize(boxes.size);
    if (boxes.groups == nullptr || boxes.num_groups <= 1) {
        ranks_.resize(boxes.size);
        std::iota(ranks_.begin(), ranks_.end(), 0U);
        suppress(boxes, 0, boxes.size, stop);
    } else {
        sort_into_groups(boxes);
        for (std::uint32_t group = 0; group < boxes.num_groups; ++group) {
            suppress(boxes, starts_[group], starts_[group + 1], stop);
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
void CornerNms<Real>::sort(const CornerBoxes<Real>& boxes, [[maybe_unused]] const StopFlag& stop) {
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
        const auto before = [&boxes](std::uint32_t a, std::uint32_t b) {
            return score_precedes(boxes.scores[a], boxes.scores[b]);
        };
        // Sorts runs and merges them, so that a stop does not wait for a million boxes.
        constexpr std::uint32_t kRun = 1U << 17;
        const auto at = [this, &boxes](std::uint64_t rank) {
            return order_.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(rank, boxes.size));
        };
        std::iota(order_.begin(), order_.end(), 0U);
        for (std::uint64_t first = 0; first < boxes.size; first += kRun) {
            stop.check();
            std::stable_sort(at(first), at(first + kRun), before);
        }
        for (std::uint64_t run = kRun; run < boxes.size; run *= 2) {
            for (std::uint64_t first = 0; first + run < boxes.size; first += 2 * run) {
                stop.check();
                std::inplace_merge(at(first), at(first + run), at(first + 2 * run), before);
            }
        }
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

// Decides in order: a box that is not suppressed at its turn is kept, and suppresses those of its group after it.
template <class Real>
void CornerNms<Real>::suppress(const CornerBoxes<Real>& boxes, std::uint32_t first, std::uint32_t last,
                               const StopFlag& stop) {
    stop.check();
    // A constant for floats, which the loop over all boxes does not subtract.
    const Real left = std::is_same_v<Real, float> ? Real{0} : left_;
    const Real top = std::is_same_v<Real, float> ? Real{0} : top_;
    members_.resize(last - first);
    corners_.resize(last - first);
    covers_.resize(last - first);
    std::uint32_t n = 0;
    bool covered = static_cast<float>(least_) >= kMinSearched;
    for (std::uint32_t k = first; k < last; ++k) {
        const std::uint32_t rank = ranks_[k];
        const Real* at = boxes.corners + std::size_t{order_[rank]} * 4;
        const Corners box{at[0], at[1], at[2], at[3], (at[2] - at[0]) * (at[3] - at[1])};
        counts_[rank] = 1;
        // The IoU of other boxes with every box is 0 or NaN: without extent, or with a value that is not finite.
        if (!(box.x2 > box.x1 && box.y2 > box.y1 && box.area > 0 && box.area <= std::numeric_limits<Real>::max())) {
            continue;
        }
        members_[n] = rank;
        corners_[n] = box;
        Box& cover = covers_[n++];
        const bool across = cover_side(box.x1 - left, box.x2 - left, cover.x, cover.w);
        const bool down = cover_side(box.y1 - top, box.y2 - top, cover.y, cover.h);
        covered = covered & across & down;
    }
    covers_.resize(n);
    const float searched = static_cast<float>(least_) * kSearchedPart;
    stop.check();
    if (covered) grid_.build(covers_, {}, 0, searched);
    std::uint64_t tests = 0;
    for (std::uint32_t kept = 0; kept < n; ++kept) {
        std::int32_t& hits = counts_[members_[kept]];
        if (hits == 0) continue;
        stop.check();
        const auto suppress_one = [&](std::uint32_t i) {
            std::int32_t& count = counts_[members_[i]];
            if (count == 0 || !suppresses(kept, i)) return false;
            count = 0;
            ++hits;
            return true;
        };
        if (!covered) {
            for (std::uint32_t i = kept + 1; i < n; ++i) suppress_one(i);
            continue;
        }
        grid_.remove(kept);
        const GridQuery query{Overlap::iou, searched, true, kept + 1, n};
        grid_.search(kept, query, tests, [&](std::uint32_t position) {
            if (suppress_one(grid_.rank_at(position))) grid_.remove_at(position);
            return false;
        });
    }
}

template <class Real>
bool CornerNms<Real>::suppresses(std::uint32_t a, std::uint32_t b) const {
    const Corners& one = corners_[a];
    const Corners& two = corners_[b];
    const Real width = std::max(std::min(one.x2, two.x2) - std::max(one.x1, two.x1), Real{0});
    const Real height = std::max(std::min(one.y2, two.y2) - std::max(one.y1, two.y1), Real{0});
    const Real common = width * height;
    return common / ((one.area + two.area) - common) >= least_;
}

template class CornerNms<float>;
template class CornerNms<double>;

}  // namespace throng
