#include "ui/clocks/profile_model.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "ui/language/language.h"

namespace throng::ui {

QString short_name(const ClockProfile& profile) {
    if (profile.id == "automatic") return ProfileModel::tr("Auto");
    if (profile.id == "minimum") return ProfileModel::tr("Min");
    if (profile.id == "maximum") return ProfileModel::tr("Max");
    return QString::fromStdString(profile.name.empty() ? profile.id : profile.name);
}

bool sets_same_clocks(const ResolvedProfile& a, const ResolvedProfile& b) {
    const auto only_gpu = [](const ResolvedProfile& entry) {
        const ClockProfile& profile = entry.profile;
        return entry.available && entry.gpu_max && !profile.cpu && profile.cpu_governor.empty() &&
               profile.cpu_cluster.empty();
    };
    return only_gpu(a) && only_gpu(b) && a.gpu_min == b.gpu_min && a.gpu_max == b.gpu_max;
}

std::vector<ResolvedProfile> distinct_profiles(const std::vector<ResolvedProfile>& profiles) {
    const auto is_maximum = [](const ResolvedProfile& entry) {
        const auto* fraction = std::get_if<Fraction>(&entry.profile.gpu);
        return fraction != nullptr && fraction->of_max == 1;
    };
    std::vector<ResolvedProfile> distinct;
    for (const ResolvedProfile& entry : profiles) {
        const auto same = std::find_if(distinct.begin(), distinct.end(),
                                       [&](const ResolvedProfile& other) { return sets_same_clocks(entry, other); });
        if (same == distinct.end()) {
            distinct.push_back(entry);
        } else if (is_maximum(entry)) {  // in ascending order, the lowest clock comes first
            *same = entry;
        }
    }
    return distinct;
}

QString megahertz(const std::optional<Hertz>& hertz) {
    if (!hertz) return QStringLiteral("–");
    const double mhz = static_cast<double>(*hertz) / 1e6;
    return QStringLiteral("%1 MHz").arg(fixed(mhz, mhz == std::round(mhz) ? 0 : 1));
}

ProfileModel::ProfileModel(QObject* parent)
    : RowModel({{"profileId", [this](auto row) { return QString::fromStdString(profiles_[row].profile.id); }},
                {"title", [this](auto row) { return translated(profiles_[row].profile.name); }},
                {"shortTitle", [this](auto row) { return short_name(profiles_[row].profile); }},
                {"clock",
                 [this](auto row) {
                     const std::optional<Hertz>& clock = profiles_[row].gpu_max;
                     return clock ? megahertz(clock) : tr("set by the board's governor");
                 }},
                {"available", [this](auto row) { return profiles_[row].available; }},
                {"reason", [this](auto row) { return translated_message(profiles_[row].reason); }}},
               parent) {}

void ProfileModel::update(const std::vector<ResolvedProfile>& profiles) {
    const auto same_id = [](const ResolvedProfile& a, const ResolvedProfile& b) {
        return a.profile.id == b.profile.id && a.profile.name == b.profile.name;
    };
    const auto same = [&](const ResolvedProfile& a, const ResolvedProfile& b) {
        return same_id(a, b) && a.available == b.available && a.reason == b.reason && a.gpu_max == b.gpu_max;
    };
    if (std::equal(profiles_.begin(), profiles_.end(), profiles.begin(), profiles.end(), same)) return;
    replace(profiles_, profiles, same_id);
}

}  // namespace throng::ui
