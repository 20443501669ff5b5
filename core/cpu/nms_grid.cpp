#include "core/cpu/nms_grid.h"

#include <bit>

namespace throng {
namespace {

// Up to this count, testing all boxes is faster than building a grid and visiting its cells.
constexpr std::size_t kMaxScan = 128;

// The bound on sides and positions of pairs requires that float32 gives areas and edges to about a thousandth. Returns
// false if a side may be too small for the coordinates, or an area outside the range of float32. Searches are slower
// then.
bool bounds_hold(const BoxExtremes& extremes) {
    // Edges are at most twice the largest magnitude.
    return extremes.least_side > 1e-15F && extremes.largest_magnitude < 1e18F &&
           2 * extremes.largest_magnitude * 0x1p-23F <= 1e-3F * extremes.least_side;
}

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
        for (std::uint32_t rank = 0; rank < size_; ++rank) store(boxes[rank], rank, rank);
    } else {
        build_cells(boxes, smallest_iou);
        for (std::uint32_t rank = 0; rank < size_; ++rank) store(boxes[rank], rank, cells_[cell_[rank]]++);
    }
    limit_.resize(limits.empty() ? 0 : padded);
    for (std::uint32_t rank = 0; rank < limits.size(); ++rank) {
        limit_[position_[rank]] = static_cast<std::int32_t>(limits[rank]);
    }
}

void BoxGrid::store(const Box& box, std::uint32_t rank, std::uint32_t at) {
    position_[rank] = at;
    left_[at] = box.x;
    top_[at] = box.y;
    width_[at] = box.w;
    height_[at] = box.h;
    rank_[at] = static_cast<std::int32_t>(rank);
}

// Counts the boxes of each cell. Afterwards cells_[c + 1] is the first position of cell c; filling the cell advances it
// to the end, which is the first position of the next cell.
void BoxGrid::build_cells(const std::vector<Box>& boxes, float smallest_iou) {
    level_.resize(size_);
    cell_.resize(size_);
    const BoxExtremes extremes = find_levels(boxes.data(), size_, extent_, level_.data());
    ratio_ = smallest_iou > 0 && bounds_hold(extremes) ? kBoundMargin * static_cast<double>(smallest_iou) : 0;
    std::array<std::uint32_t, kBoxLevels> used{};
    for (const std::uint32_t level : level_) used[level] = 1;
    active_.clear();
    for (std::size_t index = 0; index < kBoxLevels; ++index) {
        if (used[index] != 0) active_.push_back(static_cast<std::uint8_t>(index));
    }
    // About as many cells as boxes.
    const auto bits = static_cast<int>(std::bit_width(size_ / active_.size()));
    const int column_bits = (bits + 1) / 2;
    const int row_bits = bits / 2;
    columns_ = 1U << column_bits;
    rows_ = 1U << row_bits;
    std::uint32_t cells = 0;
    for (const std::size_t index : active_) {
        const int exponent = 2 * static_cast<int>(index) - 126;
        levels_[index] = {std::ldexp(1.0F, exponent), std::ldexp(1.0F, -exponent), cells};
        cells += columns_ * rows_;
    }
    find_cells(boxes.data(), level_.data(), size_, column_bits, row_bits, cell_.data());
    cells_.assign(cells + 2, 0);
    for (std::uint32_t rank = 0; rank < size_; ++rank) {
        const std::uint32_t cell = levels_[level_[rank]].first_cell + cell_[rank] + 1;
        cell_[rank] = cell;
        ++cells_[cell + 1];
    }
    std::uint32_t sum = 0;
    for (std::uint32_t& count : cells_) count = sum += count;
}

}  // namespace throng
