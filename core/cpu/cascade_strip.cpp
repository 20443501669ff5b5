#include "core/cpu/cascade_strip.h"

#include <algorithm>

#include "core/base/stopwatch.h"
#include "core/cpu/image_kernels.h"

namespace throng {
namespace {

constexpr std::size_t kSlack = std::size_t{2} * kRowSlack;  // entries past a row's end that SIMD may access

template <class T>
void grow(std::vector<T>& v, std::size_t size) {
    if (v.size() < size) v.resize(size);
}

}  // namespace

void StripWorker::reserve(const SumsLayout& layout, int level_width, int frame_width, bool squares, bool tilted) {
    squares_ = squares;
    tilted_ = tilted;
    const auto width = static_cast<std::size_t>(level_width);
    const auto rows = static_cast<std::size_t>(layout.rows);
    grow(pixels_, (width + kSlack) * rows);
    grow(rows_, rows);
    grow(blended_, static_cast<std::size_t>(frame_width) + kSlack);
    grow(running_sum_, width + kSlack);
    if (squares) grow(running_squares_, width + kSlack);
    if (tilted) {
        for (auto* row : {&cone_, &cone_above_, &cone_above2_}) grow(*row, width + kSlack);
    }
    const std::size_t planes = tilted ? 3 : squares ? 2 : 1;
    grow(sums_, planes * rows * static_cast<std::size_t>(layout.pitch) + kSlack);
}

void StripWorker::fill(const LevelPlan& plan, const Strip& strip, int window_height, const PlaneView& gray) {
    const int count = (strip.count - 1) * plan.level.step + window_height;
    Stopwatch stopwatch;
    resize_rows(plan, strip.first * plan.level.step, count, gray);
    stopwatch.add_to(times.pyramid_ms);
    sum_rows(plan, count);
    if (tilted_) sum_tilted_rows(plan, count);
    stopwatch.add_to(times.integral_ms);
}

void StripWorker::evaluate(const LevelPlan& plan, const Strip& strip, int window_height, const PlaneView& gray,
                           std::vector<AcceptedWindow>& accepted) {
    const CascadeLevel& level = plan.level;
    const SumsLayout& layout = plan.programs->dense.layout;
    fill(plan, strip, window_height, gray);
    Stopwatch stopwatch;
    for (int j = 0; j < strip.count; ++j) {
        evaluate_row(*plan.programs, sums_.data(), layout.at(0, j * level.step), strip.first + j, level.columns,
                     scratch, accepted);
    }
    finish_rows(*plan.programs, sums_.data(), scratch, accepted);
    std::sort(accepted.begin(), accepted.end(), [](const AcceptedWindow& a, const AcceptedWindow& b) {
        return a.row != b.row ? a.row < b.row : a.column < b.column;
    });
    stopwatch.add_to(times.cascade_ms);
}

void StripWorker::resize_rows(const LevelPlan& plan, int first, int count, const PlaneView& gray) {
    const std::size_t pitch = static_cast<std::size_t>(plan.level.width) + kSlack;
    for (int y = 0; y < count; ++y) {
        const auto index = static_cast<std::size_t>(y);
        rows_[index] = plan.rows.row(gray, first + y, blended_.data(), pixels_.data() + index * pitch);
    }
}

void StripWorker::store_row(const std::uint32_t* row, int count, std::int32_t plane, int y, const SumsLayout& layout) {
    std::uint32_t* out = sums_.data() + plane + layout.at(0, y);
    if (layout.step == 1) {
        std::copy_n(row, count, out);
    } else {
        split_row(row, count, out, layout.pitch / 2);
    }
}

void StripWorker::sum_rows(const LevelPlan& plan, int count) {
    const int width = plan.level.width;
    const SumsLayout& layout = plan.programs->dense.layout;
    std::fill_n(running_sum_.begin(), width + 1, 0U);
    if (squares_) std::fill_n(running_squares_.begin(), width + 1, 0U);
    for (int y = 0; y <= count; ++y) {
        if (y > 0) {
            accumulate_row(rows_[static_cast<std::size_t>(y) - 1], width, running_sum_.data(),
                           squares_ ? running_squares_.data() : nullptr);
        }
        store_row(running_sum_.data(), width + 1, layout.plane(0), y, layout);
        if (squares_) store_row(running_squares_.data(), width + 1, layout.plane(1), y, layout);
    }
}

// Entry (x, y) is the sum of the cone with its lowest pixel at (x - 1, y - 1). It is computed from the two cones next
// to its apex one row up, minus their common part, plus the apex and the pixel above it. At the left and right edges
// one of the two lies completely outside or equals the part counted twice.
void StripWorker::sum_tilted_rows(const LevelPlan& plan, int count) {
    const int width = plan.level.width;
    const SumsLayout& layout = plan.programs->dense.layout;
    for (auto* row : {&cone_above_, &cone_above2_}) std::fill_n(row->begin(), width + 1, 0U);
    store_row(cone_above_.data(), width + 1, layout.plane(2), 0, layout);
    for (int y = 1; y <= count; ++y) {
        const std::uint8_t* pixel = rows_[static_cast<std::size_t>(y) - 1];
        const std::uint8_t* pixel_above = y > 1 ? rows_[static_cast<std::size_t>(y) - 2] : nullptr;
        const auto above = [&](int x) -> std::uint32_t { return pixel_above != nullptr ? pixel_above[x] : 0U; };
        const std::uint32_t* up = cone_above_.data();
        const std::uint32_t* up2 = cone_above2_.data();
        cone_[0] = up[1];
        for (int x = 1; x < width; ++x) {
            cone_[static_cast<std::size_t>(x)] = up[x - 1] + up[x + 1] - up2[x] + pixel[x - 1] + above(x - 1);
        }
        cone_[static_cast<std::size_t>(width)] = up[width - 1] + pixel[width - 1] + above(width - 1);
        store_row(cone_.data(), width + 1, layout.plane(2), y, layout);
        cone_above2_.swap(cone_above_);
        cone_above_.swap(cone_);
    }
}

}  // namespace throng
