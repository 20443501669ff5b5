// OpenCV's own CUDA cascade beside ours, where the installed OpenCV has its cudaobjdetect module.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <opencv2/core.hpp>

#include "core/detect/detector.h"

namespace throng {

struct CudaBaselineTimes {
    std::vector<double>
        ms;  // ascending: gray image in device memory to raw detections on the host; empty: not measured
    std::int64_t accepted = 0;
    std::string unavailable_reason;  // why not measured: the module is missing, no device, or it cannot read this model
};

// cv::cuda::CascadeClassifier on the image, without grouping; the first run warms up and does not count.
[[nodiscard]] CudaBaselineTimes measure_opencv_cuda(const std::string& model, const cv::Mat& luma,
                                                    const DetectorParams& params, int repeats);

}  // namespace throng
