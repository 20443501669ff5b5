#include "core/detect/backend_settings.h"

#include <algorithm>

#include "core/detect/backend_kind.h"

namespace throng {
namespace {

constexpr double kMaxDevice = 255;

std::vector<SettingRow> backend_rows() {
    SettingRow backend{
        "backend", "Common", {}, "Where to compute; auto: CUDA if available, otherwise the CPU", SettingType::choice};
    backend.choices = words_of(kBackendNames);
    SettingRow device{"device", "Common", "N", "Index of the GPU", SettingType::whole, 0, kMaxDevice};
    return {std::move(backend), std::move(device)};
}

}  // namespace

const std::vector<SettingRow>& backend_settings() {
    static const auto& rows = *new std::vector<SettingRow>(backend_rows());
    return rows;
}

const SettingRow& backend_setting(std::string_view name) {
    const auto& rows = backend_settings();
    return *std::find_if(rows.begin(), rows.end(), [name](const SettingRow& row) { return row.name == name; });
}

}  // namespace throng
