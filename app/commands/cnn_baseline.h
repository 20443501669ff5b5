// OpenCV's way to the faces of a YuNet model, for comparison: cv::FaceDetectorYN where the installed OpenCV has the one
// for models of 2023, else the same steps on its DNN.
#pragma once

#include <memory>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <string>

namespace throng {

class CnnBaseline {
public:
    virtual ~CnnBaseline() = default;
    // Faces after suppression in a BGR image of the size that it was made for.
    virtual int run(const cv::Mat& bgr) = 0;
    [[nodiscard]] virtual std::string name() const = 0;
};

// Null, with the reason, when OpenCV does not read the model or it is no YuNet.
struct CnnBaselineChoice {
    std::unique_ptr<CnnBaseline> baseline;
    std::string why_not;
};
[[nodiscard]] CnnBaselineChoice make_cnn_baseline(const std::string& model, cv::Size size, float threshold);

}  // namespace throng
