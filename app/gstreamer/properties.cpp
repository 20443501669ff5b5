#include "app/gstreamer/properties.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/value_text.h"
#include "core/detect/backend_settings.h"
#include "core/redact/hiding_settings.h"

namespace throng::gst_plugin {
namespace {

constexpr int kMaxDelay = 300;         // frames, which are all in memory
constexpr int kMaxDeadline = 3600000;  // milliseconds

struct OwnRow {
    SettingRow row;
    const char* value;  // default
    bool of_hiding;
};

SettingRow own_row(std::string_view name, SettingType type, std::string_view unit, std::string_view help,
                   double max = 0) {
    SettingRow row;
    row.name = name;
    row.unit = unit;
    row.help = help;
    row.type = type;
    row.max = max;
    if (type == SettingType::flag) row.choices = {"true", "false"};
    return row;
}

const std::vector<OwnRow>& own_rows() {
    static const auto& rows = *new std::vector<OwnRow>{
        {own_row("track", SettingType::flag, "", "Report the same track for an object in successive frames"), "false",
         false},
        {own_row("messages", SettingType::flag, "", "Post the objects of each frame on the bus"), "true", false},
        {own_row("deadline", SettingType::whole, "MS",
                 "Live pipelines: a frame whose objects would be known later than this is not searched, and thronghide "
                 "hides it entirely; part of the latency; 0: no deadline",
                 kMaxDeadline),
         "200", false},
        {own_row("delay", SettingType::whole, "N",
                 "Later frames that help decide what is hidden in a frame; part of the latency", kMaxDelay),
         "8", true}};
    return rows;
}

}  // namespace

std::vector<const SettingRow*> property_rows(bool hides) {
    std::vector<const SettingRow*> rows;
    for (const auto* table : {&detector_settings(), &nms_settings(), &backend_settings()}) {
        for (const SettingRow& row : *table) rows.push_back(&row);
    }
    for (const HidingSetting& setting : hiding_settings()) {
        if (hides) rows.push_back(&setting.row);
    }
    for (const OwnRow& own : own_rows()) {
        if (hides || !own.of_hiding) rows.push_back(&own.row);
    }
    return rows;
}

std::string default_of_property(const SettingRow& row) {
    for (const OwnRow& own : own_rows()) {
        if (&own.row == &row) return own.value;
    }
    return row.name == "detector" || row.name == "backend" ? "auto" : "";
}

ElementOptions element_options(const PropertyTexts& texts, bool hides) {
    PropertyTexts values;
    for (const SettingRow* row : property_rows(hides)) {
        const auto given = texts.find(row->name);
        std::string value = given != texts.end() && !given->second.empty() ? given->second : default_of_property(*row);
        if (value.empty()) continue;
        // ChosenSettings checks its own.
        if (Message problem = find_setting(row->name) != nullptr ? Message() : row->problem(value); !problem.empty()) {
            throw Error(ErrorKind::usage, std::move(problem), Setting{row->name});
        }
        values[std::string(row->name)] = std::move(value);
    }
    ElementOptions options;
    for (const auto& [name, text] : values) {
        const SettingRow* setting = find_setting(name);
        if (setting == nullptr) continue;
        const bool many = setting->type == SettingType::pairs;
        for (std::string_view rest = text; !rest.empty();) {
            const std::string_view one = many ? rest.substr(0, rest.find(',')) : rest;
            options.detection.chosen.set(name, std::string(one));
            rest.remove_prefix(std::min(one.size() + 1, rest.size()));
        }
    }
    options.detection.backend = choice_of(kBackendNames, values["backend"]).value();
    if (values.contains("device")) options.detection.device = static_cast<int>(parse_whole(values["device"]).value());
    options.detection.track = values["track"] == "true";
    options.messages = values["messages"] == "true";
    options.deadline = std::chrono::milliseconds(parse_whole(values["deadline"]).value());
    if (hides) options.detection.hide = RedactStyle::blur;
    options.settings = stream_settings(options.detection);
    if (auto& hiding = options.settings.hiding) {
        for (const HidingSetting& setting : hiding_settings()) {
            if (const auto value = values.find(setting.row.name); value != values.end()) {
                setting.set(*hiding, value->second);
            }
        }
        hiding->plan.delay = static_cast<int>(parse_whole(values["delay"]).value());
    }
    return options;
}

}  // namespace throng::gst_plugin
