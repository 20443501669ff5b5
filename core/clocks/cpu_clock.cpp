#include "core/clocks/cpu_clock.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>

namespace throng {
namespace {

constexpr std::string_view kCpus = "/sys/devices/system/cpu/";
constexpr std::string_view kSavedFiles[] = {"scaling_min_freq", "scaling_max_freq", "scaling_governor"};
constexpr Hertz kKilohertz = 1000;

std::optional<Hertz> read_hertz(const SystemFiles& files, const std::string& path) {
    const auto khz = files.read_number(path);
    return khz ? hertz_of_kilohertz(*khz) : std::nullopt;
}

// Returns the folder of a core's clock for the name of the core, such as "cpu0"; empty for other names.
std::string folder_of_core(std::string_view name) {
    const bool core = name.size() > 3 && name.starts_with("cpu") &&
                      std::all_of(name.begin() + 3, name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    return core ? std::string(kCpus).append(name).append("/cpufreq/") : std::string();
}

bool is_saved_file(std::string_view path) {
    if (!path.starts_with(kCpus)) return false;
    const std::string_view rest = path.substr(kCpus.size());
    const std::string folder = folder_of_core(rest.substr(0, rest.find('/')));
    return !folder.empty() && path.starts_with(folder) &&
           std::find(std::begin(kSavedFiles), std::end(kSavedFiles), path.substr(folder.size())) !=
               std::end(kSavedFiles);
}

}  // namespace

std::vector<std::string> CpuClock::folders() const {
    std::vector<std::string> found;
    for (const std::string& name : files_->list(std::string(kCpus))) {
        const std::string folder = folder_of_core(name);
        if (!folder.empty() && files_->exists(folder + "scaling_governor")) found.push_back(folder);
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
    if (all.empty()) return {ApplyStatus::unsupported, std::string(kCpus), "this machine has no cpufreq", ""};
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
    if (all.empty()) return {ApplyStatus::unsupported, std::string(kCpus), "this machine has no cpufreq", ""};
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
        for (const std::string_view name : kSavedFiles) {
            const std::string path = folder + std::string(name);
            if (const auto value = files_->read(path)) saved[path] = *value;
        }
    }
    return saved;
}

ApplyResult CpuClock::restore(const SavedClock& saved) {
    ApplyResult first_failure;
    // Two passes: the kernel rejects a minimum above the current maximum until the maximum has changed, and vice versa.
    for (int pass = 0; pass < 2; ++pass) {
        for (const auto& [path, value] : saved) {
            if (!is_saved_file(path) || files_->read(path) == value) continue;
            const WriteOutcome outcome = files_->write(path, value);
            if (pass == 1 && !outcome.ok() && first_failure.ok()) first_failure = rejected(path, outcome);
        }
    }
    return first_failure;
}

}  // namespace throng
