#include "app/api/detect/option_rows.h"

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/api/handle.h"
#include "core/detect/chosen_settings.h"
#include "core/model/model_finder.h"

namespace throng::api {
namespace {

struct OptionRows {
    std::deque<std::string> texts;
    std::deque<std::vector<const char*>> choices;
    std::vector<throng_option> rows;
};

std::unique_ptr<OptionRows> rows_of(const std::string& detector) {
    ChosenSettings chosen;
    chosen.set("detector", detector);
    const DetectionParams defaults = chosen.params(detector_of(chosen));
    auto result = std::make_unique<OptionRows>();
    const auto keep = [&result](std::string_view text) { return result->texts.emplace_back(text).c_str(); };
    for (const auto* table : {&detector_settings(), &nms_settings()}) {
        for (const SettingRow& setting : *table) {
            throng_option row{};
            row.size = sizeof row;
            row.type = static_cast<std::int32_t>(setting.type);
            row.name = keep(setting.name);
            row.unit = keep(setting.unit);
            row.help = keep(setting.help);
            row.value = keep(setting.read(defaults));
            row.min = setting.min;
            row.max = setting.max;
            if (!setting.choices.empty()) {
                std::vector<const char*>& choices = result->choices.emplace_back();
                for (const std::string& choice : setting.choices) choices.push_back(keep(choice));
                choices.push_back(nullptr);
                row.choices = choices.data();
            }
            result->rows.push_back(row);
        }
    }
    result->rows.push_back({});
    return result;
}

}  // namespace

const throng_option* options_of_detector(const char* detector) {
    static std::mutex mutex;
    static auto& tables = *new std::map<std::string, std::unique_ptr<OptionRows>>;
    require(detector != nullptr, "detector", "is NULL");
    const std::lock_guard lock(mutex);
    auto found = tables.find(detector);
    if (found == tables.end()) found = tables.emplace(detector, rows_of(detector)).first;
    return found->second->rows.data();
}

}  // namespace throng::api
