#include "core/model/hog_model.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <opencv2/objdetect.hpp>
#include <string_view>

#include "core/base/error.h"

namespace throng {
namespace {

constexpr std::string_view kDefaultName = "OpenCV's default people detector";

HogModel from_coefficients(const std::vector<float>& coefficients, const std::string& name, bool gamma) {
    const auto count = static_cast<std::size_t>(kHogWeights);
    if (coefficients.size() != count && coefficients.size() != count + 1) {
        throw Error(ErrorKind::input, {"has %1 SVM coefficients instead of %2 or one more", coefficients.size(), count},
                    name, "use a detector trained for a window of 64x128 pixels");
    }
    if (!std::all_of(coefficients.begin(), coefficients.end(), [](float v) { return std::isfinite(v); })) {
        throw Error(ErrorKind::input, "has SVM coefficients that are not finite", name);
    }
    HogModel model;
    model.name = name;
    model.weights.assign(coefficients.begin(), coefficients.begin() + kHogWeights);
    model.bias = coefficients.size() > count ? coefficients.back() : 0.0F;
    model.gamma = gamma;
    return model;
}

HogModel from_file(const std::string& file) {
    if (!std::filesystem::is_regular_file(file)) {
        throw Error(ErrorKind::unavailable, "HOG model not found", file,
                    {"omit %1 to use OpenCV's people detector, or name a file written by cv::HOGDescriptor::save",
                     Setting{"model"}});
    }
    cv::HOGDescriptor hog;
    bool read = false;
    try {
        read = hog.load(file);
    } catch (const cv::Exception& problem) {
        throw Error(
            ErrorKind::input, {"cannot be read as an OpenCV HOG descriptor: %1", problem.err}, file,
            {"name a file written by cv::HOGDescriptor::save, or use %1 for a network", Setting{"detector", "person"}});
    }
    if (!read) throw Error(ErrorKind::input, "contains no OpenCV HOG descriptor", file);
    const bool fits = hog.winSize == cv::Size(kHogWindowWidth, kHogWindowHeight) &&
                      hog.blockSize == cv::Size(kHogBlock, kHogBlock) &&
                      hog.blockStride == cv::Size(kHogCell, kHogCell) && hog.cellSize == cv::Size(kHogCell, kHogCell) &&
                      hog.nbins == kHogBins && !hog.signedGradient &&
                      std::fabs(hog.getWinSigma() - static_cast<double>(kHogSigma)) < 1e-6 &&
                      std::fabs(hog.L2HysThreshold - static_cast<double>(kHogClip)) < 1e-6;
    if (!fits) {
        throw Error(ErrorKind::input, "is a HOG descriptor with unsupported parameters", file,
                    "required: window 64x128, blocks 16x16 every 8 pixels, cells 8x8, 9 unsigned bins, sigma 4, "
                    "L2-Hys at 0.2");
    }
    return from_coefficients(hog.svmDetector, file, hog.gammaCorrection);
}

}  // namespace

HogModel read_hog_model(const std::string& model) {
    if (!model.empty()) return from_file(model);
    return from_coefficients(cv::HOGDescriptor::getDefaultPeopleDetector(), std::string(kDefaultName), true);
}

}  // namespace throng
