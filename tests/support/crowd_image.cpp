#include "tests/support/crowd_image.h"

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

#include "core/synth/crowd.h"
#include "tests/support/fingerprint.h"
#include "tests/support/test_data.h"

namespace throng::test {

Frame crowd_frame() {
    constexpr std::uint64_t kExpected = 4653467757691195766U;
    CrowdOptions options;
    options.width = 1280;
    options.height = 720;
    Frame frame = Crowd(options).frame(0);
    const std::uint64_t found = fingerprint(frame);
    if (found != kExpected) {
        throw std::runtime_error("the drawn crowd of the tests has the fingerprint " + std::to_string(found) +
                                 ", not " + std::to_string(kExpected));
    }
    return frame;
}

cv::Mat crowd_image(bool color) {
    const Frame frame = crowd_frame();
    cv::Mat planes(frame.height() * 3 / 2, frame.width(), CV_8U);
    std::uint8_t* at = planes.data;
    for (int p = 0; p < 3; ++p) {
        const PlaneView& plane = frame.plane(p);
        for (int y = 0; y < plane.height; ++y, at += plane.width) {
            std::copy_n(plane.data + y * plane.pitch, plane.width, at);
        }
    }
    if (!color) return planes.rowRange(0, frame.height()).clone();
    cv::Mat bgr;
    cv::cvtColor(planes, bgr, cv::COLOR_YUV2BGR_I420);
    return bgr;
}

std::vector<NamedImage> crowd_and_photographs(const std::vector<std::string>& names, bool color) {
    std::vector<NamedImage> images{{"crowd", crowd_image(color)}};
    const auto data = data_dir();
    if (!data) return images;
    for (const std::string& name : names) {
        const std::filesystem::path file = *data / "photos" / name;
        images.push_back({name, cv::imread(file.string(), color ? cv::IMREAD_COLOR : cv::IMREAD_GRAYSCALE)});
        if (images.back().image.empty()) throw std::runtime_error(file.string() + ": cannot be read");
    }
    return images;
}

cv::Mat resized(const cv::Mat& image, int width) {
    cv::Mat result;
    cv::resize(image, result, {width, image.rows * width / image.cols}, 0, 0, cv::INTER_AREA);
    return result;
}

}  // namespace throng::test
