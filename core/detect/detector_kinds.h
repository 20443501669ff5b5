// The detectors there are, described by data. What a detector is called, which models it takes and with which settings
// it does best stands here once; the backends' tables say who makes it (core/cpu/cpu_backend.cpp, gpu/backend.cpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/detect/detector.h"
#include "core/detect/nms.h"

namespace throng {

// How the file of a model is recognized: prefix + anything + suffix.
struct ModelPattern {
    std::string_view prefix;
    std::string_view suffix;  // with the dot; empty: the kind's model comes with the program
};

struct DetectorKind {
    std::string_view name;   // "haar": the word on the command line
    std::string_view title;  // "Haar cascade"
    std::string_view finds;  // "faces", "people": plural, for counts
    std::string_view help;   // one sentence: what it is good at
    ModelPattern model;
    std::vector<std::string_view> default_models;  // names without suffix; the first that is installed
    std::string_view get_models;                   // what to do when there is none
    DetectorParams params;                         // defaults; kind is the name
    NmsParams nms;                                 // defaults where data is written
    std::int32_t screen_min_hits = 1;              // of NMS in the window, where a box should be no chance hit
    bool landmarks = false;                        // its models may give five points a detection
    bool takes_threshold = false;                  // of scores; without one in params each model has its own
};

// In the order in which they are offered; the first is the default.
[[nodiscard]] const std::vector<DetectorKind>& detector_kinds();

// Null for an unknown name.
[[nodiscard]] const DetectorKind* find_detector_kind(std::string_view name);

// Throws Error(usage) for an unknown name, listing the known ones.
[[nodiscard]] const DetectorKind& detector_kind(std::string_view name);

// "haar, lbp, hog, cnn"
[[nodiscard]] std::string detector_kind_names();

}  // namespace throng
