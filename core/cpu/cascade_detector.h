// Haar and LBP cascades on the CPU: several threads, SIMD, the same candidate windows as OpenCV.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/cpu/cascade_strip.h"
#include "core/cpu/cpu_detector.h"
#include "core/cpu/gray_converter.h"
#include "core/model/cascade_model.h"

namespace throng {

// Window counts of the last frame, for measurements.
struct CascadeCounts {
    std::int64_t candidates = 0;  // on all levels
    std::int64_t visited = 0;     // candidates evaluated: the window after one rejected by stage 0 is skipped
    std::int64_t accepted = 0;
};

class CascadeDetector final : public CpuDetector {
public:
    // params and default_threads: as for CpuDetector. Other detectors may use the model, too.
    CascadeDetector(std::shared_ptr<const CascadeModel> model, const DetectorParams& params, int default_threads = 0);
    CascadeDetector(CascadeModel model, const DetectorParams& params, int default_threads = 0)
        : CascadeDetector(std::make_shared<const CascadeModel>(std::move(model)), params, default_threads) {}

    // Appends the accepted windows in the order of levels (small boxes first), rows, columns. The order does not depend
    // on the number of threads.
    void enqueue(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder) override;

    [[nodiscard]] const CascadeCounts& counts() const noexcept { return counts_; }

private:
    void plan(int width, int height) override;
    void collect(int width, int height, DetectionBuffer& raw);

    std::shared_ptr<const CascadeModel> model_;
    CascadePrograms programs_[2];  // for steps 1 and 2
    std::vector<LevelPlan> levels_;
    std::vector<Strip> strips_;
    std::vector<StripWorker> workers_;
    std::vector<std::vector<AcceptedWindow>> accepted_;  // per strip
    GrayConverter gray_;
    CascadeCounts counts_;
};

}  // namespace throng
