#include "core/detect/detector_kinds.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "core/algo/hog.h"
#include "core/base/error.h"
#include "core/detect/detection_params.h"
#include "core/detect/network_thresholds.h"

namespace throng {
namespace {

DetectorParams sizes(int min_size, double scale_factor) {
    DetectorParams params;
    params.min_size = min_size;
    params.scale_factor = scale_factor;
    return params;
}

NmsParams greedy(Overlap overlap, float theta) {
    NmsParams params;
    params.overlap = overlap;
    params.theta = theta;
    return params;
}

DetectorKind haar() {
    DetectorKind kind;
    kind.title = "Haar cascade";
    kind.finds = "faces";
    kind.object = "face";
    kind.help = "Frontal faces from 20 pixels; fast on crowds";
    kind.model = {"haarcascade_", ".xml"};
    kind.default_models = {"haarcascade_frontalface_alt2"};
    kind.get_models = "install opencv-data";
    kind.params = sizes(24, 1.1);
    // From the table of tests/bench/accuracy.cpp: these settings cluster the windows of cascades best.
    kind.nms = greedy(Overlap::min, 0.5F);
    // Fit by app/lab/operating_point.py, which prints precision and recall at each confidence.
    kind.calibration = {-8.89, 0.665, 0.502};
    kind.min_confidence = 0.17F;
    kind.confident_hits = 3;
    return kind;
}

DetectorKind lbp() {
    DetectorKind kind = haar();
    kind.title = "LBP cascade";
    kind.help = "Frontal faces from 24 pixels; faster and less reliable than Haar";
    kind.model = {"lbpcascade_", ".xml"};
    kind.default_models = {"lbpcascade_frontalface"};
    kind.calibration = {-11.25, 0.524, 1.028};  // likewise
    kind.min_confidence = 0.2F;
    return kind;
}

DetectorKind hog() {
    DetectorKind kind;
    kind.title = "HOG people detector";
    kind.finds = "people";
    kind.object = "person";
    kind.help = "Standing or walking people, from 128 pixels in height (64 in an enlarged image)";
    // Settings from a visual check of photographs and of a clip of people who walk through a hall. The minimum is 128
    // pixels, since an enlarged image for people half as high gives four times as many false boxes. A margin of 0.3
    // leaves 60 % of those at a margin of 0. Nested boxes are common (legs, a torso), so the overlap is relative to the
    // smaller box.
    kind.params = sizes(128, 1.05);
    kind.params.score_threshold = kHogMargin;
    kind.takes_threshold = true;
    kind.nms = greedy(Overlap::min, 0.65F);
    // Fit by app/lab/operating_point.py --people. Two hits are reported from a margin of 0.32 on, one from 1.1 on.
    kind.calibration = {-2.64, 0.606, 0.661};
    kind.min_confidence = 0.12F;
    kind.confident_hits = 2;
    return kind;
}

DetectorKind cnn() {
    DetectorKind kind;
    kind.title = "CNN face detector";
    kind.finds = "faces";
    kind.object = "face";
    kind.help = "Small, rotated and partly hidden faces from 10 pixels; the most accurate";
    kind.model = {"", ".onnx"};
    kind.default_models = {"yunet_n_dynamic", "yunet_n_640_640", "yunet_n_320_320",
                           "yunet_s_320_320", "version-RFB-640", "version-RFB-320"};
    kind.get_models = "run `throng models fetch`";
    kind.params = sizes(10, 4.0);
    kind.takes_threshold = true;
    kind.nms = greedy(Overlap::iou, 0.3F);
    kind.landmarks = true;
    return kind;
}

DetectorKind person() {
    DetectorKind kind;
    kind.title = "YOLOX people detector";
    kind.finds = "people";
    kind.object = "person";
    kind.help = "People in any posture from 16 pixels, also partly hidden; the most accurate for people";
    kind.model = {"yolox_", ".onnx"};
    kind.default_models = {"yolox_nano"};
    kind.get_models = "run `throng models fetch yolox_nano`";
    // The score is that of the authors' demonstration. There is one pass, so the scale factor has no effect.
    kind.params = sizes(16, 4.0);
    kind.params.score_threshold = kYoloxThreshold;
    kind.takes_threshold = true;
    kind.nms = greedy(Overlap::iou, 0.5F);
    return kind;
}

DetectorKind face_and_person() {
    DetectorKind kind = person();
    kind.title = "YOLOX and CNN detectors";
    kind.help = "People as person finds them, and their faces as cnn finds them: who faces the camera";
    kind.get_models = "run `throng models fetch` and `throng models fetch yolox_nano`";
    kind.faces = DetectorId::cnn;
    return kind;
}

DetectorKind make_kind(DetectorId id) {
    switch (id) {
        case DetectorId::haar: return haar();
        case DetectorId::lbp: return lbp();
        case DetectorId::hog: return hog();
        case DetectorId::cnn: return cnn();
        case DetectorId::person: return person();
        case DetectorId::face_and_person: return face_and_person();
    }
    return {};
}

}  // namespace

const std::vector<DetectorKind>& detector_kinds() {
    static const std::vector<DetectorKind> kKinds = [] {
        std::vector<DetectorKind> kinds;
        for (const auto& [name, id] : kDetectorNames) {
            DetectorKind& kind = kinds.emplace_back(make_kind(id));
            kind.name = name;
            kind.params.kind = id;
        }
        return kinds;
    }();
    return kKinds;
}

static_assert(std::all_of(std::begin(kDetectorNames), std::end(kDetectorNames), [](const auto& named) {
    return &named - kDetectorNames == static_cast<std::ptrdiff_t>(named.second);
}));

const DetectorKind& detector_kind(DetectorId id) {
    return detector_kinds().at(static_cast<std::size_t>(id));
}

const DetectorKind* find_detector_kind(std::string_view name) {
    const std::vector<DetectorKind>& kinds = detector_kinds();
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const DetectorKind& k) { return k.name == name; });
    return found == kinds.end() ? nullptr : &*found;
}

const DetectorKind& detector_kind(std::string_view name) {
    if (const DetectorKind* kind = find_detector_kind(name)) return *kind;
    throw Error(ErrorKind::usage, find_setting("detector")->problem(name), Setting{"detector"});
}

float confidence_of(const DetectorKind& kind, float score, std::int32_t hits) {
    const auto value = static_cast<double>(score);
    if (!kind.calibration) return static_cast<float>(std::clamp(value, 0.0, 1.0));
    const auto& [offset, per_score, per_log_hits] = *kind.calibration;
    const double logit = offset + per_score * value + per_log_hits * std::log(std::max(hits, 1));
    return static_cast<float>(1 / (1 + std::exp(-logit)));
}

}  // namespace throng
