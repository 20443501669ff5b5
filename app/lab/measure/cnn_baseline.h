// OpenCV's face detection with a YuNet model, for comparison: cv::FaceDetectorYN where the installed OpenCV supports
// the models of 2023, otherwise the same steps on OpenCV's DNN.
#pragma once

#include <functional>
#include <opencv2/core/mat.hpp>
#include <string>

namespace throng {

struct CnnBaseline {
    const char* name;
    // Returns the number of faces after suppression in a BGR image, whose size must be that given at creation. Null, and
    // why_not holds the reason, when OpenCV cannot read the model or the model is not a YuNet.
    std::function<int(const cv::Mat& bgr)> run;
    std::string why_not;
};

[[nodiscard]] CnnBaseline make_cnn_baseline(const std::string& model, cv::Size size, float threshold);

}  // namespace throng
