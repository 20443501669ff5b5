#include "core/cpu/nms_grid.h"

#include <bit>

namespace throng {
namespace {

// Up to this count, testing all boxes is faster than building a grid and visiting its cells.
constexpr std::size_t kMaxScan = 256;

// Covers the tolerance of bounds_hold, which lowers t by at most 0.7 %.
constexpr double kBoundMargin = 0.99;

}  // namespace

void BoxGrid::build(const std::vector<Box>& boxes, const std::vector<std::uint32_t>& limits, float extent,
                    float smallest_iou) {
    boxes_ = boxes.data();
    size_ = static_cast<std::uint32_t>(boxes.size());
    extent_ = extent;
    scan_ = boxes.size() <= kMaxScan;
    position_.resize(boxes.size());
    const std::size_t padded = boxes.size() + kPairPadding;
    for (std::vector<float>* column : {&left_, &top_, &width_, &height_}) column->resize(padded);
    rank_.resize(padded);
    if (scan_) {
        for (std::uint32_t rank = 0; rank < size_; ++rank) place(boxes[rank], rank, rank);
    } else {
        build_cells(boxes, smallest_iou);
        for (std::uint32_t rank = 0; rank < size_; ++rank) place(boxes[rank], rank, cells_[cell_[rank]]++);
    }
    limit_.resize(limits.empty() ? 0 : padded);
    for (std::uint32_t rank = 0; rank < limits.size(); ++rank) {
        limit_[position_[rank]] = static_cast<std::int32_t>(limits[rank]);
    }
}

void BoxGrid::place(const Box& box, std::uint32_t rank, std::uint32_t at) {
    position_[rank] = at;
    left_[at] = box.x;
    top_[at] = box.y;
    width_[at] = box.w;
    height_[at] = box.h;
    rank_[at] = static_cast<std::int32_t>(rank);
}

// The bound on sides and positions of pairs requires that float32 gives areas and edges to about a thousandth. Returns
// false if a side may be too small for the coordinates, or an area outside the range of float32. Slower, not wrong.
bool BoxGrid::bounds_hold(const std::vector<Box>& boxes) {
    float least_side = std::numeric_limits<float>::max();
    float most = 0;  // the largest magnitude of a coordinate, at least half of the largest edge
    for (const Box& box : boxes) {
        least_side = std::min(least_side, std::min(box.w, box.h));
        most = std::max(most, std::max(std::max(std::abs(box.x), std::abs(box.y)), std::max(box.w, box.h)));
    }
    return least_side > 1e-15F && most < 1e18F && 2 * most * 0x1p-23F <= 1e-3F * least_side;
}

// Counts the boxes of each cell. Afterwards cells_[c + 1] is the first position of cell c; filling the cell advances it
// to the end, which is the first position of the next cell.
void BoxGrid::build_cells(const std::vector<Box>& boxes, float smallest_iou) {
    ratio_ = smallest_iou > 0 && bounds_hold(boxes) ? kBoundMargin * static_cast<double>(smallest_iou) : 0;
    level_.resize(boxes.size());
    cell_.resize(boxes.size());
    std::array<std::uint32_t, kLevels> used{};
    std::uint32_t* const levels = level_.data();
    for (std::uint32_t rank = 0; rank < size_; ++rank) {
        const Box& box = boxes_[rank];
        // As `covered`, rounded up. A side of 2^(e - 127) to 2^(e - 126) has the exponent bits e.
        const float w = (box.x + box.w) - box.x;
        const float h = (box.y + box.h) - box.y;
        const float side = ((w > h ? w : h) + extent_) * (1 + 0x1p-20F);
        levels[rank] = ((std::bit_cast<std::uint32_t>(side) >> 23U) + 1) / 2;
    }
    for (std::uint32_t rank = 0; rank < size_; ++rank) used[levels[rank]] = 1;
    active_.clear();
    for (std::size_t index = 0; index < kLevels; ++index) {
        if (used[index] != 0) active_.push_back(static_cast<std::uint8_t>(index));
    }
    // About as many cells as boxes.
    const auto bits = static_cast<unsigned>(std::bit_width(boxes.size() / active_.size()));
    columns_ = 1U << ((bits + 1) / 2);
    rows_ = 1U << (bits / 2);
    std::uint32_t cells = 0;
    for (const std::size_t index : active_) {
        const int exponent = 2 * static_cast<int>(index) - 126;
        levels_[index] = {std::ldexp(1.0F, exponent), std::ldexp(1.0F, -exponent), cells};
        cells += columns_ * rows_;
    }
    cells_.assign(cells + 2, 0);
    std::uint32_t* const counts = cells_.data() + 2;
    const std::uint32_t column_mask = columns_ - 1;
    const std::uint32_t row_mask = rows_ - 1;
    const unsigned row_shift = (bits + 1) / 2;
    for (std::uint32_t rank = 0; rank < size_; ++rank) {
        const Level& level = levels_[levels[rank]];
        const auto x = static_cast<std::uint32_t>(cell_of(boxes_[rank].x, level.inverse));
        const auto y = static_cast<std::uint32_t>(cell_of(boxes_[rank].y, level.inverse));
        const std::uint32_t cell = level.first_cell + ((y & row_mask) << row_shift) + (x & column_mask);
        cell_[rank] = cell + 1;
        ++counts[cell];
    }
    std::uint32_t sum = 0;
    for (std::uint32_t& count : cells_) count = sum += count;
}

}  // namespace throng
