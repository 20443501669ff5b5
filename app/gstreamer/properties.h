// The properties of the elements: all settings of detection, suppression, backend and hiding, by the tables of the command
// line, and a few of the elements alone.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "app/api/detect/detection.h"
#include "core/detect/detection_params.h"

namespace throng::gst_plugin {

// Texts by the names of rows. What was not set has a default.
using PropertyTexts = std::map<std::string, std::string, std::less<>>;

// Returns the rows of an element, in the order of its properties. Every property is a text, read as the command line reads
// that of its option; GStreamer writes '-' for '_' in its name.
[[nodiscard]] std::vector<const SettingRow*> property_rows(bool hides);

// Returns the default of a property; empty: chosen when the element starts, by the detector.
[[nodiscard]] std::string default_of_property(const SettingRow& row);

struct ElementOptions {
    api::DetectionOptions detection;
    PipelineSettings settings;
    bool messages = true;
    std::chrono::nanoseconds deadline{};  // 0: none
};
// Throws Error(usage) naming a property with a wrong value, with the wording of the command line.
[[nodiscard]] ElementOptions element_options(const PropertyTexts& texts, bool hides);

}  // namespace throng::gst_plugin
