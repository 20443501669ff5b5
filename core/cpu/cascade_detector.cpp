#include "core/cpu/cascade_detector.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/stopwatch.h"

namespace throng {
namespace {

// An odd number of cache lines, so that the rows of a window do not fall into the same sets of the cache.
std::int32_t pitch_for(int width) {
    return ((width + 16) / 16 | 1) * 16;
}

}  // namespace

CascadeDetector::CascadeDetector(std::shared_ptr<const CascadeModel> model, const DetectorParams& params,
                                 int default_threads)
    : CpuDetector(params, default_threads), model_(std::move(model)) {}

void CascadeDetector::plan(int width, int height) {
    const auto levels = cascade_levels(width, height, model_->window_width, model_->window_height,
                                       params().scale_factor, params().min_size, params().max_size);
    int max_width = 0;
    for (const CascadeLevel& level : levels) max_width = std::max(max_width, level.width);
    SumsLayout layout;
    layout.rows = kStripRows + model_->window_height + 1;
    layout.pitch = pitch_for(max_width);
    for (const int step : {1, 2}) {
        layout.step = step;
        programs_[step - 1] = compile_cascade(*model_, layout, simd_lanes());
    }

    levels_.clear();
    strips_.clear();
    counts_ = {};
    for (const CascadeLevel& level : levels) {
        const int index = static_cast<int>(levels_.size());
        levels_.push_back({level, {width, height, level.width, level.height}, &programs_[level.step - 1]});
        const int rows = kStripRows / level.step;
        for (int first = 0; level.columns > 0 && first < level.rows; first += rows) {
            strips_.push_back({index, first, std::min(rows, level.rows - first)});
        }
        counts_.candidates += std::int64_t{level.columns} * level.rows;
    }
    accepted_.resize(strips_.size());
    workers_.resize(static_cast<std::size_t>(pool().size()));
    for (StripWorker& worker : workers_) {
        worker.reserve(layout, max_width, width, model_->kind == CascadeKind::haar, model_->has_tilted);
    }
}

void CascadeDetector::enqueue(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder) {
    prepare(frame, raw);
    const PlaneView gray = strips_.empty() ? PlaneView{} : gray_.of(frame, pool(), recorder);

    const auto start = std::chrono::steady_clock::now();
    for (StripWorker& worker : workers_) {
        worker.times = {};
        worker.scratch.visited = 0;
    }
    pool().run(static_cast<int>(strips_.size()), [&](int task, int worker) {
        const Strip& strip = strips_[static_cast<std::size_t>(task)];
        auto& accepted = accepted_[static_cast<std::size_t>(task)];
        accepted.clear();
        workers_[static_cast<std::size_t>(worker)].evaluate(levels_[static_cast<std::size_t>(strip.level)], strip,
                                                            model_->window_height, gray, accepted);
    });
    collect(frame.width(), frame.height(), raw);

    const double wall_ms = milliseconds_since(start);
    StripTimes sum;
    counts_.visited = 0;
    for (const StripWorker& worker : workers_) {
        sum.pyramid_ms += worker.times.pyramid_ms;
        sum.integral_ms += worker.times.integral_ms;
        sum.cascade_ms += worker.times.cascade_ms;
        counts_.visited += worker.scratch.visited;
    }
    record_shares(
        recorder, wall_ms,
        {{stage::kPyramid, sum.pyramid_ms}, {stage::kIntegral, sum.integral_ms}, {stage::kCascade, sum.cascade_ms}});
}

void CascadeDetector::collect(int width, int height, DetectionBuffer& raw) {
    const DetectionSpan& out = raw.span();
    std::uint32_t requested = 0;
    for (std::size_t s = 0; s < strips_.size(); ++s) {
        const CascadeLevel& level = levels_[static_cast<std::size_t>(strips_[s].level)].level;
        for (const AcceptedWindow& window : accepted_[s]) {
            if (requested < static_cast<std::uint32_t>(out.capacity)) {
                out.boxes[requested] = window_box(level, window.column, window.row, width, height);
                out.scores[requested] = window.score;
            }
            ++requested;
        }
    }
    *out.count = {requested, 0};
    counts_.accepted = requested;
}

}  // namespace throng
