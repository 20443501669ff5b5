#include "core/detect/chosen_settings.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/detect/detector_kinds.h"
#include "core/detect/network_thresholds.h"

namespace throng {

DetectionParams default_params(const DetectorKind& kind) {
    return {kind.params, kind.nms, kind.min_confidence};
}

void ChosenSettings::set(std::string_view name, const std::string& text) {
    const SettingRow* row = find_setting(name);
    if (row == nullptr) {
        std::vector<std::string> names;
        for (const auto* rows : {&detector_settings(), &nms_settings()}) {
            for (const SettingRow& each : *rows) names.emplace_back(each.name);
        }
        const std::string meant = closest_name(name, names);
        throw Error(ErrorKind::usage, "no setting has this name", std::string(name),
                    meant.empty() ? Message() : Message("did you mean %1?", meant));
    }
    Message problem = row->problem(text);
    if (!problem.empty()) throw Error(ErrorKind::usage, std::move(problem), Setting{row->name});
    std::vector<std::string>& texts = texts_[std::string(name)];
    if (row->type != SettingType::pairs) texts.clear();
    texts.push_back(text);
}

bool ChosenSettings::changes_boxes() const {
    return std::any_of(texts_.begin(), texts_.end(),
                       [](const auto& chosen) { return find_setting(chosen.first)->changes_boxes; });
}

std::string ChosenSettings::value_or(std::string_view name, std::string_view otherwise) const {
    const auto found = texts_.find(name);
    return found == texts_.end() ? std::string(otherwise) : found->second.back();
}

void ChosenSettings::write(std::string_view name, DetectionParams& params) const {
    const auto found = texts_.find(name);
    if (found == texts_.end()) return;
    for (const std::string& text : found->second) find_setting(name)->write(params, text);
}

DetectionParams ChosenSettings::params(DetectionParams defaults) const {
    DetectionParams params = std::move(defaults);
    write("rule", params);
    write("pair", params);
    const bool soft = is_soft(params.nms.rule);
    if (soft || params.nms.pair != PairRule::overlap) {
        params.nms.overlap = Overlap::iou;
        params.nms.theta = NmsParams{}.theta;
    }
    if (soft) params.nms.min_hits = 1;
    if (soft || contains("min_hits")) params.min_confidence = 0;
    for (const auto& [name, texts] : texts_) {
        if (name != "detector") write(name, params);
    }
    // Where the score is the confidence, a lower one must be detected. A higher one is left to the report: what hides faces
    // uses all that is detected without it.
    const bool is_probability = !detector_kind(params.detector.kind).calibration;
    if (is_probability && contains("min_confidence") && !contains("score_threshold") && params.min_confidence > 0) {
        const float own = params.detector.score_threshold.value_or(kYuNetThreshold);
        params.detector.score_threshold = std::min(params.min_confidence, own);
    }
    check_params(params);
    return params;
}

DetectionParams ChosenSettings::params(DetectorId kind) const {
    return params(default_params(detector_kind(kind)));
}

}  // namespace throng
