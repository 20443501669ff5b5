#include "app/commands/anonymize_settings.h"

#include <string>

#include "core/base/value_text.h"

namespace throng {
namespace {

bool is_reported(const SettingRow& row) {
    return row.changes_boxes && (row.in_range || row.type == SettingType::flag);
}

}  // namespace

void write_settings(const DetectionParams& params, nlohmann::ordered_json& settings) {
    for (const SettingRow& row : detector_settings()) {
        if (!is_reported(row)) continue;
        const std::string text = row.read(params);
        nlohmann::ordered_json& value = settings[std::string(row.name)];
        if (text.empty()) continue;
        value = row.type == SettingType::real ? nlohmann::ordered_json(parse_real(text).value())
                                              : nlohmann::ordered_json::parse(text);
    }
    settings["switches"] = params.detector.switches;
}

void choose_settings(const nlohmann::ordered_json& settings, ChosenSettings& chosen) {
    chosen.set("detector", settings.at("detector").get<std::string>());
    for (const SettingRow& row : detector_settings()) {
        if (!is_reported(row)) continue;
        chosen.clear(row.name);
        const nlohmann::ordered_json& value = settings.at(std::string(row.name));
        if (!value.is_null()) chosen.set(row.name, value.dump());
    }
    chosen.clear("switch");
    for (const auto& [id, choice] : settings.at("switches").items()) {
        chosen.set("switch", id + "=" + choice.get<std::string>());
    }
}

}  // namespace throng
