#include "core/cpu/chunked_boxes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace throng {
namespace {

constexpr std::size_t kMinGrid = 128;         // for fewer boxes, one cell
constexpr double kMaxSide = 128;              // cells per axis
constexpr double kSidesPerCell = 2;           // in mean sides of a box; 1 and 3 are slower on crowds
constexpr std::uint32_t kMaxCellsOfBox = 16;  // a box that covers more is in the list of large ones
constexpr std::uint32_t kMaxCellsOfSearch = 32;

// Returns the number of cells along an axis, for cells of about kSidesPerCell mean sides.
std::uint32_t cell_count(double range, double mean_side, std::size_t count) {
    if (count < kMinGrid || !std::isfinite(range) || !(range > 0) || !(mean_side > 0)) return 1;
    return static_cast<std::uint32_t>(std::clamp(range / (kSidesPerCell * mean_side), 1.0, kMaxSide));
}

// Returns true if a comparison of vectors holds for any lane.
template <class Mask>
bool any(const Mask& mask) {
    std::uint64_t words[sizeof mask / sizeof(std::uint64_t)];
    std::memcpy(words, &mask, sizeof mask);
    std::uint64_t all = 0;
    for (const std::uint64_t word : words) all |= word;
    return all != 0;
}

// Monotone in position: boxes that intersect have a cell in common.
std::uint32_t cell_of(double offset, double cells_per_unit, std::uint32_t cells) {
    return std::min(static_cast<std::uint32_t>(offset * cells_per_unit), cells - 1);
}

}  // namespace

template <class Real>
void ChunkedBoxes<Real>::clear(const Corners<Real>& bounds, double mean_w, double mean_h, std::size_t count) {
    left_ = static_cast<double>(bounds.x1);
    top_ = static_cast<double>(bounds.y1);
    const double width = static_cast<double>(bounds.x2) - left_;
    const double height = static_cast<double>(bounds.y2) - top_;
    columns_ = cell_count(width, mean_w, count);
    rows_ = cell_count(height, mean_h, count);
    cells_per_x_ = columns_ / width;
    cells_per_y_ = rows_ / height;
    chunks_.clear();
    cells_.assign(std::size_t{columns_} * rows_, {});
    large_ = {};
    all_ = {};
}

template <class Real>
typename ChunkedBoxes<Real>::Cells ChunkedBoxes<Real>::cells_of(const Corners<Real>& box) const {
    Cells cells{0, 0, 0, 0};
    if (columns_ > 1) {
        cells.left = cell_of(static_cast<double>(box.x1) - left_, cells_per_x_, columns_);
        cells.right = cell_of(static_cast<double>(box.x2) - left_, cells_per_x_, columns_);
    }
    if (rows_ > 1) {
        cells.top = cell_of(static_cast<double>(box.y1) - top_, cells_per_y_, rows_);
        cells.bottom = cell_of(static_cast<double>(box.y2) - top_, cells_per_y_, rows_);
    }
    return cells;
}

template <class Real>
void ChunkedBoxes<Real>::append(Chain& chain, const Corners<Real>& box, std::uint32_t id) {
    if (chain.tail == kNone || chunks_[chain.tail].size == kLanes) {
        const auto added = static_cast<std::uint32_t>(chunks_.size());
        Chunk& chunk = chunks_.emplace_back();
        // Unused lanes never reach a threshold: no extent, but an area.
        chunk.area = Lanes{} + Real{1};
        chunk.next = kNone;
        chunk.size = 0;
        (chain.tail == kNone ? chain.head : chunks_[chain.tail].next) = added;
        chain.tail = added;
    }
    Chunk& chunk = chunks_[chain.tail];
    const std::uint32_t lane = chunk.size++;
    chunk.x1[lane] = box.x1;
    chunk.y1[lane] = box.y1;
    chunk.x2[lane] = box.x2;
    chunk.y2[lane] = box.y2;
    chunk.area[lane] = box.area;
    chunk.id[lane] = id;
}

template <class Real>
void ChunkedBoxes<Real>::add(const Corners<Real>& box, std::uint32_t id) {
    append(all_, box, id);
    if (cells_.size() == 1) return;
    const Cells cells = cells_of(box);
    if (cells.count() > kMaxCellsOfBox) {
        append(large_, box, id);
        return;
    }
    for (std::uint32_t row = cells.top; row <= cells.bottom; ++row) {
        for (std::uint32_t column = cells.left; column <= cells.right; ++column) {
            append(cells_[std::size_t{row} * columns_ + column], box, id);
        }
    }
}

template <class Real>
std::uint32_t ChunkedBoxes<Real>::find_in(const Chain& chain, const Corners<Real>& box, Real least) const {
    // Divides only where the products are close: rounding moves either side by less.
    const Lanes low = Lanes{} + least * (1 - 8 * std::numeric_limits<Real>::epsilon());
    const Lanes zero{};
    const Lanes x1 = zero + box.x1;
    const Lanes y1 = zero + box.y1;
    const Lanes x2 = zero + box.x2;
    const Lanes y2 = zero + box.y2;
    for (std::uint32_t at = chain.head; at != kNone; at = chunks_[at].next) {
        const Chunk& chunk = chunks_[at];
        const Lanes left = x1 > chunk.x1 ? x1 : chunk.x1;
        const Lanes top = y1 > chunk.y1 ? y1 : chunk.y1;
        const Lanes right = x2 < chunk.x2 ? x2 : chunk.x2;
        const Lanes bottom = y2 < chunk.y2 ? y2 : chunk.y2;
        const Lanes width = right > left ? right - left : zero;
        const Lanes height = bottom > top ? bottom - top : zero;
        const Lanes common = width * height;
        const Lanes together = (chunk.area + box.area) - common;
        if (!any(common >= low * together)) continue;
        const auto reaches = common / together >= zero + least;
        for (std::size_t k = 0; k < kLanes; ++k) {
            if (reaches[k] != 0) return chunk.id[k];
        }
    }
    return kNone;
}

template <class Real>
std::uint32_t ChunkedBoxes<Real>::find(const Corners<Real>& box, Real least, bool lowest) const {
    if (cells_.size() == 1) return find_in(all_, box, least);
    const Cells cells = cells_of(box);
    if (cells.count() > kMaxCellsOfSearch) return find_in(all_, box, least);
    std::uint32_t first = find_in(large_, box, least);
    if (!lowest) {  // a suppressor most likely covers the center
        const std::size_t row = (cells.top + cells.bottom) / 2;
        first = std::min(first, find_in(cells_[row * columns_ + (cells.left + cells.right) / 2], box, least));
    }
    for (std::uint32_t row = cells.top; row <= cells.bottom; ++row) {
        for (std::uint32_t column = cells.left; column <= cells.right; ++column) {
            if (first != kNone && !lowest) return first;
            first = std::min(first, find_in(cells_[std::size_t{row} * columns_ + column], box, least));
        }
    }
    return first;
}

template class ChunkedBoxes<float>;
template class ChunkedBoxes<double>;

}  // namespace throng
