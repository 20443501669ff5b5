// The parameters of detection and suppression together, and their table: one row per setting. The command line, its
// configuration files and manual pages, the C library, the Python module, the window and all checks follow from the
// rows. A new setting is a field of the parameters and a row.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/message.h"
#include "core/detect/detector.h"
#include "core/detect/nms.h"

namespace throng {

struct DetectorKind;

struct DetectionParams {
    DetectorParams detector;
    NmsParams nms;
    float min_confidence = 0;   // kept detections below are not reported (DetectorKind::min_confidence)
    std::int32_t capacity = 0;  // initial D_max: raw detections per frame that the buffers hold; 0: automatic

    friend bool operator==(const DetectionParams&, const DetectionParams&) = default;
};

enum class SettingType : std::uint8_t {
    flag,    // "true" or "false"
    whole,   // a number from min to max
    real,    // likewise
    choice,  // one of choices
    text,
    pairs,  // "ID=CHOICE", any number of them
};

// Range of a slider of the window.
struct SliderRange {
    double from = 0;
    double to = 0;
    double step = 0;
};

struct SettingRow {
    // "min_size": in C, in Python and in messages. The option and the key of configuration files have hyphens.
    std::string_view name;
    std::string_view group;  // heading in help texts; in lower case the section of configuration files
    std::string_view unit;   // placeholder of the value in help texts
    std::string_view help;
    SettingType type = SettingType::text;
    double min = 0;
    double max = 0;
    std::vector<std::string> choices{};
    // Returns the value as text; empty: not set. Texts of `pairs` are joined by commas.
    std::function<std::string(const DetectionParams&)> read{};
    // Sets the value from a text without a problem; of `pairs`, one of them.
    std::function<void(DetectionParams&, const std::string&)> write{};
    // Numbers: the value is not set, or from min to max.
    std::function<bool(const DetectionParams&)> in_range{};
    // Returns the range of the window's slider; empty: it has none.
    std::function<SliderRange(const DetectorKind&)> slider{};
    bool changes_boxes = true;   // the results of detection depend on it
    bool of_detections = false;  // has no meaning for boxes that no detector found

    // Returns why a text cannot be the value; empty: it can.
    [[nodiscard]] Message problem(std::string_view text) const;
};

// Returns the rows of the detector and of suppression, in the order of help texts.
[[nodiscard]] const std::vector<SettingRow>& detector_settings();
[[nodiscard]] const std::vector<SettingRow>& nms_settings();

// Returns the row; null for an unknown name.
[[nodiscard]] const SettingRow* find_setting(std::string_view name);

// Throws Error(usage) naming the setting if a number is out of the range of its row.
void check_ranges(const std::vector<SettingRow>& rows, const DetectionParams& params);

// Checks both as check_params does, and the capacity, also against the steps of the paper's kernels.
void check_params(const DetectionParams& params);

}  // namespace throng
