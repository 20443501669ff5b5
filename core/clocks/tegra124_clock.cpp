#include "core/clocks/tegra124_clock.h"

#include <algorithm>
#include <array>
#include <utility>

namespace throng {
namespace {

constexpr const char* kClock = "/sys/kernel/debug/clock/";
constexpr const char* kOverride = "/sys/kernel/debug/clock/override.gbus/";
constexpr const char* kCluster = "/sys/kernel/cluster/";

// For kernels without possible_rates. MHz.
constexpr std::array kKnownRates{72, 108, 180, 252, 324, 396, 468, 540, 612, 648, 684, 708, 756, 804, 852};

class Tegra124Clock final : public GpuClock {
public:
    explicit Tegra124Clock(std::shared_ptr<SystemFiles> files) : files_(std::move(files)) {}

    std::string kind() const override { return "tegra124"; }
    std::string location() const override { return kOverride; }

    std::vector<Hertz> steps() const override {
        std::vector<Hertz> found;
        // "72000 108000 … (kHz)": words that are not numbers are skipped.
        for (const std::int64_t khz : files_->read_numbers(std::string(kClock) + "gbus/possible_rates")) {
            if (khz > 0) found.push_back(khz * 1000);
        }
        if (found.empty()) {
            for (const int mhz : kKnownRates) found.push_back(Hertz{mhz} * 1'000'000);
        }
        const auto min = files_->read_number(std::string(kClock) + "gbus/min").value_or(0);
        const auto max = files_->read_number(std::string(kClock) + "gbus/max").value_or(0);
        std::erase_if(found, [&](Hertz step) { return step < min || (max > 0 && step > max); });
        std::sort(found.begin(), found.end());
        return found;
    }

    GpuClockReading read() const override {
        GpuClockReading reading;
        reading.current = files_->read_number(std::string(kClock) + "gbus/rate");
        if (overridden()) {
            reading.min = reading.max = files_->read_number(std::string(kOverride) + "rate");
            reading.governor = "override";
        } else {
            reading.min = files_->read_number(std::string(kClock) + "gbus/min");
            reading.max = files_->read_number(std::string(kClock) + "gbus/max");
            reading.governor = "automatic";
        }
        return reading;
    }

    ApplyResult set_range(Hertz /*min*/, Hertz max) override {
        const std::string rate = std::string(kOverride) + "rate";
        if (const auto outcome = files_->write(rate, std::to_string(max)); !outcome.ok())
            return rejected(rate, outcome);
        if (ApplyResult result = set_override(true); !result.ok()) return result;
        const auto actual = files_->read_number(rate);
        if (actual == max) return {};
        return {ApplyStatus::rejected, rate,
                "requested " + std::to_string(max) + " Hz, but the board reports " + std::to_string(actual.value_or(0)),
                ""};
    }

    ApplyResult set_automatic() override { return set_override(false); }

    SavedClock save() const override {
        return {{"state", overridden() ? "1" : "0"},
                {"rate", files_->read(std::string(kOverride) + "rate").value_or("")}};
    }

    ApplyResult restore(const SavedClock& saved) override {
        const auto state = saved.find("state");
        const auto rate = saved.find("rate");
        if (state == saved.end() || state->second == "0" || rate == saved.end()) return set_automatic();
        const Hertz hertz = std::strtoll(rate->second.c_str(), nullptr, 10);
        return set_range(hertz, hertz);
    }

private:
    [[nodiscard]] bool overridden() const { return files_->read_number(std::string(kOverride) + "state") == 1; }

    ApplyResult set_override(bool on) {
        if (overridden() == on) return {};
        const std::string state = std::string(kOverride) + "state";
        const WriteOutcome outcome = files_->write(state, on ? "1" : "0");
        return outcome.ok() ? ApplyResult{} : rejected(state, outcome);
    }

    std::shared_ptr<SystemFiles> files_;
};

}  // namespace

std::unique_ptr<GpuClock> make_tegra124_clock(std::shared_ptr<SystemFiles> files) {
    return std::make_unique<Tegra124Clock>(std::move(files));
}

std::string tegra124_cpu_cluster(const SystemFiles& files) {
    return files.read(std::string(kCluster) + "active").value_or("");
}

ApplyResult set_tegra124_cpu_cluster(SystemFiles& files, const std::string& cluster) {
    // immediate: switch now. force = 0: the governor must not switch back by itself.
    for (const auto& [name, value] : {std::pair{"immediate", std::string("0")}, std::pair{"force", std::string("0")},
                                      std::pair{"active", cluster}}) {
        const std::string path = std::string(kCluster) + name;
        const WriteOutcome outcome = files.write(path, value);
        if (!outcome.ok()) return rejected(path, outcome);
    }
    const std::string active = tegra124_cpu_cluster(files);
    if (active == cluster) return {};
    return {ApplyStatus::rejected, std::string(kCluster) + "active",
            "requested " + cluster + ", but the board reports " + active, ""};
}

}  // namespace throng
