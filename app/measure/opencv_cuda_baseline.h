// Measures OpenCV's CUDA cascade, where the installed OpenCV has the module cudaobjdetect.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <opencv2/core.hpp>

#include "core/detect/detector.h"

namespace throng {

struct CudaBaselineTimes {
    // Ascending; from a gray image in device memory to raw detections on the host. Empty: not measured.
    std::vector<double> ms;
    std::int64_t accepted = 0;
    std::string unavailable_reason;  // why not measured: no module, no device, or an unsupported model
};

// Runs cv::cuda::CascadeClassifier on the image, without grouping. The first run is a warm-up and does not count.
[[nodiscard]] CudaBaselineTimes measure_opencv_cuda(const std::string& model, const cv::Mat& luma,
                                                    const DetectorParams& params, int repeats);

}  // namespace throng
