// On images of people the CUDA detector gives the CPU's detections: on the drawn crowd with models of random weights, and
// on photographs with the published models if they are available.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "core/cpu/cpu_backend.h"
#include "core/model/onnx.pb.h"
#include "core/video/image_file.h"
#include "gpu/backend.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/crowd_image.h"
#include "tests/support/onnx_maker.h"
#include "tests/support/test_data.h"

namespace throng::test {
namespace {

struct Case {
    std::string model;
    std::string photo;  // or "crowd"
    const char* input;
    bool half;
};

std::string case_name(const testing::TestParamInfo<Case>& info) {
    std::string name =
        info.param.model + "_" + info.param.photo + "_" + info.param.input + (info.param.half ? "_fp16" : "_fp32");
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
}

DetectionSet detect(Backend& backend, const DetectorParams& params, const Frame& frame) {
    const auto detector = backend.make_detector(params);
    const auto recorder = backend.make_recorder();
    DetectionBuffer raw = backend.make_buffer(1 << 16, detector->optional_fields());
    detector->enqueue(frame, raw, *recorder);
    DetectionSet set;
    backend.download(raw, set);
    return set;
}

double distance(const Box& a, const Box& b) {
    return static_cast<double>(
        std::max({std::abs(a.x - b.x), std::abs(a.y - b.y), std::abs(a.w - b.w), std::abs(a.h - b.h)}));
}

class CnnPhoto : public GpuTest, public testing::WithParamInterface<Case> {
protected:
    // Returns the file of the model of this case.
    std::filesystem::path model() {
        const std::string& name = GetParam().model;
        if (!name.starts_with("tiny_")) return *data_dir() / "models" / name;
        const std::string bytes = bytes_of(name == "tiny_yunet.onnx"       ? tiny_yunet(11)
                                           : name == "tiny_ultraface.onnx" ? tiny_ultraface(12)
                                           : name == "tiny_yolox.onnx"     ? tiny_yolox(21)
                                                                           : tiny_retinaface(13));
        std::ofstream(scratch_.path() / name, std::ios::binary)
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return scratch_.path() / name;
    }

    ScratchDir scratch_;
};

TEST_P(CnnPhoto, MatchesTheCpu) {
    if (IsSkipped()) return;
    const Case& param = GetParam();
    const Frame frame = param.photo == "crowd" ? crowd_frame() : load_image(*data_dir() / "photos" / param.photo).frame;
    DetectorParams params;
    params.kind = param.model.find("yolox") == std::string::npos ? DetectorId::cnn : DetectorId::person;
    params.model = model().string();
    params.min_size = 10;
    params.scale_factor = 4;
    params.score_threshold = 0.4F;
    params.switches["input"] = param.input;
    const auto cpu = make_cpu_backend();
    const auto cuda = make_cuda_backend(0);
    const DetectionSet expected = detect(*cpu, params, frame);
    params.half = param.half;
    const DetectionSet found = detect(*cuda, params, frame);

    const double pixels = param.half ? 1.0 : 0.5;
    // SiLU is exponential: its rounding grows along YOLOX's layers. Measured on an H200: 1.3e-2.
    const double score = !param.half ? 1e-3 : params.kind == DetectorId::person ? 2e-2 : 1e-2;
    // Random weights give boxes of 100,000 pixels, whose rounding exceeds any fixed distance.
    constexpr double kRounding = 1e-5;  // of the size of a box
    const auto check = [&](const DetectionSet& those, const DetectionSet& among) {
        for (const Detection& d : those.detections) {
            if (d.score < 0.5F) continue;
            const bool there = std::any_of(among.detections.begin(), among.detections.end(), [&](const Detection& o) {
                const double size = static_cast<double>(std::max(d.box.w, d.box.h));
                return distance(d.box, o.box) <= pixels + kRounding * size &&
                       std::abs(static_cast<double>(d.score) - static_cast<double>(o.score)) <= score;
            });
            EXPECT_TRUE(there) << d.score << " at " << d.box.x << ", " << d.box.y << ", " << d.box.w << " x "
                               << d.box.h;
        }
    };
    check(expected, found);
    check(found, expected);
    EXPECT_GT(found.detections.size(), 0U);
    EXPECT_EQ(found.landmarks.size(), expected.landmarks.size() == 0 ? 0 : found.detections.size());
}

std::vector<Case> all_cases() {
    std::vector<Case> cases{{"tiny_yunet.onnx", "crowd", "native", false},
                            {"tiny_yunet.onnx", "crowd", "letterbox", false},
                            {"tiny_ultraface.onnx", "crowd", "letterbox", false},
                            {"tiny_retinaface.onnx", "crowd", "native", false},
                            {"tiny_yolox.onnx", "crowd", "native", false}};
    if (data_dir()) {
        cases.insert(cases.end(), {{"yunet_n_dynamic.onnx", "pif-reunion-19.jpg", "native", false},
                                   {"yunet_n_dynamic.onnx", "pif-reunion-19.jpg", "native", true},
                                   {"yunet_n_640_640.onnx", "18F-IRL-2016.jpg", "letterbox", false},
                                   {"yunet_n_640_640.onnx", "18F-IRL-2016.jpg", "letterbox", true},
                                   {"yunet_s_320_320.onnx", "roth-selfie.jpg", "native", false},
                                   {"yunet_s_320_320.onnx", "roth-selfie.jpg", "native", true},
                                   {"version-RFB-640.onnx", "ca-team.jpg", "letterbox", false},
                                   {"version-RFB-640.onnx", "ca-team.jpg", "native", true},
                                   {"version-RFB-320.onnx", "roth-selfie.jpg", "letterbox", false},
                                   {"retinaface_mobilenet025.onnx", "18F-IRL-2016.jpg", "native", false},
                                   {"retinaface_mobilenet025.onnx", "18F-IRL-2016.jpg", "native", true},
                                   {"yolox_nano.onnx", "det_15673749081_767a7fa63a_k.jpg", "native", false},
                                   {"yolox_nano.onnx", "det_33823288584_1d21cf0a26_k.jpg", "native", true},
                                   {"yolox_nano.onnx", "ca-team.jpg", "letterbox", false}});
    }
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Models, CnnPhoto, testing::ValuesIn(all_cases()), case_name);

}  // namespace
}  // namespace throng::test
