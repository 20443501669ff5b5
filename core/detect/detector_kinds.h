// Table of the detector kinds: the name, models and recommended settings of each. The tables of the backends contain
// the factory of each kind (core/cpu/cpu_backend.cpp, gpu/backend.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/choice_names.h"
#include "core/detect/detector.h"
#include "core/detect/nms.h"

namespace throng {

// The names of the kinds, in display order.
inline constexpr std::pair<std::string_view, DetectorId> kDetectorNames[] = {
    {"haar", DetectorId::haar}, {"lbp", DetectorId::lbp},       {"hog", DetectorId::hog},
    {"cnn", DetectorId::cnn},   {"person", DetectorId::person}, {"face+person", DetectorId::face_and_person},
};

// Pattern for the file names of models: prefix + any text + suffix. A name belongs to the kind with the longest prefix.
struct ModelPattern {
    std::string_view prefix;
    std::string_view suffix;  // with the dot; empty: the kind's model is built in
};

// The confidence of a detection by its score and hits: 1 / (1 + exp(-(offset + per_score * score + per_log_hits *
// ln(hits)))). The factors are not negative, so that it increases with both.
struct Calibration {
    double offset;
    double per_score;
    double per_log_hits;
};

struct DetectorKind {
    std::string_view name;    // that of kDetectorNames
    std::string_view title;   // "Haar cascade"
    std::string_view finds;   // "faces", "people": plural, for counts
    std::string_view object;  // "face", "person": the class of a detection in results
    std::string_view help;    // one sentence about its strengths
    ModelPattern model;
    std::vector<std::string_view> default_models;  // names without suffix; the first installed one is used
    std::string_view get_models;                   // advice if none is installed
    DetectorParams params;                         // defaults, and the kind
    NmsParams nms;
    std::optional<Calibration> calibration;  // none: the score is a probability, which is the confidence
    // The operating point: detections from this confidence on are reported. What hides faces uses all.
    float min_confidence = 0;
    std::int32_t confident_hits = 1;  // detections with fewer start no track
    bool landmarks = false;           // its models may give five points per detection
    bool takes_threshold = false;     // has a score threshold; if not set in params, each model has its own
    // The kind that finds the faces of its people in the same frames, with its own defaults. All else here is about the
    // people.
    std::optional<DetectorId> faces{};

    [[nodiscard]] DetectorId id() const { return params.kind; }
    // Its scores are probabilities.
    [[nodiscard]] bool is_network() const { return model.suffix == ".onnx"; }
    // Runs the models of another kind, and no others.
    [[nodiscard]] bool shares_models(const DetectorKind& other) const {
        return model.prefix == other.model.prefix && model.suffix == other.model.suffix;
    }
};

// As the name of a detector: the best one that is installed (detector_of in core/model/model_finder.h).
inline constexpr std::string_view kAutoDetector = "auto";

// Returns the kinds in the order of kDetectorNames.
[[nodiscard]] const std::vector<DetectorKind>& detector_kinds();

[[nodiscard]] const DetectorKind& detector_kind(DetectorId id);

// Returns null for an unknown name.
[[nodiscard]] const DetectorKind* find_detector_kind(std::string_view name);

// Throws Error(usage) with the known names for an unknown name.
[[nodiscard]] const DetectorKind& detector_kind(std::string_view name);

// Returns the confidence of a detection, in [0, 1].
[[nodiscard]] float confidence_of(const DetectorKind& kind, float score, std::int32_t hits);

}  // namespace throng
