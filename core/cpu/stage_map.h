// The deepest stage of a cascade that is reached at each position of a frame. Evaluates the windows that the detector
// visits, one at a time, with the definition in core/algo/cascade.h: for explanations, not for speed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/algo/cascade_levels.h"
#include "core/cpu/thread_pool.h"
#include "core/detect/detector.h"
#include "core/frame/frame.h"
#include "core/model/cascade_model.h"

namespace throng {

inline constexpr int kAllLevels = -1;

// Returns the levels of a frame with the sizes and the factor in params, as the detector uses them.
[[nodiscard]] std::vector<CascadeLevel> levels_of(const CascadeModel& model, int frame_width, int frame_height,
                                                  const DetectorParams& params);

// Receives each visited window, on the pool's thread with the number `worker`.
using WindowVisitor =
    std::function<void(int worker, const CascadeLevel& level, int column, int row, const WindowResult& result)>;

// Evaluates the windows of one of `levels`, or of all with kAllLevels. With one thread, they have the order of the
// detector: levels, rows, columns. Returns false if it was stopped, within one row of windows. Throws Error(internal)
// for a frame in device memory.
bool visit_windows(const CascadeModel& model, const Frame& frame, const std::vector<CascadeLevel>& levels, int level,
                   ThreadPool& pool, const WindowVisitor& visit, const std::stop_token& stop = {});

// A map in cells of kStageCell x kStageCell pixels of the frame. A window counts at its center, for the square that
// lies nearer to it than to its neighbors on its level.
struct StageMap {
    int columns = 0, rows = 0;
    int stage_count = 0;                     // of the model
    std::vector<std::uint16_t> stages;       // per cell: the most stages that a window there has passed
    std::vector<CascadeLevel> levels;        // of the frame, also those that were not evaluated
    int level = kAllLevels;                  // the evaluated one
    std::int64_t visited = 0, accepted = 0;  // windows

    [[nodiscard]] int at(int column, int row) const {
        return stages[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                      static_cast<std::size_t>(column)];
    }
};

inline constexpr int kStageCell = 4;

// level: kAllLevels, or the index of a level; one past the last level is the last. Returns nothing if it was stopped.
// The number of threads does not change the map.
[[nodiscard]] std::optional<StageMap> compute_stage_map(const CascadeModel& model, const Frame& frame,
                                                        const DetectorParams& params, int level, ThreadPool& pool,
                                                        const std::stop_token& stop = {});

}  // namespace throng
