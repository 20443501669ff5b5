// A linear SVM over histograms of oriented gradients.
#pragma once

#include <string>
#include <vector>

#include "core/algo/hog.h"

namespace throng {

struct HogModel {
    std::string name;
    // [block column 7][block row 15][value 36], the order of cv::HOGDescriptor::compute.
    std::vector<float> weights;
    float bias = 0;     // margin = bias + sum of weights * values; positive for people
    bool gamma = true;  // gradients of the square roots of the pixels, as in the training of OpenCV's people detector
};

// model: empty for OpenCV's default people detector (HOGDescriptor::getDefaultPeopleDetector, from the linked library),
// or a file written by cv::HOGDescriptor::save. Throws Error(unavailable) if the file does not exist. Throws
// Error(input) if it is broken or has a different window, cells, blocks or bins.
[[nodiscard]] HogModel read_hog_model(const std::string& model);

}  // namespace throng
