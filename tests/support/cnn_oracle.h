// Detection with OpenCV's DNN alone: OpenCV's model reader, image preprocessing and NMS, and a float64 decoder
// based on the authors' code. Shares no code with the program.
#pragma once

#include <filesystem>
#include <opencv2/core/mat.hpp>
#include <opencv2/dnn/dnn.hpp>
#include <vector>

namespace throng::test {

struct OracleFace {
    double x, y, w, h, score;
    double landmarks[10];  // yunet, retinaface
};

class CnnOracle {
public:
    // YuNet, UltraFace, RetinaFace or YOLOX (people), distinguished by its outputs.
    explicit CnnOracle(const std::filesystem::path& model);

    [[nodiscard]] bool has_landmarks() const { return yunet_ || retinaface_; }

    // Returns all cells at or above the threshold, in the order of the outputs, in pixels of the image. bgr must have
    // the model's input size. For a model with dynamic size, and for YOLOX, it may have any size and is padded on the
    // right and bottom to multiples of 32: with black as in FaceDetectorYN, or with YOLOX's gray.
    std::vector<OracleFace> raw(const cv::Mat& bgr, double threshold);

    // Returns the result of raw after OpenCV's NMSBoxes.
    std::vector<OracleFace> faces(const cv::Mat& bgr, double threshold, double iou);

private:
    void decode_yunet(const std::vector<cv::Mat>& outputs, int width, int height, double threshold,
                      std::vector<OracleFace>& faces) const;
    static void decode_retinaface(const std::vector<cv::Mat>& outputs, int width, int height, double threshold,
                                  std::vector<OracleFace>& faces);
    static void decode_yolox(const cv::Mat& rows, int width, int height, double threshold,
                             std::vector<OracleFace>& people);

    cv::dnn::Net net_;
    std::vector<cv::String> outputs_;
    bool yunet_ = false;
    bool retinaface_ = false;
    bool yolox_ = false;
};

// Greedy NMS of OpenCV.
std::vector<OracleFace> suppressed_by_opencv(const std::vector<OracleFace>& raw, double threshold, double iou);

}  // namespace throng::test
