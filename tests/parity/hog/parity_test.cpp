// Descriptors, margins and windows equal those of cv::HOGDescriptor on the same gray image.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>
#include <tuple>

#include "core/cpu/hog_detector.h"
#include "core/detect/null_recorder.h"
#include "tests/support/crowd_image.h"
#include "tests/support/random.h"

namespace throng::test {
namespace {

constexpr float kTolerance = 1e-4F;

Frame frame_of(const cv::Mat& gray) {
    FrameInfo info;
    info.width = gray.cols;
    info.height = gray.rows;
    const auto keep = std::make_shared<cv::Mat>(gray);
    const PlaneView planes[Frame::kMaxPlanes] = {
        {keep->data, static_cast<std::ptrdiff_t>(keep->step), gray.cols, gray.rows}};
    return Frame(info, planes, keep);
}

cv::Mat noise(std::uint64_t start, int width, int height, int blur) {
    cv::Mat image(height, width, CV_8U);
    cv::RNG random(start);
    random.fill(image, cv::RNG::UNIFORM, 0, 256);
    if (blur > 1) {
        cv::blur(image, image, {blur, blur});
        cv::normalize(image, image, 0, 255, cv::NORM_MINMAX);
    }
    return image;
}

cv::Mat ramp(int width, int height) {
    cv::Mat image(height, width, CV_8U);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) image.at<std::uint8_t>(y, x) = static_cast<std::uint8_t>(x + 2 * y);
    }
    return image;
}

DetectorParams params_of(double factor, int min_size, int max_size, float threshold) {
    DetectorParams params;
    params.kind = DetectorId::hog;
    params.scale_factor = factor;
    params.min_size = min_size;
    params.max_size = max_size;
    params.score_threshold = threshold;
    params.threads = 2;
    return params;
}

DetectionSet detect(HogDetector& detector, const cv::Mat& image) {
    DetectionBuffer raw = make_host_buffer(1 << 18);
    NullRecorder recorder;
    detector.enqueue(frame_of(image), raw, recorder);
    DetectionSet set;
    copy_from_host_buffer(raw.span(), set);
    EXPECT_EQ(set.overflow(), 0U);
    return set;
}

cv::HOGDescriptor people() {
    cv::HOGDescriptor hog;
    hog.setSVMDetector(cv::HOGDescriptor::getDefaultPeopleDetector());
    return hog;
}

// Returns the maximum difference of the descriptors of all windows of scale 1, converted to the same layout.
float max_difference_of(const cv::HOGDescriptor& hog, const HogDetector& detector, const cv::Mat& image,
                        std::size_t index) {
    std::vector<float> theirs;
    hog.compute(image, theirs, {kHogCell, kHogCell}, {0, 0});
    const HogLevel level = detector.levels().at(index);
    const std::vector<float> blocks = detector.blocks(index);
    EXPECT_EQ(theirs.size(), static_cast<std::size_t>(level.columns * level.rows * kHogWeights));
    float max_difference = 0;
    std::size_t at = 0;
    for (int y = 0; y < level.rows; ++y) {
        for (int x = 0; x < level.columns; ++x) {
            for (int i = 0; i < kHogWeights; ++i, ++at) {
                const int column = x + i / kHogBlockValues / kHogRows;
                const int row = y + i / kHogBlockValues % kHogRows;
                const int offset = (row * kHogBlockValues + i % kHogBlockValues) * level.block_columns + column;
                max_difference =
                    std::max(max_difference, std::fabs(theirs[at] - blocks[static_cast<std::size_t>(offset)]));
            }
        }
    }
    return max_difference;
}

TEST(HogParity, DescriptorsEqualOpenCV) {
    const std::uint64_t start = seed(60);
    const cv::Mat images[] = {noise(start, 96, 160, 1),      noise(start + 1, 201, 143, 3),
                              noise(start + 2, 64, 128, 5),  ramp(130, 190),
                              noise(start + 3, 333, 260, 9), cv::Mat(140, 100, CV_8U, cv::Scalar(77))};
    for (const bool gamma : {true, false}) {
        cv::HOGDescriptor hog = people();
        hog.gammaCorrection = gamma;
        HogModel model = read_hog_model("");
        model.gamma = gamma;
        HogDetector detector(model, params_of(1.05, 128, 128, 0));
        for (const cv::Mat& image : images) {
            detect(detector, image);
            EXPECT_LT(max_difference_of(hog, detector, image, 0), kTolerance) << image.cols << " gamma " << gamma;
        }
    }
}

// Returns OpenCV's windows of one level, with any margin.
std::map<std::tuple<int, int>, double> level_windows(const cv::HOGDescriptor& hog, const cv::Mat& image) {
    std::vector<cv::Point> locations;
    std::vector<double> margins;
    hog.detect(image, locations, margins, -1e9, {kHogCell, kHogCell}, {0, 0});
    std::map<std::tuple<int, int>, double> windows;
    for (std::size_t i = 0; i < locations.size(); ++i) windows[{locations[i].x, locations[i].y}] = margins[i];
    return windows;
}

