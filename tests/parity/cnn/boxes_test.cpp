// The boxes of the CPU detector equal those of OpenCV's DNN, which reads the file itself and is decoded independently.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "core/cpu/cnn_detector.h"
#include "core/detect/detector_kinds.h"
#include "core/detect/null_recorder.h"
#include "core/model/onnx.pb.h"
#include "core/model/onnx_reader.h"
#include "tests/support/cnn_oracle.h"
#include "tests/support/crowd_image.h"
#include "tests/support/onnx_maker.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

Frame frame_of(const cv::Mat& bgr) {
    FrameInfo info;
    info.width = bgr.cols;
    info.height = bgr.rows;
    info.format = PixelFormat::bgr24;
    const PlaneView planes[Frame::kMaxPlanes] = {
        {bgr.data, static_cast<std::ptrdiff_t>(bgr.step[0]), bgr.cols * 3, bgr.rows}, {}, {}};
    return Frame(info, planes, std::make_shared<cv::Mat>(bgr));
}

DetectionSet raw_of(Detector& detector, const Frame& frame) {
    DetectionBuffer raw = make_host_buffer(1 << 20, detector.optional_fields());
    NullRecorder recorder;
    detector.enqueue(frame, raw, recorder);
    DetectionSet set;
    copy_from_host_buffer(raw.span(), set);
    return set;
}

DetectorParams params_for(DetectorId kind, float threshold, bool letterbox) {
    DetectorParams params = detector_kind(kind).params;
    params.score_threshold = threshold;
    params.min_size = 10;
    params.max_size = static_cast<int>(kFaceReach.max_object);  // one scale: the unscaled image
    if (letterbox) {
        params.min_size = 1;
        params.max_size = 0;
        params.switches["input"] = "letterbox";
    }
    return params;
}

// Expects that every face of either list has a counterpart in the other. Faces close to a limit may lack one.
void expect_same(const DetectionSet& ours, const std::vector<test::OracleFace>& theirs, const DetectorParams& params,
                 bool landmarks) {
    const auto threshold = static_cast<double>(*params.score_threshold);
    const double max_side = params.max_size > 0 ? params.max_size : 1e9;
    std::size_t sure = 0;
    for (const test::OracleFace& face : theirs) {
        const double side = std::max(face.w, face.h);
        if (side > 10000) continue;  // random weights: beyond the range that core/algo/cnn_boxes.h accepts
        if (face.score < threshold + 1e-4 || side < params.min_size + 0.05 || side > max_side - 0.05) continue;
        ++sure;
        bool found = false;
        for (std::size_t i = 0; i < ours.detections.size() && !found; ++i) {
            const Detection& d = ours.detections[i];
            const double error = std::max(
                {std::abs(static_cast<double>(d.box.x) - face.x), std::abs(static_cast<double>(d.box.y) - face.y),
                 std::abs(static_cast<double>(d.box.w) - face.w), std::abs(static_cast<double>(d.box.h) - face.h)});
            found = error < 0.01 && std::abs(static_cast<double>(d.score) - face.score) < 1e-4;
            if (!found || !landmarks) continue;
            for (std::size_t k = 0; k < 10; ++k) {
                EXPECT_NEAR(static_cast<double>(ours.landmarks[i].xy[k]), face.landmarks[k], 0.05);
            }
        }
        EXPECT_TRUE(found) << face.x << " " << face.y << " " << face.w << "x" << face.h << " " << face.score;
    }
    EXPECT_GT(sure, 0U);
    EXPECT_GE(ours.detections.size(), sure);
    EXPECT_LE(ours.detections.size(), theirs.size());
}

cv::Mat noise(int width, int height) {
    cv::Mat bgr(height, width, CV_8UC3);
    cv::RNG random(20240607);
    random.fill(bgr, cv::RNG::UNIFORM, 0, 256);
    cv::GaussianBlur(bgr, bgr, cv::Size(9, 9), 0);
    return bgr;
}

struct Case {
    std::string model;
    int width, height;  // of the image; for a file with a fixed input size, that size
    bool letterbox;
};

// Returns models with random weights, and the published ones if they are available.
std::vector<Case> all_cases() {
    std::vector<Case> cases{{"tiny_yunet", 64, 64, true},     {"tiny_yunet", 330, 170, false},
                            {"tiny_ultraface", 64, 48, true}, {"tiny_retinaface", 64, 64, true},
                            {"tiny_yolox", 64, 64, true},     {"tiny_yolox", 330, 170, false}};
    if (test::data_dir()) {
        cases.insert(cases.end(), {{"yunet_n_320_320", 320, 320, true},
                                   {"yunet_n_640_640", 640, 640, true},
                                   {"yunet_n_640_640", 1024, 530, false},
                                   {"yunet_s_320_320", 800, 448, false},
                                   {"version-RFB-320", 320, 240, true},
                                   {"version-RFB-640", 640, 480, true},
                                   {"retinaface_mobilenet025", 640, 640, true},
                                   {"retinaface_mobilenet025", 640, 640, false},
                                   {"yolox_nano", 416, 416, true},
                                   {"yolox_nano", 1000, 660, false}});
    }
    return cases;
}

class CnnBoxes : public ::testing::TestWithParam<Case> {
protected:
    static bool has_random_weights() { return GetParam().model.starts_with("tiny_"); }

    // Returns the file of the model of this case.
    fs::path model() {
        const std::string& name = GetParam().model;
        if (!has_random_weights()) return *test::data_dir() / "models" / (name + ".onnx");
        const fs::path path = scratch_.path() / (name + ".onnx");
        const std::string bytes = test::bytes_of(name == "tiny_yunet"       ? test::tiny_yunet(11)
                                                 : name == "tiny_ultraface" ? test::tiny_ultraface(12)
                                                 : name == "tiny_yolox"     ? test::tiny_yolox(21)
                                                                            : test::tiny_retinaface(13));
        std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return path;
    }
    // Returns images in which the model finds something.
    static std::vector<test::NamedImage> images() {
        std::vector<test::NamedImage> images = test::crowd_and_photographs({"pif-reunion-19.jpg"}, true);
        if (has_random_weights()) {
            images.resize(1);
            if (GetParam().letterbox) images.push_back({"noise", noise(320, 200)});
        } else {
            images.erase(images.begin());  // the networks do not find drawn faces of this size
        }
        return images;
    }

    test::ScratchDir scratch_;
};

TEST_P(CnnBoxes, EqualOpenCV) {
    const Case& tested = GetParam();
    const float threshold = has_random_weights() ? 0.3F : 0.4F;
    const fs::path path = model();
    for (const auto& [name, image] : images()) {
        SCOPED_TRACE(name);
        cv::Mat bgr;
        cv::resize(image, bgr, cv::Size(tested.width, tested.height), 0, 0, cv::INTER_AREA);
        test::CnnOracle oracle(path);
        Network network = read_onnx(path);
        const DetectorParams params = params_for(detector_of_family(network.head.family), threshold, tested.letterbox);
        CnnDetector detector(std::move(network), params);
        expect_same(raw_of(detector, frame_of(bgr)), oracle.raw(bgr, static_cast<double>(threshold)), params,
                    oracle.has_landmarks());
    }
}

INSTANTIATE_TEST_SUITE_P(Models, CnnBoxes, ::testing::ValuesIn(all_cases()), [](const auto& tested) {
    std::string name = tested.param.model;
    std::replace(name.begin(), name.end(), '-', '_');
    return name + (tested.param.letterbox ? "" : "_native");
});

}  // namespace
}  // namespace throng
