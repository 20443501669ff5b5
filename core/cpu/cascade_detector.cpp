#include "core/cpu/cascade_detector.h"

#include <algorithm>
#include <chrono>

#include "core/algo/resize_linear.h"
#include "core/base/error.h"
#include "core/cpu/image_kernels.h"

namespace throng {
namespace {

constexpr int kStripRows = 64;  // pixels of a level between the tops of neighboring strips

// An odd number of cache lines, so that the rows of a window do not fall into the same sets of the cache.
std::int32_t pitch_for(int width) {
    return ((width + 16) / 16 | 1) * 16;
}

LevelPlan plan_level(const CascadeLevel& level, int width, int height, const CascadePrograms* programs) {
    LevelPlan plan;
    plan.level = level;
    plan.frame_width = width;
    plan.frame_height = height;
    plan.programs = programs;
    if (level.width == width && level.height == height) return plan;
    for (int x = 0; x < level.width; ++x) {
        const ResizeTap tap = resize_tap(x, width, level.width);
        plan.offsets.push_back(tap.offset);
        plan.weights.push_back(tap.near | tap.far << 16);
    }
    plan.offsets.resize(plan.offsets.size() + kResampleSlack);
    plan.weights.resize(plan.weights.size() + kResampleSlack);
    return plan;
}

}  // namespace

CascadeDetector::CascadeDetector(CascadeModel model, const DetectorParams& params, int default_threads)
    : model_(std::move(model)), params_(params), default_threads_(default_threads) {
    check_params(params);
    make_pool();
}

void CascadeDetector::make_pool() {
    pool_ = std::make_unique<ThreadPool>(params_.threads > 0 ? params_.threads : default_threads_);
}

void CascadeDetector::configure(const DetectorParams& params) {
    check_params(params);
    if (params.kind != params_.kind || params.model != params_.model) {
        throw Error(ErrorKind::usage, "the kind and the model of a detector cannot be changed",
                    params.kind + " " + params.model);
    }
    if (params == params_) return;
    const bool same_threads = params.threads == params_.threads;
    params_ = params;
    if (!same_threads) make_pool();
    width_ = height_ = 0;
}

void CascadeDetector::plan(int width, int height) {
    if (width == width_ && height == height_) return;
    const auto levels = cascade_levels(width, height, model_.window_width, model_.window_height, params_.scale_factor,
                                       params_.min_size, params_.max_size);
    int max_width = 0;
    for (const CascadeLevel& level : levels) max_width = std::max(max_width, level.width);
    SumsLayout layout;
    layout.rows = kStripRows + model_.window_height + 1;
    layout.pitch = pitch_for(max_width);
    for (const int step : {1, 2}) {
        layout.step = step;
        programs_[step - 1] = compile_cascade(model_, layout, simd_lanes());
    }

    levels_.clear();
    strips_.clear();
    counts_ = {};
    for (const CascadeLevel& level : levels) {
        const int index = static_cast<int>(levels_.size());
        levels_.push_back(plan_level(level, width, height, &programs_[level.step - 1]));
        const int rows = kStripRows / level.step;
        for (int first = 0; level.columns > 0 && first < level.rows; first += rows) {
            strips_.push_back({index, first, std::min(rows, level.rows - first)});
        }
        counts_.candidates += std::int64_t{level.columns} * level.rows;
    }
    accepted_.resize(strips_.size());
    workers_.resize(static_cast<std::size_t>(pool_->size()));
    for (StripWorker& worker : workers_) {
        worker.reserve(layout, max_width, width, model_.kind == CascadeKind::haar, model_.has_tilted);
    }
    width_ = width;
    height_ = height;
}

void CascadeDetector::enqueue(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder) {
    if (!frame || frame.info().memory == MemoryKind::device || raw.memory() == MemoryKind::device) {
        throw Error(ErrorKind::internal, "the CPU detector requires host memory");
    }
    plan(frame.width(), frame.height());
    const PlaneView gray = strips_.empty() ? PlaneView{} : gray_.of(frame, *pool_, recorder);

    const auto start = std::chrono::steady_clock::now();
    for (StripWorker& worker : workers_) {
        worker.times = {};
        worker.scratch.visited = 0;
    }
    pool_->run(static_cast<int>(strips_.size()), [&](int task, int worker) {
        const Strip& strip = strips_[static_cast<std::size_t>(task)];
        auto& accepted = accepted_[static_cast<std::size_t>(task)];
        accepted.clear();
        workers_[static_cast<std::size_t>(worker)].evaluate(levels_[static_cast<std::size_t>(strip.level)], strip,
                                                            model_.window_height, gray, accepted);
    });
    collect(frame.width(), frame.height(), raw);

    // Workers run different stages at the same time. The frame's wall-clock time is divided in proportion to the
    // workers' stage times.
    const double wall = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    StripTimes sum;
    counts_.visited = 0;
    for (const StripWorker& worker : workers_) {
        sum.pyramid_ms += worker.times.pyramid_ms;
        sum.integral_ms += worker.times.integral_ms;
        sum.cascade_ms += worker.times.cascade_ms;
        counts_.visited += worker.scratch.visited;
    }
    const double all = sum.pyramid_ms + sum.integral_ms + sum.cascade_ms;
    if (all <= 0) return;
    recorder.add(stage::kPyramid, wall * sum.pyramid_ms / all);
    recorder.add(stage::kIntegral, wall * sum.integral_ms / all);
    recorder.add(stage::kCascade, wall * sum.cascade_ms / all);
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
