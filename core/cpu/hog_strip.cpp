#include "core/cpu/hog_strip.h"

#include "core/base/stopwatch.h"

namespace throng {
namespace {

constexpr std::size_t kCellPlanes = std::size_t{kHogBins} * kHogUses;

}  // namespace

HogWeights::HogWeights(const HogModel& model) : svm(kHogWeights), bias(model.bias), gamma(model.gamma) {
    const HogSide side = hog_side();
    for (int pixel = 0; pixel < kHogCell * kHogCell; ++pixel) {
        for (int use = 0; use < kHogUses; ++use) {
            cell.weight[pixel][use] =
                hog_use_weight(side, use / 4, pixel / kHogCell) * hog_use_weight(side, use % 4, pixel % kHogCell);
        }
    }
    for (std::size_t i = 0; i < kHogWeights; ++i) {
        const std::size_t value = i % kHogBlockValues;
        const std::size_t row = i / kHogBlockValues % kHogRows;
        const std::size_t column = i / kHogBlockValues / kHogRows;
        svm[(row * kHogBlockValues + value) * kHogColumns + column] = model.weights[i];
    }
}

void HogWorker::reserve(int max_width, int frame_width) {
    const auto width = static_cast<std::size_t>(max_width);
    row_pitch_ = width + std::size_t{2} * kHogSlack;
    // An odd number of cache lines: a cell writes 144 planes, which must not fall into the same sets of the cache.
    cell_pitch_ = ((width / kHogCell + kHogSlack) / 16 | 1) * 16 + 32;
    blended_.assign(static_cast<std::size_t>(frame_width) + kHogSlack, 0);
    resized_.assign(row_pitch_, 0);
    rows_.assign(3 * row_pitch_, 0.0F);
    const std::size_t rows = 2 * std::size_t{kHogCell};  // two votes per pixel
    votes_.assign(rows * row_pitch_, 0.0F);
    bins_.assign(rows * row_pitch_, 0);
    for (std::size_t y = 0; y < kHogCell; ++y) {
        vote_rows_[y] = {votes_.data() + 2 * y * row_pitch_, votes_.data() + (2 * y + 1) * row_pitch_,
                         bins_.data() + 2 * y * row_pitch_, bins_.data() + (2 * y + 1) * row_pitch_};
    }
    cells_.assign(2 * kCellPlanes * cell_pitch_, 0.0F);
    margins_.assign(cell_pitch_, 0.0F);
}

// y may lie one row outside: the row next to the edge is mirrored.
void HogWorker::make_row(const HogLevelPlan& plan, bool gamma, const PlaneView& gray, int y) {
    const int height = plan.level.height;
    const int inside = y < 0 ? -y : y >= height ? 2 * height - 2 - y : y;
    hog_gamma_row(plan.rows.row(gray, inside, blended_.data(), resized_.data()), plan.level.width, gamma, row(y + 3));
}

void HogWorker::make_blocks(const HogLevelPlan& plan, const HogWeights& weights, const PlaneView& gray, int first,
                            int count, float* blocks) {
    const int cells = plan.level.block_columns + 1;
    const int top = first * kHogCell;
    const auto cell_pitch = static_cast<std::ptrdiff_t>(cell_pitch_);
    float* upper = cells_.data();
    float* lower = upper + kCellPlanes * cell_pitch_;
    Stopwatch stopwatch;
    make_row(plan, weights.gamma, gray, top - 1);
    make_row(plan, weights.gamma, gray, top);
    for (int r = 0; r <= count; ++r) {
        for (int i = 0; i < kHogCell; ++i) {
            const int y = top + r * kHogCell + i;
            make_row(plan, weights.gamma, gray, y + 1);
            stopwatch.add_to(times.pyramid_ms);
            hog_gradient_row(row(y + 2), row(y + 3), row(y + 4), cells * kHogCell, vote_rows_[i]);
            stopwatch.add_to(times.gradient_ms);
        }
        std::swap(upper, lower);
        hog_vote_cells(vote_rows_, weights.cell, cells, lower, cell_pitch);
        stopwatch.add_to(times.histogram_ms);
        if (r == 0) continue;
        float* out = blocks + static_cast<std::ptrdiff_t>(first + r - 1) * kHogBlockValues * plan.pitch;
        hog_gather_blocks(upper, lower, cell_pitch, plan.level.block_columns, out, plan.pitch);
        stopwatch.add_to(times.histogram_ms);
        hog_normalize_blocks(plan.level.block_columns, out, plan.pitch);
        stopwatch.add_to(times.normalize_ms);
    }
}

const float* HogWorker::margins(const HogLevelPlan& plan, const HogWeights& weights, const float* blocks, int row) {
    Stopwatch stopwatch;
    const float* first = blocks + static_cast<std::ptrdiff_t>(row) * kHogBlockValues * plan.pitch;
    hog_margins(first, plan.pitch, weights.svm.data(), weights.bias, plan.level.columns, margins_.data());
    stopwatch.add_to(times.svm_ms);
    return margins_.data();
}

}  // namespace throng
