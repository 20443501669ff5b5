#include "core/clocks/cpu_clock.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace throng {
namespace {

constexpr const char* kCpus = "/sys/devices/system/cpu/";
constexpr Hertz kKilohertz = 1000;

std::optional<Hertz> read_hertz(const SystemFiles& files, const std::string& path) {
    const auto khz = files.read_number(path);
    return khz ? hertz_of_kilohertz(*khz) : std::nullopt;
}

}  // namespace

std::vector<std::string> CpuClock::folders() const {
    std::vector<std::string> found;
    for (const std::string& name : files_->list(kCpus)) {
        const bool core =
            name.size() > 3 && name.rfind("cpu", 0) == 0 &&
            std::all_of(name.begin() + 3, name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
        const std::string folder = kCpus + name + "/cpufreq/";
        if (core && files_->exists(folder + "scaling_governor")) found.push_back(folder);
    }
    return found;
}

std::vector<Hertz> CpuClock::steps() const {
    std::vector<Hertz> found;
    for (const std::string& folder : folders()) {
        for (const auto khz : files_->read_numbers(folder + "scaling_available_frequencies")) {
            if (const auto hertz = hertz_of_kilohertz(khz)) found.push_back(*hertz);
        }
        for (const char* name : {"cpuinfo_min_freq", "cpuinfo_max_freq"}) {
            if (const auto hertz = read_hertz(*files_, folder + name)) found.push_back(*hertz);
        }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

CpuClockReading CpuClock::read() const {
    CpuClockReading reading;
    for (const std::string& folder : folders()) {
        if (const auto current = read_hertz(*files_, folder + "scaling_cur_freq")) {
            reading.current = std::max(reading.current.value_or(0), *current);
        }
        if (!reading.min) reading.min = read_hertz(*files_, folder + "scaling_min_freq");
        if (!reading.max) reading.max = read_hertz(*files_, folder + "scaling_max_freq");
        if (reading.governor.empty()) reading.governor = files_->read(folder + "scaling_governor").value_or("");
    }
    return reading;
}

ApplyResult CpuClock::set_range(Hertz min, Hertz max) {
    const auto all = folders();
    if (all.empty()) return {ApplyStatus::unsupported, kCpus, "this machine has no cpufreq", ""};
    for (const std::string& folder : all) {
        const std::pair<const char*, Hertz> lower{"scaling_min_freq", min};
        const std::pair<const char*, Hertz> upper{"scaling_max_freq", max};
        const bool raise = min > read_hertz(*files_, folder + "scaling_max_freq").value_or(0);
        for (const auto& [name, value] : raise ? std::array{upper, lower} : std::array{lower, upper}) {
            const WriteOutcome outcome = files_->write(folder + name, std::to_string(value / kKilohertz));
            if (!outcome.ok()) return rejected(folder + name, outcome);
        }
        const auto actual = read_hertz(*files_, folder + "scaling_max_freq");
        if (actual != max) {
            return {
                ApplyStatus::rejected, folder + "scaling_max_freq",
                "requested " + std::to_string(max) + " Hz, but the board reports " + std::to_string(actual.value_or(0)),
                ""};
        }
    }
    return {};
}

ApplyResult CpuClock::set_governor(const std::string& governor) {
    const auto all = folders();
    if (all.empty()) return {ApplyStatus::unsupported, kCpus, "this machine has no cpufreq", ""};
    for (const std::string& folder : all) {
        const std::string path = folder + "scaling_governor";
        const WriteOutcome outcome = files_->write(path, governor);
        if (!outcome.ok()) return rejected(path, outcome);
        if (files_->read(path) != governor) return {ApplyStatus::rejected, path, "the governor did not change", ""};
    }
    return {};
}

SavedClock CpuClock::save() const {
    SavedClock saved;
    for (const std::string& folder : folders()) {
        for (const char* name : {"scaling_min_freq", "scaling_max_freq", "scaling_governor"}) {
            if (const auto value = files_->read(folder + name)) saved[folder + name] = *value;
        }
    }
    return saved;
}

ApplyResult CpuClock::restore(const SavedClock& saved) {
    ApplyResult first_failure;
    // Two passes: the kernel rejects a minimum above the current maximum until the maximum has changed, and vice versa.
    for (int pass = 0; pass < 2; ++pass) {
        for (const auto& [path, value] : saved) {
            if (files_->read(path) == value) continue;
            const WriteOutcome outcome = files_->write(path, value);
            if (pass == 1 && !outcome.ok() && first_failure.ok()) first_failure = rejected(path, outcome);
        }
    }
    return first_failure;
}

}  // namespace throng
