// The boxes of the CPU detector equal those of OpenCV's DNN, which reads the file itself and is decoded independently.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <random>

#include "core/cpu/cnn_detector.h"
#include "core/detect/detector_kinds.h"
#include "core/detect/null_recorder.h"
#include "core/model/onnx.pb.h"
#include "core/model/onnx_reader.h"
#include "tests/support/cnn_oracle.h"
#include "tests/support/onnx_maker.h"
#include "tests/support/random.h"
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

DetectorParams params_for(float threshold, bool letterbox) {
    DetectorParams params = detector_kind("cnn").params;
    params.score_threshold = threshold;
    params.min_size = 10;
    params.max_size = static_cast<int>(kMaxFace);  // one scale: the unscaled image
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
            found = error < 0.05 && std::abs(static_cast<double>(d.score) - face.score) < 1e-3;
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

class TinyModel : public ::testing::Test {
protected:
    fs::path write(const onnx::ModelProto& model) {
        const fs::path path = scratch_.path() / "tiny.onnx";
        const std::string bytes = test::bytes_of(model);
        std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return path;
    }
    static cv::Mat noise(int width, int height) {
        cv::Mat bgr(height, width, CV_8UC3);
        cv::RNG random(20240607);
        random.fill(bgr, cv::RNG::UNIFORM, 0, 256);
        cv::GaussianBlur(bgr, bgr, cv::Size(9, 9), 0);
        return bgr;
    }

    test::ScratchDir scratch_;
};

TEST_F(TinyModel, YunetAtItsNativeSize) {
    const fs::path path = write(test::tiny_yunet(11));
    test::CnnOracle oracle(path);
    const cv::Mat bgr = noise(64, 64);
    const DetectorParams params = params_for(0.3F, true);
    CnnDetector detector(read_onnx(path), params);
    expect_same(raw_of(detector, frame_of(bgr)), oracle.raw(bgr, 0.3), params, true);
}

TEST_F(TinyModel, UltraFaceAtItsNativeSize) {
    const fs::path path = write(test::tiny_ultraface(12));
    test::CnnOracle oracle(path);
    const cv::Mat bgr = noise(64, 48);
    const DetectorParams params = params_for(0.3F, true);
    CnnDetector detector(read_onnx(path), params);
    expect_same(raw_of(detector, frame_of(bgr)), oracle.raw(bgr, 0.3), params, false);
}

struct Published {
    const char* model;
    int width, height;  // of the image; for a file with a fixed input size, that size
    bool letterbox;
};

class PublishedModel : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedModel, BoxesEqualOpenCV) {
    const Published& tested = GetParam();
    TH_NEED(data, test::data_dir(), "test data");
    const fs::path path = data / "models" / (std::string(tested.model) + ".onnx");
    const cv::Mat photo = cv::imread((data / "photos/pif-reunion-19.jpg").string());
    ASSERT_FALSE(photo.empty());
    cv::Mat bgr;
    cv::resize(photo, bgr, cv::Size(tested.width, tested.height), 0, 0, cv::INTER_AREA);
    test::CnnOracle oracle(path);
    const DetectorParams params = params_for(0.4F, tested.letterbox);
    CnnDetector detector(read_onnx(path), params);
    expect_same(raw_of(detector, frame_of(bgr)), oracle.raw(bgr, 0.4), params, oracle.is_yunet());
}

INSTANTIATE_TEST_SUITE_P(
    Models, PublishedModel,
    ::testing::Values(Published{"yunet_n_320_320", 320, 320, true}, Published{"yunet_n_640_640", 640, 640, true},
                      Published{"yunet_n_640_640", 1024, 530, false}, Published{"yunet_s_320_320", 800, 448, false},
                      Published{"version-RFB-320", 320, 240, true}, Published{"version-RFB-640", 640, 480, true}),
    [](const auto& tested) {
        std::string name = tested.param.model;
        std::replace(name.begin(), name.end(), '-', '_');
        return name + (tested.param.letterbox ? "" : "_native");
    });

}  // namespace
}  // namespace throng
