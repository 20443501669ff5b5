// Table of the detector kinds: the name, models and recommended settings of each. The tables of the backends contain
// the factory of each kind (core/cpu/cpu_backend.cpp, gpu/backend.cpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/detect/detector.h"
#include "core/detect/nms.h"

namespace throng {

// Pattern for the file names of models: prefix + any text + suffix.
struct ModelPattern {
    std::string_view prefix;
    std::string_view suffix;  // with the dot; empty: the kind's model is built in
};

struct DetectorKind {
    std::string_view name;   // "haar": its name on the command line
    std::string_view title;  // "Haar cascade"
    std::string_view finds;  // "faces", "people": plural, for counts
    std::string_view help;   // one sentence about its strengths
    ModelPattern model;
    std::vector<std::string_view> default_models;  // names without suffix; the first installed one is used
    std::string_view get_models;                   // advice if none is installed
    DetectorParams params;                         // defaults; kind is the name
    NmsParams nms;                                 // defaults for written results
    std::int32_t screen_min_hits = 1;              // min_hits of NMS in the window; higher, to hide false positives
    bool landmarks = false;                        // its models may give five points per detection
    bool takes_threshold = false;  // has a score threshold; if not set in params, each model has its own
};

// Returns the kinds in display order; the first is the default.
[[nodiscard]] const std::vector<DetectorKind>& detector_kinds();

// Returns null for an unknown name.
[[nodiscard]] const DetectorKind* find_detector_kind(std::string_view name);

// Throws Error(usage) with the known names for an unknown name.
[[nodiscard]] const DetectorKind& detector_kind(std::string_view name);

}  // namespace throng
