// OpenCV's way to the faces of a YuNet model, for comparison: cv::FaceDetectorYN where the installed OpenCV has the one
// for models of 2023, else the same steps on its DNN.
#pragma once

#include <memory>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <string>

namespace throng {

class CnnPeer {
public:
    virtual ~CnnPeer() = default;
    // Faces after suppression in a BGR picture of the size that it was made for.
    virtual int run(const cv::Mat& bgr) = 0;
    [[nodiscard]] virtual std::string name() const = 0;
};

// Null, with the reason, when OpenCV does not read the model or it is no YuNet.
struct CnnPeerChoice {
    std::unique_ptr<CnnPeer> peer;
    std::string why_not;
};
[[nodiscard]] CnnPeerChoice make_cnn_peer(const std::string& model, cv::Size size, float threshold);

}  // namespace throng
