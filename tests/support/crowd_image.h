// Images of people for comparisons: the drawn crowd always, and private photographs where they are.
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "core/frame/frame.h"

namespace throng::test {

// Returns a frame of 60 drawn people, 1280x720. Throws std::runtime_error if its bytes have changed: what was measured
// and recorded on them is then to be looked at again.
[[nodiscard]] Frame crowd_frame();

// Returns that frame in gray, the luma plane, or in BGR.
[[nodiscard]] cv::Mat crowd_image(bool color);

struct NamedImage {
    std::string name;
    cv::Mat image;
};

// Returns the drawn crowd, and those of the named photographs if data_dir() has them.
[[nodiscard]] std::vector<NamedImage> crowd_and_photographs(const std::vector<std::string>& names, bool color);

// Returns the image enlarged or reduced to this width.
[[nodiscard]] cv::Mat resized(const cv::Mat& image, int width);

}  // namespace throng::test
