#include "core/clocks/clock_sweep.h"

#include <algorithm>
#include <utility>

namespace throng {
namespace {

std::optional<double> median(std::vector<double> values) {
    if (values.empty()) return std::nullopt;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

std::vector<std::string> ClockSweep::ids_of(const std::vector<ResolvedProfile>& profiles) {
    std::map<Hertz, std::string> by_clock;
    for (const ResolvedProfile& entry : profiles) {
        if (entry.available && entry.gpu_max && entry.gpu_min == entry.gpu_max)
            by_clock.emplace(*entry.gpu_max, entry.profile.id);
    }
    std::vector<std::string> ids;
    ids.reserve(by_clock.size());
    for (const auto& [clock, id] : by_clock) ids.push_back(id);
    return ids;
}

std::optional<std::string> ClockSweep::step(Time now, const ClockStatus& clocks) {
    switch (state_) {
        case State::next:
            if (at_ >= options_.ids.size()) {
                state_ = State::done;
                return std::string();
            }
            state_ = State::applying;
            since_ = now;
            return options_.ids[at_];
        case State::applying:
            if (clocks.requested != options_.ids[at_]) {  // another profile was chosen meanwhile
                cancel();
            } else if (clocks.phase == ClockPhase::rejected || now - since_ > options_.patience) {
                SweepPoint point;
                point.id = options_.ids[at_++];
                point.rejected = clocks.phase == ClockPhase::rejected
                                     ? clocks.result.where + ": " + clocks.result.reason.text()
                                     : "the clock change timed out";
                points_.push_back(std::move(point));
                state_ = State::next;
            } else if (clocks.phase == ClockPhase::applied) {
                state_ = State::settling;
                since_ = now;
            }
            return std::nullopt;
        case State::settling:
            if (now - since_ < options_.settle) return std::nullopt;
            samples_.clear();
            clocks_.clear();
            joules_.clear();
            frames_ = 0;
            throttled_ = false;
            state_ = State::measuring;
            since_ = now;
            return std::nullopt;
        case State::measuring:
            if (clocks.requested != options_.ids[at_]) {
                cancel();
            } else if (now - since_ >= options_.dwell) {
                finish_point(clocks);
                ++at_;
                state_ = State::next;
            }
            return std::nullopt;
        case State::done: break;
    }
    return std::nullopt;
}

void ClockSweep::add(const StageTimes& frame) {
    if (state_ != State::measuring) return;
    ++frames_;
    for (const auto& [name, ms] : frame) samples_[std::string(name)].push_back(ms);
}

void ClockSweep::add(const TelemetrySample& sample) {
    if (state_ != State::measuring) return;
    if (sample.gpu_clock) clocks_.push_back(static_cast<double>(*sample.gpu_clock));
    if (sample.joules_per_frame) joules_.push_back(*sample.joules_per_frame);
    throttled_ |= sample.throttled();
}

void ClockSweep::finish_point(const ClockStatus& clocks) {
    SweepPoint point;
    point.id = options_.ids[at_];
    point.frames = frames_;
    for (auto& [name, values] : samples_) point.ms[name] = *median(values);
    point.clock = clocks.reading.requested;
    if (const auto measured = median(clocks_)) point.clock = static_cast<Hertz>(*measured);
    point.joules = median(joules_);
    point.throttled = throttled_;
    points_.push_back(std::move(point));
}

}  // namespace throng
