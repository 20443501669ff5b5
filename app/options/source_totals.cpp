#include "app/options/source_totals.h"

#include <fmt/format.h>

#include "core/base/text_encoding.h"

namespace throng {

TextTable SourceTotals::table(const std::vector<std::shared_ptr<SourceTotals>>& sources) {
    TextTable table({"source", "frames", "kept", "raw", "dropped", "s", "frames/s"});
    for (const auto& source : sources) {
        const double seconds = std::chrono::duration<double>(source->last_ - source->start_).count();
        const double rate = seconds > 0 ? static_cast<double>(source->frames_) / seconds : 0;
        table.add({source->name_, fmt::format("{}", source->frames_), fmt::format("{}", source->kept_),
                   fmt::format("{}", source->raw_), fmt::format("{}", source->dropped_), fmt::format("{:.2f}", seconds),
                   fmt::format("{:.1f}", rate)});
    }
    return table;
}

nlohmann::ordered_json SourceTotals::json(const std::vector<std::shared_ptr<SourceTotals>>& sources) {
    auto all = nlohmann::ordered_json::array();
    for (const auto& source : sources) {
        nlohmann::ordered_json one{{"source", name_as_text(source->name_)},
                                   {"source_number", source->number_},
                                   {"details", source->details_},
                                   {"frames", source->frames_},
                                   {"kept", source->kept_},
                                   {"raw", source->raw_},
                                   {"dropped", source->dropped_},
                                   {"incomplete", nullptr}};
        if (!source->incomplete_.empty()) one["incomplete"] = source->incomplete_;
        all.push_back(std::move(one));
    }
    return all;
}

}  // namespace throng
