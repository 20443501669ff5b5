#include "core/cpu/cpu_detector.h"

#include "core/base/error.h"

namespace throng {

CpuDetector::CpuDetector(const DetectorParams& params, int default_threads)
    : params_(params), default_threads_(default_threads) {
    check_params(params);
    pool_ = std::make_unique<ThreadPool>(params.threads > 0 ? params.threads : default_threads);
}

void CpuDetector::configure(const DetectorParams& params) {
    check_change(params_, params);
    if (params == params_) return;
    width_ = height_ = 0;  // first, in case what follows throws: a plan fits one number of threads
    if (params.threads != params_.threads) {
        pool_ = std::make_unique<ThreadPool>(params.threads > 0 ? params.threads : default_threads_);
    }
    params_ = params;
}

void CpuDetector::prepare(const Frame& frame, const DetectionBuffer& raw) {
    if (!frame || frame.info().memory == MemoryKind::device || raw.memory() == MemoryKind::device) {
        throw Error(ErrorKind::internal, "the CPU detector requires host memory");
    }
    if (frame.width() == width_ && frame.height() == height_) return;
    width_ = height_ = 0;  // in case plan throws
    plan(frame.width(), frame.height());
    width_ = frame.width();
    height_ = frame.height();
}

void record_shares(StageRecorder& recorder, double wall_ms, std::initializer_list<StageTime> work) {
    double all_ms = 0;
    for (const StageTime& stage : work) all_ms += stage.ms;
    if (all_ms <= 0) return;
    for (const StageTime& stage : work) recorder.add(stage.name, wall_ms * stage.ms / all_ms);
}

}  // namespace throng
