#include "app/gstreamer/properties.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/value_text.h"

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
                   double max = 0, std::vector<std::string> choices = {}) {
    SettingRow row;
    row.name = name;
    row.unit = unit;
    row.help = help;
    row.type = type;
    row.max = max;
    row.choices = type == SettingType::flag ? std::vector<std::string>{"true", "false"} : std::move(choices);
    return row;
}

const std::vector<OwnRow>& own_rows() {
    static const auto& rows = *new std::vector<OwnRow>{
        {own_row("backend", SettingType::choice, "", "Backend of detection and suppression", 0,
                 words_of(kBackendNames)),
         "auto", false},
        {own_row("device", SettingType::whole, "N", "CUDA device", 1024), "0", false},
        {own_row("track", SettingType::flag, "", "Report the same track for an object in successive frames"), "false",
         false},
        {own_row("messages", SettingType::flag, "", "Post the objects of each frame on the bus"), "true", false},
        {own_row("deadline", SettingType::whole, "MS",
                 "Of a live pipeline: a frame whose objects would be known later than this is not searched, and hidden "
                 "whole by thronghide; part of the latency; 0: none",
                 kMaxDeadline),
         "200", false},
        {own_row("style", SettingType::choice, "", "How faces are hidden", 0, words_of(kRedactStyleNames)), "blur",
         true},
        {own_row("margin", SettingType::real, "M",
                 "Margin around a face, as a share of its size on each side; empty: the detector's", 10),
         "", true},
        {own_row("delay", SettingType::whole, "N",
                 "Frames that come later and help to decide what is hidden in a frame; part of the latency", kMaxDelay),
         "8", true}};
    return rows;
}

}  // namespace

std::vector<const SettingRow*> property_rows(bool hides) {
    std::vector<const SettingRow*> rows;
    for (const auto* table : {&detector_settings(), &nms_settings()}) {
        for (const SettingRow& row : *table) rows.push_back(&row);
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
    return row.name == "detector" ? "auto" : "";
}

ElementOptions element_options(const PropertyTexts& texts, bool hides) {
    std::map<std::string_view, std::string> own;
    for (const OwnRow& each : own_rows()) {
        const auto given = texts.find(each.row.name);
        const std::string value = given != texts.end() && !given->second.empty() ? given->second : each.value;
        if (Message problem = value.empty() ? Message() : each.row.problem(value); !problem.empty()) {
            throw Error(ErrorKind::usage, std::move(problem), Setting{each.row.name});
        }
        own[each.row.name] = value;
    }
    ElementOptions options;
    for (const auto& [name, text] : texts) {
        if (own.contains(name) || text.empty()) continue;
        const bool many = find_setting(name)->type == SettingType::pairs;
        for (std::string_view rest = text; !rest.empty();) {
            const std::string_view one = many ? rest.substr(0, rest.find(',')) : rest;
            options.detection.chosen.set(name, std::string(one));
            rest.remove_prefix(std::min(one.size() + 1, rest.size()));
        }
    }
    options.detection.backend = choice_of(kBackendNames, own["backend"]).value();
    options.detection.device = static_cast<int>(parse_whole(own["device"]).value());
    options.detection.track = own["track"] == "true";
    options.messages = own["messages"] == "true";
    options.deadline = std::chrono::milliseconds(parse_whole(own["deadline"]).value());
    if (hides) options.detection.hide = choice_of(kRedactStyleNames, own["style"]);
    options.settings = stream_settings(options.detection);
    if (auto& hiding = options.settings.hiding) {
        if (!own["margin"].empty()) hiding->redact.margin = static_cast<float>(parse_real(own["margin"]).value());
        hiding->plan.delay = static_cast<int>(parse_whole(own["delay"]).value());
    }
    return options;
}

}  // namespace throng::gst_plugin
