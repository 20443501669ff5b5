#include "core/clocks/override_clock.h"

#include <algorithm>
#include <utility>

namespace throng {
namespace {

class OverrideClock final : public BoardClock {
public:
    OverrideClock(std::shared_ptr<SystemFiles> files, OverrideFiles paths)
        : files_(std::move(files)), paths_(std::move(paths)) {}

    std::string kind() const override { return paths_.kind; }
    std::string location() const override { return paths_.rate.substr(0, paths_.rate.rfind('/') + 1); }

    std::vector<Hertz> steps() const override {
        const Hertz min = files_->read_number(paths_.min).value_or(0);
        const Hertz max = files_->read_number(paths_.max).value_or(0);
        std::vector<Hertz> found;
        // "72000 108000 … (kHz)": words that are not numbers are skipped.
        if (!paths_.steps.empty()) {
            for (const std::int64_t khz : files_->read_numbers(paths_.steps)) {
                if (const auto hertz = hertz_of_kilohertz(khz)) found.push_back(*hertz);
            }
        }
        if (found.empty()) found = paths_.known_steps;
        if (found.empty()) found = {min, max};
        std::erase_if(found, [&](Hertz step) { return step <= 0 || step < min || (max > 0 && step > max); });
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }

    BoardClockReading read() const override {
        BoardClockReading reading;
        reading.current = files_->read_number(paths_.current);
        if (overridden()) {
            reading.min = reading.max = files_->read_number(paths_.rate);
            reading.governor = "override";
        } else {
            reading.min = files_->read_number(paths_.min);
            reading.max = files_->read_number(paths_.max);
            reading.governor = "automatic";
        }
        return reading;
    }

    ApplyResult set_range(Hertz /*min*/, Hertz max) override {
        if (const auto outcome = files_->write(paths_.rate, std::to_string(max)); !outcome.ok())
            return rejected(paths_.rate, outcome);
        if (ApplyResult result = set_override(true); !result.ok()) return result;
        const auto actual = files_->read_number(paths_.rate);
        if (actual == max) return {};
        return {ApplyStatus::rejected, paths_.rate,
                "requested " + std::to_string(max) + " Hz, but the board reports " + std::to_string(actual.value_or(0)),
                ""};
    }

    ApplyResult set_automatic() override { return set_override(false); }

    SavedClock save() const override {
        return {{"state", overridden() ? "1" : "0"}, {"rate", files_->read(paths_.rate).value_or("")}};
    }

    ApplyResult restore(const SavedClock& saved) override {
        const auto state = saved.find("state");
        const auto rate = saved.find("rate");
        if (state == saved.end() || state->second == "0" || rate == saved.end()) return set_automatic();
        const Hertz hertz = std::strtoll(rate->second.c_str(), nullptr, 10);
        return set_range(hertz, hertz);
    }

private:
    [[nodiscard]] bool overridden() const { return files_->read_number(paths_.state) == 1; }

    ApplyResult set_override(bool on) {
        if (overridden() == on) return {};
        const WriteOutcome outcome = files_->write(paths_.state, on ? "1" : "0");
        return outcome.ok() ? ApplyResult{} : rejected(paths_.state, outcome);
    }

    std::shared_ptr<SystemFiles> files_;
    OverrideFiles paths_;
};

}  // namespace

std::unique_ptr<BoardClock> make_override_clock(std::shared_ptr<SystemFiles> files, OverrideFiles paths) {
    return std::make_unique<OverrideClock>(std::move(files), std::move(paths));
}

}  // namespace throng
