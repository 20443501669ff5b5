// OpenCV's face detection with a YuNet model, for comparison: cv::FaceDetectorYN where the installed OpenCV supports
// the models of 2023, otherwise the same steps on OpenCV's DNN.
#pragma once

#include <memory>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <string>

namespace throng {

class CnnBaseline {
public:
    virtual ~CnnBaseline() = default;
    // Returns the number of faces after suppression in a BGR image, whose size must be that given at creation.
    virtual int run(const cv::Mat& bgr) = 0;
    [[nodiscard]] virtual std::string name() const = 0;
};

// baseline is null, and why_not holds the reason, when OpenCV cannot read the model or the model is not a YuNet.
struct CnnBaselineChoice {
    std::unique_ptr<CnnBaseline> baseline;
    std::string why_not;
};
[[nodiscard]] CnnBaselineChoice make_cnn_baseline(const std::string& model, cv::Size size, float threshold);

}  // namespace throng
