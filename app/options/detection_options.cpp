#include "app/options/detection_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/options/setting_value.h"
#include "core/detect/detector_kinds.h"

namespace throng {
namespace {

std::string default_of(const SettingRow& row, const DetectorKind& kind) {
    std::string value = row.read(default_params(kind));
    if (!value.empty() || !row.in_range) return value;
    return kind.takes_threshold ? "the model's own" : "none";
}

std::vector<const DetectorKind*> kinds_of(const DetectionOptions& options) {
    std::vector<const DetectorKind*> kinds;
    for (const std::optional<DetectorId>& id : options.kinds) {
        if (id) kinds.push_back(&detector_kind(*id));
    }
    return kinds;
}

std::vector<std::string> names_of(const DetectionOptions& options) {
    std::vector<std::string> names;
    for (const std::optional<DetectorId>& id : options.kinds) {
        names.emplace_back(id ? detector_kind(*id).name : kAutoDetector);
    }
    return names;
}

// Returns "24; hog 128; cnn 10": the value of the first kind, then those of the kinds that differ from it.
std::string default_text(const SettingRow& row, const DetectionOptions& options) {
    if (row.type == SettingType::flag) return {};
    if (options.kinds.empty()) return row.read(DetectionParams{});
    if (row.name == "detector") return names_of(options).front();
    const std::vector<const DetectorKind*> kinds = kinds_of(options);
    const std::string first = default_of(row, *kinds.front());
    std::string text = first;
    for (const DetectorKind* kind : kinds) {
        const std::string other = default_of(row, *kind);
        if (other != first) text += fmt::format("; {} {}", kind->name, other);
    }
    return text;
}

std::string help_of_kinds(const DetectionOptions& options) {
    std::string help;
    for (const DetectorKind* kind : kinds_of(options)) {
        help += fmt::format("{} {}: {} ({})", help.empty() ? "Detector:" : ";", kind->name, kind->title, kind->finds);
    }
    if (!options.kinds.front()) help += "; auto: cnn if a model of it is installed, otherwise haar";
    return help;
}

void add_setting(CLI::App& command, DetectionOptions& options, const SettingRow& row) {
    const std::string option = "--" + key_of_setting(row.name);
    const std::string help = row.help.empty() ? help_of_kinds(options) : std::string(row.help);
    const std::string group(row.group);
    if (row.type == SettingType::flag) {
        add_flag(
            command, group, option, [&](bool on) { options.chosen.set(row.name, on ? "true" : "false"); }, help);
        return;
    }
    const auto set = [&](const std::string& text) { options.chosen.set(row.name, text); };
    add_setter(command, group, option, set, std::string(row.unit), help,
               row.name == "detector" ? one_of(names_of(options)) : value_of_row(row), row.type == SettingType::pairs)
        .show_default(default_text(row, options));
}

}  // namespace

void add_settings(CLI::App& command, DetectionOptions& options, const std::vector<SettingRow>& rows) {
    for (const SettingRow& row : rows) {
        if (!row.of_detections || !options.kinds.empty()) add_setting(command, options, row);
    }
}

}  // namespace throng
