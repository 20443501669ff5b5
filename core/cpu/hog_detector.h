// The people detector on the CPU: several threads, SIMD, the windows and margins of cv::HOGDescriptor.
#pragma once

#include <cstdint>
#include <vector>

#include "core/algo/hog_levels.h"
#include "core/cpu/cpu_detector.h"
#include "core/cpu/gray_converter.h"
#include "core/cpu/hog_strip.h"
#include "core/model/hog_model.h"

namespace throng {

// score_threshold is a margin, kHogMargin if unset. min_size and max_size limit a window's height.
class HogDetector final : public CpuDetector {
public:
    // params and default_threads: as for CpuDetector. Throws Error(usage) for any switch.
    HogDetector(HogModel model, const DetectorParams& params, int default_threads = 0);

    // Appends windows in the order of levels (small boxes first), rows, columns. The order does not depend on the
    // number of threads.
    void enqueue(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder) override;

    [[nodiscard]] std::optional<float> score_threshold() const override {
        return params().score_threshold.value_or(kHogMargin);
    }

    // Returns the levels for the last frame's size, for tests and measurements.
    [[nodiscard]] std::vector<HogLevel> levels() const;
    [[nodiscard]] std::int64_t window_count() const noexcept { return windows_; }

    // Returns the normalized blocks of the last frame on a level, [block row][value][block column]. Empty if several
    // groups of levels shared the memory and this level's was overwritten.
    [[nodiscard]] std::vector<float> blocks(std::size_t level) const;

private:
    void plan(int width, int height) override;
    void report(DetectionBuffer& raw) const;

    struct Strip {
        std::size_t level;
        int first, count;  // rows of blocks or of windows
    };
    // Levels whose blocks are in memory at the same time.
    struct Group {
        std::vector<Strip> blocks;
        std::vector<Strip> windows;
    };
    struct Hit {
        int column, row;
        float margin;
    };

    HogModel model_;
    HogWeights weights_;
    std::vector<HogLevelPlan> levels_;
    std::vector<Group> groups_;
    std::vector<float> blocks_;
    std::vector<HogWorker> workers_;
    std::vector<std::vector<std::vector<Hit>>> hits_;  // [group][strip of windows]
    GrayConverter gray_;
    std::int64_t windows_ = 0;
};

}  // namespace throng
