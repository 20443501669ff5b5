// Faces by OpenCV's DNN alone: the file as OpenCV reads it, its image preparation, its suppression, and a decoder
// written from the authors' own code in float64. Shares nothing with the program.
#pragma once

#include <filesystem>
#include <opencv2/core/mat.hpp>
#include <opencv2/dnn/dnn.hpp>
#include <vector>

namespace throng::test {

struct OracleFace {
    double x, y, w, h, score;
    double landmarks[10];  // yunet
};

class CnnOracle {
public:
    // YuNet or UltraFace, told apart by its outputs.
    explicit CnnOracle(const std::filesystem::path& model);

    [[nodiscard]] bool is_yunet() const { return yunet_; }

    // All cells at or above the threshold, in the order of the outputs, in pixels of the image. bgr must have the
    // size that the file fixes; of a file that leaves it open, any; it is padded with black on the right and below to
    // multiples of 32, as FaceDetectorYN does it.
    std::vector<OracleFace> raw(const cv::Mat& bgr, double threshold);

    // raw, then OpenCV's NMSBoxes.
    std::vector<OracleFace> faces(const cv::Mat& bgr, double threshold, double iou);

private:
    void decode_yunet(const std::vector<cv::Mat>& outputs, int width, int height, double threshold,
                      std::vector<OracleFace>& faces) const;

    cv::dnn::Net net_;
    std::vector<cv::String> outputs_;
    bool yunet_ = false;
};

// Greedy suppression by OpenCV.
std::vector<OracleFace> suppressed_by_opencv(const std::vector<OracleFace>& raw, double threshold, double iou);

}  // namespace throng::test
