#include "core/model/model_catalogue.h"

#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/detect/detector_kinds.h"

namespace throng {
namespace {

constexpr std::string_view kWiderFace = "WIDER FACE, whose terms allow non-commercial research only";

#define TH_YUNET_ADDRESS "https://github.com/ShiqiYu/libfacedetection.train/raw/0047ac24afb1/onnx/"
#define TH_ULTRAFACE_ADDRESS \
    "https://github.com/Linzaer/Ultra-Light-Fast-Generic-Face-Detector-1MB/raw/dffdddda9794/models/onnx/"
#define TH_ZOO_ADDRESS "https://github.com/opencv/opencv_zoo/raw/82b38c8f98e7b52aa171400f3e4c722352d0669f/models/"

RecommendedModel yunet(std::string_view name, int half_from, std::string_view help, std::string_view address,
                       std::uint64_t size, std::string_view sha256) {
    return {name, DetectorId::cnn, help,     "Apache-2.0", kWiderFace, "Shiqi Yu, libfacedetection.train", address, "",
            size, sha256,          half_from};
}

RecommendedModel ultraface(std::string_view name, int half_from, std::string_view help, std::string_view address,
                           std::uint64_t size, std::string_view sha256) {
    return {name,       DetectorId::cnn,
            help,       "MIT",
            kWiderFace, "Linzaer, Ultra-Light-Fast-Generic-Face-Detector-1MB",
            address,    "",
            size,       sha256,
            half_from};
}

RecommendedModel cascade(std::string_view name, int half_from, DetectorId kind, std::string_view help) {
    return {name,          kind, help, "Intel (BSD-like)", "photographs that were not published", "OpenCV", "",
            "opencv-data", 0,    "",   half_from};
}

}  // namespace

const std::vector<RecommendedModel>& recommended_models() {
    static const std::vector<RecommendedModel> kModels{
        yunet("yunet_n_dynamic", 10, "YuNet-n with five landmarks: the most accurate of these",
              TH_YUNET_ADDRESS "yunet_n_dynamic.onnx", 322906,
              "104ee26c71d5c270ce79a6b3dced91c91013260d29a6bf18f9296c5b8c4c2b12"),
        yunet("yunet_n_640_640", 10, "the same model; letterbox size 640x640", TH_YUNET_ADDRESS "yunet_n_640_640.onnx",
              317466, "25a606a145a5b6d7271ae138fbd00eba91dad8b83222ae3f2c7ecd0f4a7b0e31"),
        yunet("yunet_n_320_320", 10, "the same model; letterbox size 320x320", TH_YUNET_ADDRESS "yunet_n_320_320.onnx",
              317434, "81dbde155e982455488235acb8ec2dec5d647edf7cf7080d33e4abb69b93a0d2"),
        yunet("yunet_s_320_320", 12, "YuNet-s: two thirds of the computation, slightly less accurate",
              TH_YUNET_ADDRESS "yunet_s_320_320.onnx", 232557,
              "beb05bf2378aee45cd7c41056da07265b7bb91041ed1b06f923819a9c744ec36"),
        {"face_detection_yunet_2023mar", DetectorId::cnn, "YuNet as OpenCV Zoo publishes it", "MIT", kWiderFace,
         "OpenCV Zoo", TH_ZOO_ADDRESS "face_detection_yunet/face_detection_yunet_2023mar.onnx", "", 232589,
         "8f2383e4dd3cfbb4553ea8718107fc0423210dc964f9f4280604804ed2552fa4"},
        ultraface("version-RFB-640", 16, "UltraFace RFB, trained at 640x480",
                  TH_ULTRAFACE_ADDRESS "version-RFB-640.onnx", 1588012,
                  "8f4c659275977e7a3bfbfa339a9c769ad793df50f9c0baa8c14b11baa1646430"),
        ultraface("version-RFB-320", 48, "UltraFace RFB, trained at 320x240",
                  TH_ULTRAFACE_ADDRESS "version-RFB-320.onnx", 1270727,
                  "34cd7e60aeff28744c657de7a3dc64e872d506741de66987f3426f2b79f88017"),
        {"yolox_nano", DetectorId::person, "YOLOX-Nano: people in any posture", "Apache-2.0",
         "COCO, whose annotations are under CC BY 4.0 and whose photographs belong to their authors",
         "Megvii, in Kazuhito00/YOLOX-ONNX-TFLite-Sample",
         "https://github.com/Kazuhito00/YOLOX-ONNX-TFLite-Sample/raw/3d4f111/model/yolox_nano.onnx", "", 3660092,
         "695e750a5d5754bb5a8d5325643b59282191a7e7a564e435a415fd3c578eab14"},
        cascade("haarcascade_frontalface_alt2", 24, DetectorId::haar, "frontal faces, the default of --detector haar"),
        cascade("lbpcascade_frontalface", 24, DetectorId::lbp, "frontal faces, the default of --detector lbp"),
    };
    return kModels;
}

const RecommendedModel& recommended_network() {
    return recommended_model(detector_kind(DetectorId::cnn).default_models.front());
}

const RecommendedModel& recommended_model(std::string_view name) {
    const std::vector<RecommendedModel>& models = recommended_models();
    const auto found = std::find_if(models.begin(), models.end(), [&](const auto& m) { return m.name == name; });
    if (found != models.end()) return *found;
    std::vector<std::string> names;
    names.reserve(models.size());
    for (const RecommendedModel& model : models) names.emplace_back(model.name);
    const std::string meant = closest_name(std::string(name), names);
    throw Error(ErrorKind::usage, "is not one of the recommended models", std::string(name),
                meant.empty() ? Message("run `throng models` for a list") : Message("did you mean %1?", meant));
}

std::string file_name(const RecommendedModel& model) {
    return std::string(model.name) + std::string(detector_kind(model.kind).model.suffix);
}

}  // namespace throng
