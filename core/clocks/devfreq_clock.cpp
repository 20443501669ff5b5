#include "core/clocks/devfreq_clock.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace throng {
namespace {

struct KnownNode {
    std::string_view soc;
    std::string_view folder;
};

// Paths of the GPU by SoC, for boards on which /sys/class/devfreq does not identify it. Sources: L4T's kernel trees and
// jetson_clocks.
constexpr std::array kKnownNodes{
    KnownNode{"tegra210", "/sys/devices/57000000.gpu/devfreq/57000000.gpu"},
    KnownNode{"tegra210", "/sys/devices/gpu.0/devfreq/57000000.gpu"},
    KnownNode{"tegra186", "/sys/devices/17000000.gp10b/devfreq/17000000.gp10b"},
    KnownNode{"tegra194", "/sys/devices/17000000.gv11b/devfreq/17000000.gv11b"},
    KnownNode{"tegra234", "/sys/devices/17000000.ga10b/devfreq/17000000.ga10b"},
    KnownNode{"tegra234", "/sys/devices/platform/bus@0/17000000.gpu/devfreq/17000000.gpu"},
    KnownNode{"tegra234", "/sys/devices/platform/17000000.gpu/devfreq_dev"},
    KnownNode{"tegra264", "/sys/class/devfreq/gpu-gpc-0"},
};

constexpr std::array<std::string_view, 4> kGpuNames{"gp10b", "gv11b", "ga10b", "gpu"};

bool names_gpu(std::string_view name) {
    return std::any_of(kGpuNames.begin(), kGpuNames.end(),
                       [name](std::string_view gpu) { return name.find(gpu) != std::string_view::npos; });
}

bool is_node(const SystemFiles& files, const std::string& folder) {
    return files.exists(folder + "/cur_freq") || files.exists(folder + "/available_frequencies");
}

class DevfreqClock final : public BoardClock {
public:
    DevfreqClock(std::shared_ptr<SystemFiles> files, FindDevfreqNode find, Message missing, std::shared_ptr<Nvml> nvml)
        : files_(std::move(files)), find_(std::move(find)), missing_(std::move(missing)), nvml_(std::move(nvml)) {}

    std::string kind() const override { return "devfreq"; }
    std::string location() const override { return node().value_or(""); }

    std::vector<Hertz> steps() const override {
        const std::optional<std::string> folder = node();
        if (!folder) return {};
        std::vector<Hertz> found = files_->read_numbers(*folder + "/available_frequencies");
        std::erase_if(found, [](Hertz step) { return step <= 0; });
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }

    BoardClockReading read() const override {
        BoardClockReading reading;
        const std::optional<std::string> folder = node();
        if (!folder) return reading;
        reading.current = files_->read_number(*folder + "/cur_freq");
        reading.min = files_->read_number(*folder + "/min_freq");
        reading.max = files_->read_number(*folder + "/max_freq");
        reading.governor = files_->read(*folder + "/governor").value_or("");
        // The load is in the GPU's folder, outside the devfreq folder, in thousandths.
        for (const char* file : {"/device/load", "/../../load"}) {
            if (const auto load = files_->read_number(*folder + file); load && *load >= 0 && *load <= 1000) {
                reading.load = static_cast<double>(*load) / 1000.0;
                break;
            }
        }
        if (!reading.load && nvml_) reading.load = nvml_->load();
        return reading;
    }

    ApplyResult set_range(Hertz min, Hertz max) override {
        const std::optional<std::string> folder = node();
        if (!folder) return not_there();
        // Older kernels reject min > max at any time: first widen the range in the direction of the change.
        const Hertz current_max = files_->read_number(*folder + "/max_freq").value_or(0);
        const std::pair<const char*, Hertz> lower{"/min_freq", min};
        const std::pair<const char*, Hertz> upper{"/max_freq", max};
        const bool raise = min > current_max;
        for (const auto& [file, value] : raise ? std::array{upper, lower} : std::array{lower, upper}) {
            if (files_->read_number(*folder + file) == value) continue;
            const WriteOutcome outcome = files_->write(*folder + file, std::to_string(value));
            if (outcome.status == WriteStatus::rejected)
                break;  // the reported range is more informative than "invalid argument"
            if (!outcome.ok()) return rejected(*folder + file, outcome);
        }
        return read_back(*folder, min, max);
    }