// Expects the same windows above the threshold in the whole pyramid, except those within the tolerance of it.
void expect_same_windows(const cv::Mat& image, double factor, int min_size, float threshold) {
    const cv::HOGDescriptor hog = people();
    HogDetector detector(read_hog_model(""), params_of(factor, min_size, 0, threshold));
    const DetectionSet ours = detect(detector, image);
    std::map<std::tuple<float, float, float>, float> found;
    for (const Detection& d : ours.detections) found[{d.box.x, d.box.y, d.box.h}] = d.score;
    EXPECT_EQ(found.size(), ours.detections.size());
    std::size_t matched = 0;
    for (const HogLevel& level : detector.levels()) {
        cv::Mat resized;
        cv::resize(image, resized, {level.width, level.height}, 0, 0, cv::INTER_LINEAR_EXACT);
        const auto windows = level_windows(hog, resized);
        EXPECT_EQ(windows.size(), static_cast<std::size_t>(level.columns * level.rows));
        for (const auto& [location, margin] : windows) {
            const auto& [x, y] = location;
            const Box box = hog_box(level.scale, level.box_width, level.box_height, x / kHogCell, y / kHogCell);
            const auto mine = found.find({box.x, box.y, box.h});
            if (mine != found.end()) {
                ++matched;
                EXPECT_NEAR(static_cast<double>(mine->second), margin, static_cast<double>(kTolerance));
            } else {
                EXPECT_LT(margin, static_cast<double>(threshold + kTolerance)) << x << "," << y << " " << level.scale;
            }
        }
    }
    EXPECT_EQ(matched, found.size());
    EXPECT_TRUE(threshold >= 0 || matched > 0);
}

TEST(HogParity, MarginsOfAllWindowsEqualOpenCV) {
    const std::uint64_t start = seed(61);
    expect_same_windows(noise(start, 310, 290, 3), 1.05, 128, -1e6F);
    expect_same_windows(noise(start + 1, 200, 150, 2), 1.2, 64, -1e6F);  // enlarged, too
    expect_same_windows(noise(start + 2, 64, 128, 4), 1.3, 128, -1e6F);
}

TEST(HogParity, WindowsAboveTheThresholdEqualOpenCV) {
    for (const auto& [name, image] :
         crowd_and_photographs({"roth-selfie.jpg", "det_33823288584_1d21cf0a26_k.jpg", "pif-reunion-19.jpg"}, false)) {
        SCOPED_TRACE(name);
        for (const float threshold : {-1.0F, 0.0F}) expect_same_windows(resized(image, 640), 1.05, 128, threshold);
    }
}

// Expects that the pyramid and the boxes equal those of detectMultiScale.
void expect_same_boxes(const cv::Mat& image) {
    const cv::HOGDescriptor hog = people();
    std::vector<cv::Rect> theirs;
    std::vector<double> margins;
    // A final threshold of 0 disables grouping.
    hog.detectMultiScale(image, theirs, margins, -0.5, {kHogCell, kHogCell}, {0, 0}, 1.05, 0.0);
    HogDetector detector(read_hog_model(""), params_of(1.05, 128, 0, -0.5F));
    const DetectionSet ours = detect(detector, image);
    using Key = std::tuple<int, int, int, int>;
    std::map<Key, double> known;
    for (std::size_t i = 0; i < theirs.size(); ++i) {
        known[{theirs[i].x, theirs[i].y, theirs[i].width, theirs[i].height}] = margins[i];
    }
    EXPECT_GT(known.size(), 30U);
    const auto is_borderline = [](double margin) { return margin < -0.5 + static_cast<double>(kTolerance); };
    for (const Detection& d : ours.detections) {
        const Key key{static_cast<int>(d.box.x), static_cast<int>(d.box.y), static_cast<int>(d.box.w),
                      static_cast<int>(d.box.h)};
        const auto found = known.find(key);
        if (found == known.end()) {
            EXPECT_TRUE(is_borderline(static_cast<double>(d.score))) << d.score;
            continue;
        }
        EXPECT_NEAR(found->second, static_cast<double>(d.score), static_cast<double>(kTolerance));
        known.erase(found);
    }
    for (const auto& [key, margin] : known) EXPECT_TRUE(is_borderline(margin)) << margin;
}

TEST(HogParity, BoxesEqualDetectMultiScale) {
    for (const auto& [name, image] : crowd_and_photographs({"det_33823288584_1d21cf0a26_k.jpg"}, false)) {
        SCOPED_TRACE(name);
        expect_same_boxes(resized(image, 640));
    }
}

}  // namespace
}  // namespace throng::test
