#include "app/lab/measure/cnn_baseline.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <opencv2/core/version.hpp>
#include <opencv2/dnn.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>
#include <vector>

namespace throng {
namespace {

constexpr float kIou = 0.3F;  // FaceDetectorYN's default

#if CV_VERSION_MAJOR > 4 || (CV_VERSION_MAJOR == 4 && CV_VERSION_MINOR >= 8)

constexpr const char* kBaselineName = "OpenCV FaceDetectorYN";

class Baseline {
public:
    Baseline(const std::string& model, cv::Size size, float threshold)
        : detector_(cv::FaceDetectorYN::create(model, "", size, threshold, kIou)) {}

    int run(const cv::Mat& bgr) {
        cv::Mat faces;
        detector_->detect(bgr, faces);
        return faces.rows;
    }

private:
    cv::Ptr<cv::FaceDetectorYN> detector_;
};

#else

constexpr const char* kBaselineName = "OpenCV DNN, as FaceDetectorYN";

// FaceDetectorYN of this OpenCV supports the models of 2022 only. This class does what it does from 4.8 on
// (modules/objdetect/src/face_detect.cpp): pad, blob, forward, decode, NMSBoxes.
class Baseline {
public:
    Baseline(const std::string& model, cv::Size size, float threshold)
        : net_(cv::dnn::readNetFromONNX(model)), size_(size), threshold_(threshold) {
        for (const char* kind : {"cls", "obj", "bbox", "kps"}) {
            for (const int stride : {8, 16, 32}) names_.push_back(std::string(kind) + "_" + std::to_string(stride));
        }
    }

    int run(const cv::Mat& bgr) {
        const int width = (size_.width + 31) / 32 * 32;
        const int height = (size_.height + 31) / 32 * 32;
        cv::Mat padded;
        cv::copyMakeBorder(bgr, padded, 0, height - bgr.rows, 0, width - bgr.cols, cv::BORDER_CONSTANT, cv::Scalar());
        net_.setInput(cv::dnn::blobFromImage(padded));
        std::vector<cv::Mat> outputs;
        net_.forward(outputs, names_);
        boxes_.clear();
        scores_.clear();
        for (std::size_t level = 0; level < 3; ++level) {
            const int stride = 8 << level;
            const auto* cls = outputs[level].ptr<float>();
            const auto* obj = outputs[level + 3].ptr<float>();
            const auto* box = outputs[level + 6].ptr<float>();
            const int columns = width / stride;
            const int cells = columns * (height / stride);
            for (int i = 0; i < cells; ++i) {
                const float score =
                    std::sqrt(std::min(std::max(cls[i], 0.0F), 1.0F) * std::min(std::max(obj[i], 0.0F), 1.0F));
                if (score < threshold_) continue;
                const auto s = static_cast<float>(stride);
                const float* b = box + 4 * static_cast<std::ptrdiff_t>(i);
                const float w = std::exp(b[2]) * s;
                const float h = std::exp(b[3]) * s;
                const float x = (static_cast<float>(i % columns) + b[0]) * s;
                const int row = i / columns;
                boxes_.emplace_back(static_cast<int>(x - w / 2),
                                    static_cast<int>((static_cast<float>(row) + b[1]) * s - h / 2), static_cast<int>(w),
                                    static_cast<int>(h));
                scores_.push_back(score);
            }
        }
        std::vector<int> kept;
        cv::dnn::NMSBoxes(boxes_, scores_, threshold_, kIou, kept, 1.0F, 5000);
        return static_cast<int>(kept.size());
    }

private:
    cv::dnn::Net net_;
    cv::Size size_;
    float threshold_;
    std::vector<cv::String> names_;
    std::vector<cv::Rect> boxes_;
    std::vector<float> scores_;
};

#endif

}  // namespace

CnnBaseline make_cnn_baseline(const std::string& model, cv::Size size, float threshold) {
    try {
        const auto baseline = std::make_shared<Baseline>(model, size, threshold);
        baseline->run(cv::Mat::zeros(size, CV_8UC3));
        return {kBaselineName, [baseline](const cv::Mat& bgr) { return baseline->run(bgr); }, {}};
    } catch (const cv::Exception& error) {
        return {kBaselineName, nullptr, error.err};
    }
}

}  // namespace throng
