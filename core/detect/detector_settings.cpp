#include <algorithm>

#include "core/base/error.h"
#include "core/detect/detector_kinds.h"
#include "core/detect/setting_rows.h"

namespace throng {
namespace {

constexpr double kBeyondAnyFrame = 1e6;  // pixels

SettingRow kind_row() {
    SettingRow row = setting_rows::choice("detector", &DetectorParams::kind, kDetectorNames, {});
    row.choices.insert(row.choices.begin(), std::string(kAutoDetector));
    return row;
}

SettingRow threads_row() {
    SettingRow row = setting_rows::number("threads", &DetectorParams::threads, {0, 1024}, "N",
                                          "Threads of the CPU backend; 0 for one per core");
    row.changes_boxes = false;
    return row;
}

std::vector<SettingRow> detector_rows() {
    using namespace setting_rows;
    using Detector = DetectorParams;
    const auto with_slider = [](SettingRow row, SliderRange (*range)(const DetectorKind&)) {
        row.slider = range;
        return row;
    };
    return in_group(
        "Detector",
        {kind_row(),
         text("model", &Detector::model, "FILE",
              "Model file, or the name of an installed model such as alt2 (see `throng models`); default: the "
              "recommended model of the detector"),
         with_slider(number("min_size", &Detector::min_size, {1, kBeyondAnyFrame}, "PX",
                            "Minimum size of a detected object, in pixels of the frame"),
                     [](const DetectorKind& kind) {
                         return SliderRange{std::min(16.0, static_cast<double>(kind.params.min_size)), 240, 2};
                     }),
         // The right end of the slider means no limit.
         with_slider(number("max_size", &Detector::max_size, {0, kBeyondAnyFrame}, "PX",
                            "Maximum size of a detected object, in pixels; 0 for no limit"),
                     [](const DetectorKind&) {
                         return SliderRange{40, 640, 10};
                     }),
         // A factor closer to 1 would give thousands of scales.
         with_slider(number("scale_factor", &Detector::scale_factor, {1.01, 10}, "F",
                            "Factor between neighboring scales, 1.01 to 10"),
                     [](const DetectorKind& kind) {
                         return SliderRange{1.02, std::max(2.0, 2 * kind.params.scale_factor), 0.01};
                     }),
         with_slider(number("score_threshold", &Detector::score_threshold, {-1e6, 1e6}, "S",
                            "Minimum score of a raw detection: a probability (cnn, person) or an SVM margin (hog)"),
                     [](const DetectorKind& kind) {
                         return kind.is_network() ? SliderRange{0.05, 0.99, 0.01} : SliderRange{-1, 3, 0.01};
                     }),
         flag("half", &Detector::half, "Compute in FP16 where the detector and the device support it"),
         pairs("switch", &Detector::switches,
               "Set an optimization or a mode of the detector, such as input=letterbox (cnn, person)"),
         threads_row()});
}

}  // namespace

const std::vector<SettingRow>& detector_settings() {
    static const std::vector<SettingRow> kRows = detector_rows();
    return kRows;
}

const SettingRow* find_setting(std::string_view name) {
    for (const auto* rows : {&detector_settings(), &nms_settings()}) {
        const auto found = std::find_if(rows->begin(), rows->end(), [&](const auto& row) { return row.name == name; });
        if (found != rows->end()) return &*found;
    }
    return nullptr;
}

void check_params(const DetectorParams& params) {
    DetectionParams all;
    all.detector = params;
    check_ranges(detector_settings(), all);
    if (params.max_size != 0 && params.max_size < params.min_size) {
        throw Error(ErrorKind::usage, {"is smaller than %1", Setting{"min_size"}}, Setting{"max_size"});
    }
    if (const DetectorKind& kind = detector_kind(params.kind); params.score_threshold && !kind.takes_threshold) {
        throw Error(ErrorKind::usage, {"does not apply to %1", Setting{"detector", std::string(kind.name)}},
                    Setting{"score_threshold"}, {"use %1 or %2", Setting{"min_confidence"}, Setting{"min_hits"}});
    }
}

void check_change(const DetectorParams& current, const DetectorParams& params) {
    check_params(params);
    if (params.kind == current.kind && params.model == current.model) return;
    throw Error(ErrorKind::usage, "the kind and the model of a detector cannot be changed",
                std::string(detector_kind(params.kind).name) + " " + params.model);
}

void check_params(const DetectionParams& params) {
    check_params(params.detector);
    check_params(params.nms);
    check_ranges(nms_settings(), params);
    if (params.nms.kernels == NmsKernels::paper && params.capacity % params.nms.paper_k != 0) {
        throw Error(ErrorKind::usage, {"must be a multiple of %1 for the paper's kernels", Setting{"paper_k"}},
                    Setting{"capacity"});
    }
}

}  // namespace throng
