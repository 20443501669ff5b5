// The gray image that the CPU's cascade and HOG detectors read.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cpu/thread_pool.h"
#include "core/detect/stage.h"
#include "core/frame/frame.h"

namespace throng {

// Keeps the converted image of a frame without luma until the next call. Not thread-safe.
class GrayConverter {
public:
    // Returns the frame's luma plane without a copy. A bgr24 frame in host memory is converted, timed as stage::kGray, and
    // a frame that is read in strips becomes one gray plane. Throws as RowReader.
    [[nodiscard]] PlaneView of(const Frame& frame, ThreadPool& pool, StageRecorder& recorder);

private:
    std::vector<std::uint8_t> pixels_;
};

}  // namespace throng
