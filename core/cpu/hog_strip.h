// One thread's work on a strip of a level: from rows of pixels to normalized blocks, and from blocks to margins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/algo/hog_levels.h"
#include "core/cpu/hog_kernels.h"
#include "core/cpu/level_rows.h"
#include "core/frame/frame.h"
#include "core/model/hog_model.h"

namespace throng {

struct HogLevelPlan {
    HogLevel level;
    LevelRows rows;
    std::ptrdiff_t pitch = 0;  // of blocks: entries per row of one value
    std::size_t origin = 0;    // offset of the level's first block in the array of blocks
};

// The model in the kernels' memory order.
struct HogWeights {
    explicit HogWeights(const HogModel& model);

    HogCellWeights cell;
    std::vector<float> svm;  // [block row][value][block column]
    float bias;
    bool gamma;
};

struct HogTimes {
    double pyramid_ms = 0, gradient_ms = 0, histogram_ms = 0, normalize_ms = 0, svm_ms = 0;
};

class HogWorker {
public:
    // Allocates memory for levels of up to `max_width` columns, resized from frames of up to frame_width.
    void reserve(int max_width, int frame_width);

    // Computes the rows [first, first + count) of blocks. blocks: those of the whole level.
    void make_blocks(const HogLevelPlan& plan, const HogWeights& weights, const PlaneView& gray, int first, int count,
                     float* blocks);

    // Returns the margins of a row of windows; valid until the next call.
    const float* margins(const HogLevelPlan& plan, const HogWeights& weights, const float* blocks, int row);

    HogTimes times;

private:
    void make_row(const HogLevelPlan& plan, bool gamma, const PlaneView& gray, int y);
    [[nodiscard]] float* row(int y) { return rows_.data() + static_cast<std::size_t>(y % 3) * row_pitch_ + kHogSlack; }

    std::size_t row_pitch_ = 0;   // of rows_ and votes
    std::size_t cell_pitch_ = 0;  // of cells_
    std::vector<std::uint16_t> blended_;
    std::vector<std::uint8_t> resized_;
    std::vector<float> rows_;  // the newest 3 rows
    std::vector<float> votes_;
    std::vector<std::int32_t> bins_;
    HogVotes vote_rows_[kHogCell];
    std::vector<float> cells_;  // 2 rows of cells
    std::vector<float> margins_;
};

}  // namespace throng
