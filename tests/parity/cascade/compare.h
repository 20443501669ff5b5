// Compares accepted windows with cv::CascadeClassifier without grouping (minNeighbors 0).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <opencv2/core.hpp>
#include <opencv2/core/ocl.hpp>
#include <opencv2/objdetect.hpp>
#include <random>
#include <string>
#include <vector>

#include "core/cpu/cascade_detector.h"
#include "core/cpu/cpu_recorder.h"
#include "core/frame/frame.h"
#include "core/model/cascade_xml.h"

namespace throng::test {

struct ParityModel {
    DetectorId kind;
    const char* file;
};

// The cascades of opencv-data for which parity is guaranteed.
inline constexpr std::array<ParityModel, 9> kParityModels = {{
    {DetectorId::haar, "haarcascade_frontalface_alt.xml"},
    {DetectorId::haar, "haarcascade_frontalface_alt2.xml"},
    {DetectorId::haar, "haarcascade_frontalface_default.xml"},
    {DetectorId::haar, "haarcascade_frontalface_alt_tree.xml"},
    {DetectorId::haar, "haarcascade_profileface.xml"},
    {DetectorId::haar, "haarcascade_eye.xml"},
    {DetectorId::lbp, "lbpcascade_frontalface.xml"},
    {DetectorId::lbp, "lbpcascade_frontalface_improved.xml"},
    {DetectorId::lbp, "lbpcascade_profileface.xml"},
}};

struct WindowParity {
    std::size_t ours = 0, theirs = 0, common = 0;

    WindowParity& operator+=(const WindowParity& other) {
        ours += other.ours;
        theirs += other.theirs;
        common += other.common;
        return *this;
    }
    // Returns the percentage of common windows among all windows that either implementation accepts.
    [[nodiscard]] double percent() const {
        const std::size_t either = ours + theirs - common;
        return either == 0 ? 100.0 : 100.0 * static_cast<double>(common) / static_cast<double>(either);
    }
};

// Returns a view: the image must outlive the frame.
inline Frame frame_of(const cv::Mat& gray) {
    FrameInfo info;
    info.width = gray.cols;
    info.height = gray.rows;
    PlaneView planes[Frame::kMaxPlanes];
    planes[0] = {gray.data, static_cast<std::ptrdiff_t>(gray.step), gray.cols, gray.rows};
    return Frame(info, planes, nullptr);
}

// One cascade in both implementations.
class ParityPair {
public:
    ParityPair(const std::filesystem::path& file, DetectorId kind) : ours_(read_cascade(file), params_of(kind)) {
        cv::ocl::setUseOpenCL(false);
        params_ = params_of(kind);
        if (!theirs_.load(file.string())) throw std::runtime_error("OpenCV cannot load " + file.string());
    }

    WindowParity compare(const cv::Mat& gray, double factor, int min_size, int max_size) {
        params_.scale_factor = factor;
        params_.min_size = min_size;
        params_.max_size = max_size;
        ours_.configure(params_);
        CpuRecorder recorder;
        ours_.enqueue(frame_of(gray), raw_, recorder);
        std::vector<cv::Rect> ours;
        for (std::uint32_t i = 0; i < raw_.span().count->total; ++i) {
            const Box b = raw_.span().boxes[i];
            ours.emplace_back(static_cast<int>(b.x), static_cast<int>(b.y), static_cast<int>(b.w),
                              static_cast<int>(b.h));
        }
        std::vector<cv::Rect> theirs;
        theirs_.detectMultiScale(gray, theirs, factor, 0, 0, cv::Size(min_size, min_size),
                                 cv::Size(max_size, max_size));

        const auto before = [](const cv::Rect& a, const cv::Rect& b) {
            return std::array{a.x, a.y, a.width, a.height} < std::array{b.x, b.y, b.width, b.height};
        };
        std::sort(ours.begin(), ours.end(), before);
        std::sort(theirs.begin(), theirs.end(), before);
        std::vector<cv::Rect> common;
        std::set_intersection(ours.begin(), ours.end(), theirs.begin(), theirs.end(), std::back_inserter(common),
                              before);
        return {ours.size(), theirs.size(), common.size()};
    }

private:
    static DetectorParams params_of(DetectorId kind) {
        DetectorParams params;
        params.kind = kind;
        return params;
    }

    DetectorParams params_;
    CascadeDetector ours_;
    cv::CascadeClassifier theirs_;
    DetectionBuffer raw_ = make_host_buffer(1 << 20);
};

// Test images without photographs of people.
inline cv::Mat noise_image(std::uint64_t seed, int width, int height, int grain) {
    std::mt19937_64 random(seed);
    cv::Mat image(height, width, CV_8U);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            image.at<std::uint8_t>(y, x) = x % grain != 0   ? image.at<std::uint8_t>(y, x - 1)
                                           : y % grain != 0 ? image.at<std::uint8_t>(y - 1, x)
                                                            : static_cast<std::uint8_t>(random());
        }
    }
    return image;
}

inline cv::Mat gradient_image(int width, int height) {
    cv::Mat image(height, width, CV_8U);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            image.at<std::uint8_t>(y, x) =
                static_cast<std::uint8_t>(x * 255 / width / 2 + y * 255 / height / 2 + (x / 37 + y / 53) % 2);
        }
    }
    return image;
}

// Dark ellipses on light ones, which frontal cascades detect as faces.
inline cv::Mat drawn_faces(std::uint64_t seed, int width, int height) {
    std::mt19937_64 random(seed);
    cv::Mat image(height, width, CV_8U, cv::Scalar(90));
    const auto ellipse = [&](double cx, double cy, double rx, double ry, int value) {
        for (int y = std::max(0, static_cast<int>(cy - ry)); y < std::min(height, static_cast<int>(cy + ry)); ++y) {
            for (int x = std::max(0, static_cast<int>(cx - rx)); x < std::min(width, static_cast<int>(cx + rx)); ++x) {
                const double u = (x - cx) / rx;
                const double v = (y - cy) / ry;
                if (u * u + v * v < 1) image.at<std::uint8_t>(y, x) = static_cast<std::uint8_t>(value);
            }
        }
    };
    for (int face = 0; face < 12; ++face) {
        const double r = 15 + static_cast<double>(random() % 60);
        const double x = static_cast<double>(random() % static_cast<std::uint64_t>(width));
        const double y = static_cast<double>(random() % static_cast<std::uint64_t>(height));
        ellipse(x, y, r, 1.3 * r, 190);
        for (const int side : {-1, 1}) {
            ellipse(x + side * 0.4 * r, y - 0.25 * r, 0.25 * r, 0.12 * r, 60);
            ellipse(x + side * 0.4 * r, y - 0.5 * r, 0.3 * r, 0.07 * r, 70);
        }
        ellipse(x, y + 0.7 * r, 0.4 * r, 0.1 * r, 100);
    }
    return image;
}

}  // namespace throng::test
