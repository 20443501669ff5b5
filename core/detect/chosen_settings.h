// Settings of detection that a user chose, and the parameters that follow from them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/detect/detection_params.h"

namespace throng {

// Returns the defaults of a kind of detector.
[[nodiscard]] DetectionParams default_params(const DetectorKind& kind);

// Texts by the names of settings. What was not set has a default.
class ChosenSettings {
public:
    // A later value replaces the one before, or is added to it if the setting takes any number of them. Throws
    // Error(usage) naming the setting if there is none of that name, or if it cannot have the value.
    void set(std::string_view name, const std::string& text);
    void clear(std::string_view name) {
        if (const auto found = texts_.find(name); found != texts_.end()) texts_.erase(found);
    }
    [[nodiscard]] bool contains(std::string_view name) const { return texts_.contains(name); }
    [[nodiscard]] bool changes_boxes() const;  // one of them does
    // Returns the last value; `otherwise` if none was set.
    [[nodiscard]] std::string value_or(std::string_view name, std::string_view otherwise) const;

    // Returns the parameters: the defaults, what the rule implies, then what was chosen. A rule that is defined on the
    // IoU gets the IoU, its threshold and, if soft, min_hits 1. Soft rules and a chosen min_hits replace the default of
    // min_confidence. Where the score is the confidence, a chosen min_confidence lowers the default of
    // score_threshold. The detector is that of the defaults. Throws Error(usage) as check_params does.
    [[nodiscard]] DetectionParams params(DetectionParams defaults) const;
    // The same with the defaults of a kind of detector: detector_of (core/model/model_finder.h) returns the chosen one.
    [[nodiscard]] DetectionParams params(DetectorId kind) const;

private:
    void write(std::string_view name, DetectionParams& params) const;

    std::map<std::string, std::vector<std::string>, std::less<>> texts_;
};

}  // namespace throng
