// The gray image that detectors on the CPU look at.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cpu/thread_pool.h"
#include "core/detect/stage.h"
#include "core/frame/frame.h"

namespace throng {

// Holds the converted image of a frame without luma until the next one. Not thread-safe.
class GrayConverter {
public:
    // The frame's luma where it lies; of a bgr24 frame in host memory the converted image, timed as stage::kGray.
    [[nodiscard]] PlaneView of(const Frame& frame, ThreadPool& pool, StageRecorder& recorder);

private:
    std::vector<std::uint8_t> pixels_;
};

}  // namespace throng
