#include "core/cpu/stage_map.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/cpu/cascade_strip.h"
#include "core/cpu/gray_converter.h"
#include "core/detect/null_recorder.h"

namespace throng {

std::vector<CascadeLevel> levels_of(const CascadeModel& model, int frame_width, int frame_height,
                                    const DetectorParams& params) {
    return cascade_levels(frame_width, frame_height, model.window_width, model.window_height, params.scale_factor,
                          params.min_size, params.max_size);
}

bool visit_windows(const CascadeModel& model, const Frame& frame, const std::vector<CascadeLevel>& levels, int level,
                   ThreadPool& pool, const WindowVisitor& visit, const std::stop_token& stop) {
    if (levels.empty()) return true;
    if (frame.info().memory == MemoryKind::device) {
        throw Error(ErrorKind::internal, "the cascade heat map needs a frame in host memory");
    }
    GrayConverter converter;
    NullRecorder recorder;
    const PlaneView gray = converter.of(frame, pool, recorder);

    CascadePrograms layouts;  // only the layout is used: rows without the split into even and odd columns
    SumsLayout& layout = layouts.dense.layout;
    int width = 0;
    for (const CascadeLevel& each : levels) width = std::max(width, each.width);
    layout.rows = kStripRows + model.window_height + 1;
    layout.pitch = width + 2 - width % 2;
    std::vector<StripWorker> workers(static_cast<std::size_t>(pool.size()));
    for (StripWorker& worker : workers) {
        worker.reserve(layout, width, frame.width(), model.kind == CascadeKind::haar, model.has_tilted);
    }
    std::vector<LevelPlan> plans;
    std::vector<Strip> strips;
    for (int index = 0; index < static_cast<int>(levels.size()); ++index) {
        const CascadeLevel& now = levels[static_cast<std::size_t>(index)];
        plans.push_back({now, {frame.width(), frame.height(), now.width, now.height}, &layouts});
        if (level != kAllLevels && index != level) continue;
        for (int first = 0; now.columns > 0 && first < now.rows; first += kStripRows / now.step) {
            strips.push_back({index, first, std::min(kStripRows / now.step, now.rows - first)});
        }
    }

    const CascadeView view = model.view();
    pool.run(static_cast<int>(strips.size()), [&](int task, int number) {
        if (stop.stop_requested()) return;
        StripWorker& worker = workers[static_cast<std::size_t>(number)];
        const Strip& strip = strips[static_cast<std::size_t>(task)];
        const LevelPlan& plan = plans[static_cast<std::size_t>(strip.level)];
        const CascadeLevel& now = plan.level;
        worker.fill(plan, strip, model.window_height, gray);
        for (int j = 0; j < strip.count && !stop.stop_requested(); ++j) {
            for (int i = 0; i < now.columns; ++i) {
                const WindowResult result = evaluate_window(view, worker.sums_at(layout, i * now.step, j * now.step));
                visit(number, now, i, strip.first + j, result);
                if (result.stages_passed == 0) ++i;  // the next one is skipped
            }
        }
    });
    return !stop.stop_requested();
}

std::optional<StageMap> compute_stage_map(const CascadeModel& model, const Frame& frame, const DetectorParams& params,
                                          int level, ThreadPool& pool, const std::stop_token& stop) {
    StageMap map;
    map.columns = (frame.width() + kStageCell - 1) / kStageCell;
    map.rows = (frame.height() + kStageCell - 1) / kStageCell;
    map.stage_count = static_cast<int>(model.stages.size());
    map.stages.assign(static_cast<std::size_t>(map.columns) * static_cast<std::size_t>(map.rows), 0);
    map.levels = levels_of(model, frame.width(), frame.height(), params);
    if (level != kAllLevels) map.level = std::clamp(level, kAllLevels, static_cast<int>(map.levels.size()) - 1);

    // Each thread has its own map. Their maximum does not depend on which thread visited which window.
    std::vector<StageMap> parts(static_cast<std::size_t>(pool.size()), map);
    const auto add = [&](int worker, const CascadeLevel& at, int i, int j, const WindowResult& result) {
        StageMap& part = parts[static_cast<std::size_t>(worker)];
        ++part.visited;
        if (result.stages_passed <= 0) return;
        if (result.stages_passed == part.stage_count) ++part.accepted;
        // The first and last cell of a window's square, along one axis.
        const auto first = [&](int n, int side) {
            const float begin =
                (static_cast<float>(n * at.step) + 0.5F * static_cast<float>(side - at.step)) * at.scale;
            return static_cast<int>(begin / kStageCell);
        };
        const auto last = [&](int n, int side, int cells) {
            const float end = (static_cast<float>(n * at.step) + 0.5F * static_cast<float>(side + at.step)) * at.scale;
            return std::min(static_cast<int>(std::ceil(end / kStageCell)), cells) - 1;
        };
        const auto passed = static_cast<std::uint16_t>(result.stages_passed);
        const int right = last(i, model.window_width, map.columns);
        const int bottom = last(j, model.window_height, map.rows);
        for (int y = first(j, model.window_height); y <= bottom; ++y) {
            std::uint16_t* row = part.stages.data() + static_cast<std::ptrdiff_t>(y) * map.columns;
            for (int x = first(i, model.window_width); x <= right; ++x) row[x] = std::max(row[x], passed);
        }
    };
    if (!visit_windows(model, frame, map.levels, map.level, pool, add, stop)) return std::nullopt;
    for (const StageMap& part : parts) {
        map.visited += part.visited;
        map.accepted += part.accepted;
        for (std::size_t k = 0; k < map.stages.size(); ++k) map.stages[k] = std::max(map.stages[k], part.stages[k]);
    }
    return map;
}

}  // namespace throng
