// One strip of one level of the pyramid, from gray pixels of the frame to accepted windows, in one worker's memory.
// Levels are cut into strips for three reasons: a strip's sums stay in the cache, strips are the tasks of the threads,
// and the whole pyramid need not be stored. Neighboring strips overlap by a window's height.
#pragma once

#include <cstdint>
#include <vector>

#include "core/algo/cascade_levels.h"
#include "core/cpu/cascade_kernels.h"
#include "core/cpu/cascade_program.h"
#include "core/cpu/level_rows.h"
#include "core/frame/frame.h"

namespace throng {

inline constexpr int kStripRows = 64;  // pixels of a level between the tops of neighboring strips

struct LevelPlan {
    CascadeLevel level{};
    LevelRows rows;
    const CascadePrograms* programs = nullptr;  // for the level's step
};

// Rows of windows [first, first + count) of a level.
struct Strip {
    int level = 0;
    int first = 0, count = 0;
};

struct StripTimes {
    double pyramid_ms = 0, integral_ms = 0, cascade_ms = 0;
};

class StripWorker {
public:
    // Allocates memory for strips of layout.rows rows and level_width columns, resized from frames of frame_width.
    void reserve(const SumsLayout& layout, int level_width, int frame_width, bool squares, bool tilted);

    void evaluate(const LevelPlan& plan, const Strip& strip, int window_height, const PlaneView& gray,
                  std::vector<AcceptedWindow>& accepted);

    // Only computes the strip's sums. evaluate does the same first.
    void fill(const LevelPlan& plan, const Strip& strip, int window_height, const PlaneView& gray);
    // Returns the sums below the window with its corner at (x, y) of the filled strip. layout: the plan's, with step 1.
    [[nodiscard]] WindowSums sums_at(const SumsLayout& layout, int x, int y) const {
        const std::uint32_t* corner = sums_.data() + layout.at(x, y);
        return {corner, squares_ ? corner + layout.plane(1) : nullptr, tilted_ ? corner + layout.plane(2) : nullptr,
                layout.pitch};
    }

    StripTimes times;  // accumulated; the caller clears them
    CascadeScratch scratch;

private:
    void resize_rows(const LevelPlan& plan, int first, int count, const PlaneView& gray);
    void sum_rows(const LevelPlan& plan, int count);
    void sum_tilted_rows(const LevelPlan& plan, int count);
    void store_row(const std::uint32_t* row, int count, std::int32_t plane, int y, const SumsLayout& layout);

    bool squares_ = false, tilted_ = false;
    std::vector<std::uint8_t> pixels_;
    std::vector<const std::uint8_t*> rows_;  // of the strip's pixels: in pixels_ or in the frame
    std::vector<std::uint16_t> blended_;
    std::vector<std::uint32_t> running_sum_, running_squares_;
    std::vector<std::uint32_t> cone_, cone_above_, cone_above2_;
    std::vector<std::uint32_t> sums_;
};

}  // namespace throng