    ApplyResult set_automatic() override {
        const std::vector<Hertz> range = steps();
        if (range.empty()) return not_there();
        return set_range(range.front(), range.back());
    }

    SavedClock save() const override {
        SavedClock saved;
        const std::optional<std::string> folder = node();
        if (!folder) return saved;
        for (const char* name : {"min_freq", "max_freq", "governor"}) {
            if (const auto value = files_->read(*folder + "/" + name); value && !value->empty()) saved[name] = *value;
        }
        return saved;
    }

    ApplyResult restore(const SavedClock& saved) override {
        const std::optional<std::string> folder = node();
        if (!folder) return not_there();
        if (const auto governor = saved.find("governor");
            governor != saved.end() && files_->read(*folder + "/governor") != governor->second) {
            const WriteOutcome outcome = files_->write(*folder + "/governor", governor->second);
            if (!outcome.ok()) return rejected(*folder + "/governor", outcome);
        }
        const auto min = saved.find("min_freq");
        const auto max = saved.find("max_freq");
        if (min == saved.end() || max == saved.end()) return {};
        return set_range(std::strtoll(min->second.c_str(), nullptr, 10),
                         std::strtoll(max->second.c_str(), nullptr, 10));
    }

private:
    [[nodiscard]] std::optional<std::string> node() const { return find_(*files_); }

    [[nodiscard]] ApplyResult not_there() const {
        return {ApplyStatus::unsupported, "/sys/class/devfreq", missing_,
                "it may appear after the first use of the GPU; try again then"};
    }

    [[nodiscard]] ApplyResult read_back(const std::string& folder, Hertz min, Hertz max) const {
        const auto actual_min = files_->read_number(folder + "/min_freq");
        const auto actual_max = files_->read_number(folder + "/max_freq");
        if (actual_min == min && actual_max == max) return {};
        return {ApplyStatus::rejected, folder,
                "requested " + std::to_string(min) + " to " + std::to_string(max) + " Hz, but the board reports " +
                    std::to_string(actual_min.value_or(0)) + " to " + std::to_string(actual_max.value_or(0)),
                "the power mode or the firmware limits the clock, or another program controls it"};
    }

    std::shared_ptr<SystemFiles> files_;
    FindDevfreqNode find_;
    Message missing_;
    std::shared_ptr<Nvml> nvml_;
};

}  // namespace

std::optional<std::string> find_devfreq_node(const SystemFiles& files, const std::string& soc) {
    const std::string top = "/sys/class/devfreq/";
    std::optional<std::string> by_name;
    for (const std::string& entry : files.list(top)) {
        const std::string folder = top + entry;
        if (!is_node(files, folder)) continue;
        const std::string tree_name = files.read(folder + "/device/of_node/name").value_or("");
        if (names_gpu(tree_name)) return files.resolve(folder);
        // T264 has one device per clock domain; only gpu-gpc is graphics (gpu-nvd is video).
        const bool graphics = entry.rfind("gpu-gpc", 0) == 0 || (names_gpu(entry) && entry.rfind("gpu-", 0) != 0);
        if (!by_name && graphics) by_name = files.resolve(folder);
    }
    if (by_name) return by_name;
    for (const KnownNode& known : kKnownNodes) {
        if (known.soc == soc && is_node(files, std::string(known.folder))) return std::string(known.folder);
    }
    return std::nullopt;
}

std::unique_ptr<BoardClock> make_devfreq_clock(std::shared_ptr<SystemFiles> files, FindDevfreqNode find,
                                               Message missing, std::shared_ptr<Nvml> nvml) {
    return std::make_unique<DevfreqClock>(std::move(files), std::move(find), std::move(missing), std::move(nvml));
}

}  // namespace throng
