// Greedy suppression exactly as torchvision's CPU operator: boxes given by their corners, IoU > theta, in the order of a
// stable sort by descending score. Nothing is dropped: a box without extent, with infinite or NaN values is kept and
// suppresses nothing, and NaN scores come first.
//
// The rules differ from those of core/algo/nms_rules.h in three ways: areas and intersections are computed from the
// corners (x + w would round), float64 boxes are computed in double, and theta is a double.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cpu/nms_grid.h"
#include "core/cpu/stop_flag.h"

namespace throng {

// n boxes with scores in host memory. Real is float or double.
template <class Real>
struct CornerBoxes {
    const Real* corners = nullptr;  // [n][4]: x1, y1, x2, y2
    const Real* scores = nullptr;
    const std::uint32_t* groups = nullptr;  // boxes of different groups never suppress each other; null: one group
    std::uint32_t num_groups = 1;           // groups are in [0, num_groups)
    std::uint32_t size = 0;
};

// Not thread-safe. Keeps its work arrays: later calls allocate nothing unless they are larger.
template <class Real>
class CornerNms {
public:
    // theta must be in [0, 1]. Throws Error(interrupted) for a stop.
    void run(const CornerBoxes<Real>& boxes, double theta, const StopFlag& stop = {});

    // The result of the last run: indices of the kept boxes in order of score, over all groups.
    [[nodiscard]] const std::vector<std::uint32_t>& kept() const noexcept { return kept_; }
    // Counts, per entry of kept(), the box itself and the boxes that it is the first kept one to suppress.
    [[nodiscard]] const std::vector<std::int32_t>& hits() const noexcept { return hits_; }

private:
    struct Corners {
        Real x1, y1, x2, y2, area;
    };

    void sort(const CornerBoxes<Real>& boxes, const StopFlag& stop);
    void sort_into_groups(const CornerBoxes<Real>& boxes);
    void suppress(const CornerBoxes<Real>& boxes, std::uint32_t first, std::uint32_t last, const StopFlag& stop);
    [[nodiscard]] bool suppresses(std::uint32_t a, std::uint32_t b) const;

    Real least_ = 0;                   // the least IoU that suppresses
    Real left_ = 0, top_ = 0;          // origin of the covers
    std::vector<std::uint64_t> keys_;  // float scores
    std::vector<std::uint64_t> other_keys_;
    std::vector<std::uint32_t> order_;   // index of each rank
    std::vector<std::uint32_t> ranks_;   // by group, ascending in each
    std::vector<std::uint32_t> starts_;  // of each group in ranks_
    std::vector<std::int32_t> counts_;   // of each rank: hits of a kept one, otherwise 0
    // Boxes of the current group that may overlap others, in order:
    std::vector<std::uint32_t> members_;  // their ranks
    std::vector<Corners> corners_;
    std::vector<Box> covers_;
    BoxGrid grid_;
    std::vector<std::uint32_t> kept_;
    std::vector<std::int32_t> hits_;
};

extern template class CornerNms<float>;
extern template class CornerNms<double>;

}  // namespace throng
