#include "tests/support/cnn_oracle.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <string>

namespace throng::test {

CnnOracle::CnnOracle(const std::filesystem::path& model) : net_(cv::dnn::readNetFromONNX(model.string())) {
    const std::vector<cv::String> ends = net_.getUnconnectedOutLayersNames();
    yolox_ = ends.size() == 1;
    retinaface_ = ends.size() == 3;
    yunet_ = !yolox_ && !retinaface_ && std::find(ends.begin(), ends.end(), "scores") == ends.end();
    if (yolox_ || retinaface_) {
        outputs_ = ends;
        return;
    }
    if (!yunet_) {
        outputs_ = {"scores", "boxes"};
        return;
    }
    for (const char* kind : {"cls", "obj", "bbox", "kps"}) {
        for (const int stride : {8, 16, 32}) outputs_.push_back(std::string(kind) + "_" + std::to_string(stride));
    }
}

std::vector<OracleFace> CnnOracle::raw(const cv::Mat& bgr, double threshold) {
    cv::Mat image = bgr;
    cv::Mat blob;
    if (yunet_ || yolox_ || retinaface_) {
        const int right = (32 - bgr.cols % 32) % 32;
        const int below = (32 - bgr.rows % 32) % 32;
        cv::copyMakeBorder(bgr, image, 0, below, 0, right, cv::BORDER_CONSTANT,
                           yolox_ ? cv::Scalar(114, 114, 114) : cv::Scalar());
        blob = cv::dnn::blobFromImage(image, 1, cv::Size(), retinaface_ ? cv::Scalar(104, 117, 123) : cv::Scalar());
    } else {
        blob = cv::dnn::blobFromImage(image, 1.0 / 128, cv::Size(), cv::Scalar(127, 127, 127), true);
    }
    net_.setInput(blob);
    std::vector<cv::Mat> outputs;
    net_.forward(outputs, outputs_);

    std::vector<OracleFace> faces;
    if (yunet_) {
        decode_yunet(outputs, image.cols, image.rows, threshold, faces);
        return faces;
    }
    if (retinaface_) {
        decode_retinaface(outputs, image.cols, image.rows, threshold, faces);
        return faces;
    }
    if (yolox_) {
        decode_yolox(outputs[0], image.cols, image.rows, threshold, faces);
        return faces;
    }
    const auto* scores = outputs[0].ptr<float>();
    const auto* corners = outputs[1].ptr<float>();
    const auto rows = static_cast<std::ptrdiff_t>(outputs[0].total() / 2);
    for (std::ptrdiff_t i = 0; i < rows; ++i) {
        const double score = static_cast<double>(scores[2 * i + 1]);
        if (score < threshold) continue;
        const double left = static_cast<double>(corners[4 * i]) * image.cols;
        const double top = static_cast<double>(corners[4 * i + 1]) * image.rows;
        const double right = static_cast<double>(corners[4 * i + 2]) * image.cols;
        const double bottom = static_cast<double>(corners[4 * i + 3]) * image.rows;
        faces.push_back({left, top, right - left, bottom - top, score, {}});
    }
    return faces;
}

// Decodes like libfacedetection.train (mmdet/models/dense_heads/yunet_head.py), with points in the centers of
// FaceDetectorYN's cells.
void CnnOracle::decode_yunet(const std::vector<cv::Mat>& outputs, int width, int height, double threshold,
                             std::vector<OracleFace>& faces) const {
    for (std::size_t level = 0; level < 3; ++level) {
        const int stride = 8 << level;
        const int columns = width / stride;
        const int rows = height / stride;
        const auto* cls = outputs[level].ptr<float>();
        const auto* obj = outputs[level + 3].ptr<float>();
        const auto* box = outputs[level + 6].ptr<float>();
        const auto* kps = outputs[level + 9].ptr<float>();
        for (int cell = 0; cell < columns * rows; ++cell) {
            const double c = std::clamp(static_cast<double>(cls[cell]), 0.0, 1.0);
            const double o = std::clamp(static_cast<double>(obj[cell]), 0.0, 1.0);
            const double score = std::sqrt(c * o);
            if (score < threshold) continue;
            const double x = cell % columns;
            const double y = cell / columns;  // integer division: the row
            const auto value = [](const float* values, std::ptrdiff_t i) { return static_cast<double>(values[i]); };
            const std::ptrdiff_t b = std::ptrdiff_t{4} * cell;
            const double w = std::exp(value(box, b + 2)) * stride;
            const double h = std::exp(value(box, b + 3)) * stride;
            OracleFace face{
                (x + value(box, b)) * stride - w / 2, (y + value(box, b + 1)) * stride - h / 2, w, h, score, {}};
            for (int p = 0; p < 5; ++p) {
                const std::ptrdiff_t k = std::ptrdiff_t{10} * cell + 2 * p;
                face.landmarks[2 * p] = (value(kps, k) + x) * stride;
                face.landmarks[2 * p + 1] = (value(kps, k + 1) + y) * stride;
            }
            faces.push_back(face);
        }
    }
}

// Decodes like Pytorch_Retinaface (layers/functions/prior_box.py, utils/box_utils.py), for input sizes that are multiples
// of 32.
void CnnOracle::decode_retinaface(const std::vector<cv::Mat>& outputs, int width, int height, double threshold,
                                  std::vector<OracleFace>& faces) {
    const float* tables[11] = {};  // by number of columns
    for (const cv::Mat& output : outputs) tables[output.size[2]] = output.ptr<float>();
    const auto value = [&](int columns, std::ptrdiff_t row, int column) {
        return static_cast<double>(tables[columns][row * columns + column]);
    };
    std::ptrdiff_t row = 0;
    for (int level = 0; level < 3; ++level) {
        const int stride = 8 << level;
        for (int y = 0; y < height / stride; ++y) {
            for (int x = 0; x < width / stride; ++x) {
                for (const int side : {16 << (2 * level), 32 << (2 * level)}) {
                    const double score = value(2, row, 1);
                    if (score >= threshold) {
                        const double center_x = (x + 0.5) * stride, center_y = (y + 0.5) * stride;
                        const double w = side * std::exp(value(4, row, 2) * 0.2);
                        const double h = side * std::exp(value(4, row, 3) * 0.2);
                        OracleFace face{center_x + value(4, row, 0) * 0.1 * side - w / 2,
                                        center_y + value(4, row, 1) * 0.1 * side - h / 2,
                                        w,
                                        h,
                                        score,
                                        {}};
                        for (int i = 0; i < 10; ++i) {
                            face.landmarks[i] = (i % 2 == 0 ? center_x : center_y) + value(10, row, i) * 0.1 * side;
                        }
                        faces.push_back(face);
                    }
                    ++row;
                }
            }
        }
    }
}

// Decodes the first class like Megvii's YOLOX (yolox/utils/demo_utils.py, demo_postprocess).
void CnnOracle::decode_yolox(const cv::Mat& rows, int width, int height, double threshold,
                             std::vector<OracleFace>& people) {
    const int columns = rows.size[2];
    const auto* row = rows.ptr<float>();
    for (const int stride : {8, 16, 32}) {
        for (int y = 0; y < height / stride; ++y) {
            for (int x = 0; x < width / stride; ++x, row += columns) {
                const double score = static_cast<double>(row[4]) * static_cast<double>(row[5]);
                if (score < threshold) continue;
                const double w = std::exp(static_cast<double>(row[2])) * stride;
                const double h = std::exp(static_cast<double>(row[3])) * stride;
                people.push_back({(static_cast<double>(row[0]) + x) * stride - w / 2,
                                  (static_cast<double>(row[1]) + y) * stride - h / 2,
                                  w,
                                  h,
                                  score,
                                  {}});
            }
        }
    }
}

std::vector<OracleFace> suppressed_by_opencv(const std::vector<OracleFace>& raw, double threshold, double iou) {
    std::vector<cv::Rect2d> boxes;
    std::vector<float> scores;
    for (const OracleFace& face : raw) {
        boxes.emplace_back(face.x, face.y, face.w, face.h);
        scores.push_back(static_cast<float>(face.score));
    }
    std::vector<int> kept;
    cv::dnn::NMSBoxes(boxes, scores, static_cast<float>(threshold), static_cast<float>(iou), kept);
    std::vector<OracleFace> faces;
    for (const int i : kept) faces.push_back(raw[static_cast<std::size_t>(i)]);
    return faces;
}

std::vector<OracleFace> CnnOracle::faces(const cv::Mat& bgr, double threshold, double iou) {
    return suppressed_by_opencv(raw(bgr, threshold), threshold, iou);
}

}  // namespace throng::test
