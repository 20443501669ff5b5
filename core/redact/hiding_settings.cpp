#include "core/redact/hiding_settings.h"

#include "core/base/value_text.h"

namespace throng {
namespace {

constexpr double kMaxMargin = 2;

HidingSetting style_setting() {
    SettingRow row{"style",
                   "Hiding",
                   {},
                   "How faces are hidden; each draws from at most 6x6 mean colors of a face",
                   SettingType::choice};
    row.choices = words_of(kRedactStyleNames);
    return {std::move(row),
            [](const HidingParams& params) { return std::string(name_of(kRedactStyleNames, params.redact.style)); },
            [](HidingParams& params, const std::string& text) {
                params.redact.style = choice_of(kRedactStyleNames, text).value();
            }};
}

HidingSetting margin_setting() {
    return {{"margin", "Hiding", "M",
             "Distance from a face to the edge of the hidden ellipse, as a share of the face's size", SettingType::real,
             0, kMaxMargin},
            [](const HidingParams& params) { return exact_text(params.redact.margin); },
            [](HidingParams& params, const std::string& text) {
                params.redact.margin = static_cast<float>(parse_real(text).value());
            }};
}

}  // namespace

const std::vector<HidingSetting>& hiding_settings() {
    static const auto& rows = *new std::vector<HidingSetting>{style_setting(), margin_setting()};
    return rows;
}

}  // namespace throng
