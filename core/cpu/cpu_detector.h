// Common to the detectors of the CPU backend: parameters, threads, and a plan for the size of the frames.
#pragma once

#include <initializer_list>
#include <memory>

#include "core/cpu/thread_pool.h"
#include "core/detect/detector.h"

namespace throng {

class CpuDetector : public Detector {
public:
    void configure(const DetectorParams& params) override;

protected:
    // default_threads applies when params.threads is 0; 0 selects one thread per core. Throws Error(usage) as
    // check_params does.
    CpuDetector(const DetectorParams& params, int default_threads);

    // Plans the work on frames of this size with the current parameters and threads.
    virtual void plan(int width, int height) = 0;
    // Calls plan if the size or the parameters have changed. Throws Error(internal) for device memory.
    void prepare(const Frame& frame, const DetectionBuffer& raw);

    [[nodiscard]] const DetectorParams& params() const noexcept { return params_; }
    [[nodiscard]] ThreadPool& pool() const noexcept { return *pool_; }

private:
    DetectorParams params_;
    int default_threads_;
    std::unique_ptr<ThreadPool> pool_;
    int width_ = 0, height_ = 0;  // size of the planned frames; 0: none
};

// Adds the stages of a frame whose workers ran different stages at the same time. The wall-clock time is divided in
// proportion to `work`, the milliseconds of all workers in each stage.
void record_shares(StageRecorder& recorder, double wall_ms, std::initializer_list<StageTime> work);

}  // namespace throng
