#include "core/cpu/hog_detector.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/error.h"
#include "core/base/stopwatch.h"

namespace throng {
namespace {

constexpr int kBlockRows = 8;   // per strip; each strip votes for one more row of cells than it keeps rows of blocks
constexpr int kWindowRows = 2;  // per strip
constexpr std::size_t kGroupValues = 16U << 20;  // max. floats of blocks in memory at once, but at least one level

std::size_t block_values(const HogLevelPlan& plan) {
    return static_cast<std::size_t>(plan.pitch) * static_cast<std::size_t>(plan.level.block_rows) * kHogBlockValues;
}

}  // namespace

HogDetector::HogDetector(HogModel model, const DetectorParams& params, int default_threads)
    : CpuDetector(params, default_threads), model_(std::move(model)), weights_(model_) {
    if (!params.switches.empty()) {
        throw Error(ErrorKind::usage, "the CPU people detector has no switches", params.switches.begin()->first);
    }
}

void HogDetector::plan(int width, int height) {
    levels_.clear();
    groups_.clear();
    windows_ = 0;
    std::size_t used = 0;
    std::size_t max_used = 0;
    int max_width = 0;
    for (const HogLevel& level :
         hog_levels(width, height, params().scale_factor, params().min_size, params().max_size)) {
        levels_.push_back({level, {width, height, level.width, level.height}, level.block_columns});
        HogLevelPlan& plan = levels_.back();
        max_width = std::max(max_width, level.width);
        windows_ += std::int64_t{level.columns} * level.rows;
        if (groups_.empty() || used + block_values(plan) > kGroupValues) {
            groups_.emplace_back();
            used = 0;
        }
        plan.origin = used;
        used += block_values(plan);
        max_used = std::max(max_used, used);
        const std::size_t index = levels_.size() - 1;
        Group& group = groups_.back();
        for (int first = 0; first < level.block_rows; first += kBlockRows) {
            group.blocks.push_back({index, first, std::min(kBlockRows, level.block_rows - first)});
        }
        for (int first = 0; first < level.rows; first += kWindowRows) {
            group.windows.push_back({index, first, std::min(kWindowRows, level.rows - first)});
        }
    }
    blocks_.assign(max_used == 0 ? 0 : max_used + kHogSlack, 0.0F);
    hits_.resize(groups_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) hits_[g].resize(groups_[g].windows.size());
    workers_.resize(static_cast<std::size_t>(pool().size()));
    for (HogWorker& worker : workers_) worker.reserve(max_width, width);
}

void HogDetector::enqueue(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder) {
    prepare(frame, raw);
    const PlaneView gray = levels_.empty() ? PlaneView{} : gray_.of(frame, pool(), recorder);
    const float threshold = params().score_threshold.value_or(kHogMargin);

    const auto start = std::chrono::steady_clock::now();
    for (HogWorker& worker : workers_) worker.times = {};
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const Group& group = groups_[g];
        pool().run(static_cast<int>(group.blocks.size()), [&](int task, int worker) {
            const Strip& strip = group.blocks[static_cast<std::size_t>(task)];
            const HogLevelPlan& level = levels_[strip.level];
            workers_[static_cast<std::size_t>(worker)].make_blocks(level, weights_, gray, strip.first, strip.count,
                                                                   blocks_.data() + level.origin);
        });
        pool().run(static_cast<int>(group.windows.size()), [&](int task, int worker) {
            const Strip& strip = group.windows[static_cast<std::size_t>(task)];
            const HogLevelPlan& level = levels_[strip.level];
            auto& hits = hits_[g][static_cast<std::size_t>(task)];
            hits.clear();
            for (int row = strip.first; row < strip.first + strip.count; ++row) {
                const float* margins = workers_[static_cast<std::size_t>(worker)].margins(
                    level, weights_, blocks_.data() + level.origin, row);
                for (int column = 0; column < level.level.columns; ++column) {
                    if (margins[column] >= threshold) hits.push_back({column, row, margins[column]});
                }
            }
        });
    }
    report(raw);

    const double wall_ms = milliseconds_since(start);
    HogTimes sum;
    for (const HogWorker& worker : workers_) {
        sum.pyramid_ms += worker.times.pyramid_ms;
        sum.gradient_ms += worker.times.gradient_ms;
        sum.histogram_ms += worker.times.histogram_ms;
        sum.normalize_ms += worker.times.normalize_ms;
        sum.svm_ms += worker.times.svm_ms;
    }
    record_shares(recorder, wall_ms,
                  {{stage::kPyramid, sum.pyramid_ms},
                   {stage::kGradient, sum.gradient_ms},
                   {stage::kHistogram, sum.histogram_ms},
                   {stage::kNormalize, sum.normalize_ms},
                   {stage::kSvm, sum.svm_ms}});
}

void HogDetector::report(DetectionBuffer& raw) const {
    const DetectionSpan& out = raw.span();
    std::uint32_t requested = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        for (std::size_t s = 0; s < groups_[g].windows.size(); ++s) {
            const HogLevel& level = levels_[groups_[g].windows[s].level].level;
            for (const Hit& hit : hits_[g][s]) {
                if (requested < static_cast<std::uint32_t>(out.capacity)) {
                    out.boxes[requested] = hog_box(level.scale, level.box_width, level.box_height, hit.column, hit.row);
                    out.scores[requested] = hit.margin;
                }
                ++requested;
            }
        }
    }
    *out.count = {requested, 0};
}

std::vector<HogLevel> HogDetector::levels() const {
    std::vector<HogLevel> levels;
    for (const HogLevelPlan& plan : levels_) levels.push_back(plan.level);
    return levels;
}

std::vector<float> HogDetector::blocks(std::size_t level) const {
    if (groups_.size() > 1 || level >= levels_.size()) return {};
    const auto first = blocks_.begin() + static_cast<std::ptrdiff_t>(levels_[level].origin);
    return {first, first + static_cast<std::ptrdiff_t>(block_values(levels_[level]))};
}

}  // namespace throng
