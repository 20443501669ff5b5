#include "app/lab/measure/opencv_cuda_baseline.h"

#ifdef TH_WITH_CUDAOBJDETECT
#include <opencv2/core/cuda.hpp>
#include <opencv2/cudaobjdetect.hpp>
#endif

namespace throng {

#ifdef TH_WITH_CUDAOBJDETECT

CudaBaselineTimes measure_opencv_cuda(const std::string& model, const cv::Mat& luma, const DetectorParams& params,
                                      int repeats) {
    CudaBaselineTimes times;
    if (luma.channels() != 1) {
        times.unavailable_reason = "supports gray images only";
        return times;
    }
    try {
        const auto classifier = cv::cuda::CascadeClassifier::create(model);
        classifier->setScaleFactor(params.scale_factor);
        classifier->setMinNeighbors(0);
        classifier->setMinObjectSize({params.min_size, params.min_size});
        if (params.max_size > 0) classifier->setMaxObjectSize({params.max_size, params.max_size});
        const cv::cuda::GpuMat image(luma);
        std::vector<cv::Rect> found;
        for (int i = -1; i < repeats; ++i) {
            const double ms = milliseconds_of([&] {
                cv::cuda::GpuMat objects;
                classifier->detectMultiScale(image, objects);
                classifier->convert(objects, found);
            });
            if (i >= 0) times.ms.add(ms);
        }
        times.accepted = static_cast<std::int64_t>(found.size());
    } catch (const cv::Exception& error) {
        times.ms = {};
        times.unavailable_reason = error.err;
    }
    return times;
}

#else

CudaBaselineTimes measure_opencv_cuda(const std::string&, const cv::Mat&, const DetectorParams&, int) {
    CudaBaselineTimes times;
    times.unavailable_reason = "this OpenCV has no cudaobjdetect";
    return times;
}

#endif

}  // namespace throng
