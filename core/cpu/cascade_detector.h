// Haar and LBP cascades on the CPU: several threads, SIMD, the same candidate windows as OpenCV.
#pragma once

#include <cstdint>
#include <memory>

#include "core/cpu/cascade_strip.h"
#include "core/cpu/gray_converter.h"
#include "core/cpu/thread_pool.h"
#include "core/detect/detector.h"
#include "core/model/cascade_model.h"

namespace throng {

// Window counts of the last frame, for measurements.
struct CascadeCounts {
    std::int64_t candidates = 0;  // on all levels
    std::int64_t visited = 0;     // candidates evaluated: the window after one rejected by stage 0 is skipped
    std::int64_t accepted = 0;
};

class CascadeDetector final : public Detector {
public:
    // default_threads applies when params.threads is 0; 0 selects one thread per core. Throws Error(usage) as
    // check_params does.
    CascadeDetector(CascadeModel model, const DetectorParams& params, int default_threads = 0);

    // Appends the accepted windows in the order of levels (small boxes first), rows, columns. The order does not depend
    // on the number of threads.
    void enqueue(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder) override;
    void configure(const DetectorParams& params) override;

    [[nodiscard]] const CascadeCounts& counts() const noexcept { return counts_; }

private:
    void make_pool();
    void plan(int width, int height);
    void collect(int width, int height, DetectionBuffer& raw);

    CascadeModel model_;
    DetectorParams params_;
    int default_threads_;
    std::unique_ptr<ThreadPool> pool_;
    int width_ = 0, height_ = 0;   // size of the frames that levels_ is planned for
    CascadePrograms programs_[2];  // for steps 1 and 2
    std::vector<LevelPlan> levels_;
    std::vector<Strip> strips_;
    std::vector<StripWorker> workers_;
    std::vector<std::vector<AcceptedWindow>> accepted_;  // per strip
    GrayConverter gray_;
    CascadeCounts counts_;
};

}  // namespace throng
