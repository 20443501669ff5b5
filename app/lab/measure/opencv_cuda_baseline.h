// Measures OpenCV's CUDA cascade, where the installed OpenCV has the module cudaobjdetect.
#pragma once

#include <cstdint>
#include <string>

#include <opencv2/core.hpp>

#include "app/lab/measure/samples.h"
#include "core/detect/detector.h"

namespace throng {

struct CudaBaselineTimes {
    Samples ms;  // from a gray image in device memory to raw detections on the host; empty: not measured
    std::int64_t accepted = 0;
    std::string unavailable_reason;  // why not measured: no module, no device, or an unsupported model
};

// Runs cv::cuda::CascadeClassifier on the image, without grouping. The first run is a warm-up and does not count.
[[nodiscard]] CudaBaselineTimes measure_opencv_cuda(const std::string& model, const cv::Mat& luma,
                                                    const DetectorParams& params, int repeats);

}  // namespace throng
