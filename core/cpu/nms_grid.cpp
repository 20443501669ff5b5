#include "core/cpu/nms_grid.h"

#include <bit>
#include <limits>

namespace throng {
namespace {

// The bound on sides and positions of pairs requires that float32 gives areas and edges to about a thousandth. It does
// not hold for a box of 1 pixel at 10^7, nor for areas outside the range of float32. One such box disables the bound.
bool bounds_hold(const Box& box, float extent, double covered_w, double covered_h) {
    constexpr double kTolerance = 1e-3;
    const double w = static_cast<double>(box.w) + static_cast<double>(extent);
    const double h = static_cast<double>(box.h) + static_cast<double>(extent);
    const float area = box_area(box, extent);
    return std::abs(covered_w - w) <= kTolerance * w && std::abs(covered_h - h) <= kTolerance * h && area > 1e-30F &&
           area < 1e37F;
}

// Covers the tolerance above, which lowers t by at most 0.7 %.
constexpr double kBoundMargin = 0.99;

}  // namespace

BoxGrid::Area BoxGrid::area_of(const Box& box) const {
    constexpr float kMaxFloat = std::numeric_limits<float>::max();  // an edge beyond it covers everything there
    const double x = static_cast<double>(box.x);
    const double y = static_cast<double>(box.y);
    const double right = static_cast<double>(std::min(box.x + box.w, kMaxFloat));
    const double bottom = static_cast<double>(std::min(box.y + box.h, kMaxFloat));
    const double extent = static_cast<double>(extent_);
    return {x, y, right - x + extent, bottom - y + extent};
}

std::size_t BoxGrid::level_of(const Area& area) {
    if (!(area.w > 0) || !(area.h > 0)) return kNoLevel;
    int exponent = 0;
    std::frexp(std::max(area.w, area.h), &exponent);  // side in [2^(exponent - 1), 2^exponent)
    return static_cast<std::size_t>(exponent - kLowestExponent + 1) / 2;
}

void BoxGrid::build(const std::vector<Box>& boxes, float extent, float smallest_iou) {
    boxes_ = boxes.data();
    extent_ = extent;
    for (const std::uint16_t index : active_) levels_[index] = {};
    active_.clear();
    level_.resize(boxes.size());
    bucket_.resize(boxes.size());
    const std::size_t buckets = std::bit_ceil(std::max<std::size_t>(boxes.size(), 16));
    buckets_.assign(buckets, {0, 0});
    mask_ = buckets - 1;

    bool bounded = smallest_iou > 0;
    std::uint32_t placed = 0;
    for (std::size_t rank = 0; rank < boxes.size(); ++rank) {
        const Area area = area_of(boxes[rank]);
        bounded = bounded && bounds_hold(boxes[rank], extent, area.w, area.h);
        const std::size_t index = level_of(area);
        level_[rank] = static_cast<std::uint16_t>(index);
        if (index == kNoLevel) continue;
        Level& level = levels_[index];
        if (level.boxes++ == 0) {
            active_.push_back(static_cast<std::uint16_t>(index));
            level.cell = std::ldexp(1.0, 2 * static_cast<int>(index) + kLowestExponent);
            level.inverse = 1 / level.cell;
        }
        const std::size_t bucket = bucket_at(row_of(index, cell_of(area.y, level)), cell_of(area.x, level));
        bucket_[rank] = static_cast<std::uint32_t>(bucket);
        ++buckets_[bucket].count;
        ++placed;
    }
    ratio_ = bounded ? kBoundMargin * static_cast<double>(smallest_iou) : 0;

    entries_.resize(placed);
    lists_.resize(placed);
    std::uint32_t begin = 0;
    for (Bucket& bucket : buckets_) {
        bucket.begin = begin;
        begin += bucket.count;
        bucket.count = 0;
    }
    std::uint32_t list = 0;
    for (const std::uint16_t index : active_) {
        levels_[index].list = list;
        list += levels_[index].boxes;
    }
}

void BoxGrid::insert(std::uint32_t rank) {
    if (level_[rank] == kNoLevel) return;
    Bucket& bucket = buckets_[bucket_[rank]];
    entries_[bucket.begin + bucket.count++] = entry_of(rank);
    Level& level = levels_[level_[rank]];
    lists_[level.list + level.inserted++] = rank;
}

const std::vector<std::uint32_t>& BoxGrid::by_location() {
    by_location_.resize(level_.size());
    next_.resize(buckets_.size());
    for (std::size_t k = 0; k < buckets_.size(); ++k) next_[k] = buckets_[k].begin;
    auto outside = static_cast<std::uint32_t>(entries_.size());
    for (std::uint32_t rank = 0; rank < level_.size(); ++rank) {
        by_location_[level_[rank] == kNoLevel ? outside++ : next_[bucket_[rank]]++] = rank;
    }
    return by_location_;
}

void BoxGrid::clear() {
    for (Bucket& bucket : buckets_) bucket.count = 0;
    for (const std::uint16_t index : active_) levels_[index].inserted = 0;
}

}  // namespace throng
