#include "core/pipeline/auto_quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/detect/detector_kinds.h"

namespace throng {
namespace {

constexpr double kReserve = 0.8;  // share of the budget that a finer level may be expected to take
constexpr std::chrono::seconds kPatience{2};
constexpr std::chrono::seconds kMaxPatience{60};

// Returns how many times the work of `coarser` that of `finer` is. The number of windows of a pyramid, and of pixels of a
// network's input, falls with the square of the minimum size, the number of scales with the logarithm of the factor.
double times_the_work(const DetectorParams& finer, const DetectorParams& coarser) {
    const double sizes = static_cast<double>(coarser.min_size) / finer.min_size;
    return sizes * sizes * std::log(coarser.scale_factor) / std::log(finer.scale_factor);
}

}  // namespace

AutoQuality::AutoQuality(const DetectorParams& configured, double rate)
    : budget_ms_(1000 / rate), levels_{configured}, patience_(kPatience) {
    const auto add = [this](DetectorParams params) {
        if (params.max_size > 0) params.min_size = std::min(params.min_size, params.max_size);
        if (params != levels_.back()) levels_.push_back(std::move(params));
    };
    for (const double factor : {1.25, 1.5}) {
        DetectorParams params = configured;
        params.min_size = static_cast<int>(std::lround(configured.min_size * factor));
        add(params);
    }
    if (detector_kind(configured.kind).is_network()) return;  // few scales, or one; the size decides
    for (const double factor : {1.15, 1.2, 1.25}) {
        DetectorParams params = levels_.back();
        params.scale_factor = std::max(configured.scale_factor, factor);
        add(params);
    }
}

bool AutoQuality::add(double milliseconds, Clock::time_point now) {
    times_.push_back(milliseconds);
    if (times_.size() < kFrames) return false;
    const auto middle = times_.begin() + kFrames / 2;
    std::nth_element(times_.begin(), middle, times_.end());
    const double ms = *middle;
    times_.clear();
    if (ms > budget_ms_) {
        if (level_ + 1 == levels_.size()) return false;
        // The finer level did not last.
        if (refined_) patience_ = std::min(2 * patience_, kMaxPatience);
        enter(level_ + 1, now);
        refined_ = false;
        return true;
    }
    if (level_ == 0 || now - entered_ < patience_) return false;
    if (ms * times_the_work(levels_[level_ - 1], params()) > kReserve * budget_ms_) return false;
    enter(level_ - 1, now);
    refined_ = true;
    return true;
}

void AutoQuality::enter(std::size_t level, Clock::time_point now) {
    level_ = level;
    entered_ = now;
}

DetectorParams AutoQuality::scaled(DetectorParams faces) const {
    const double factor = static_cast<double>(params().min_size) / levels_.front().min_size;
    const int larger = static_cast<int>(std::lround(faces.min_size * factor));
    faces.min_size = faces.max_size > 0 ? std::min(larger, faces.max_size) : larger;
    return faces;
}

Message AutoQuality::given_up() const {
    if (level_ == 0) return {};
    const DetectorParams& asked = levels_.front();
    const DetectorParams& used = params();
    const Message finds = std::string(detector_kind(asked.kind).finds).c_str();
    if (used.scale_factor == asked.scale_factor) {
        return {"%1 from %2 instead of %3 px", finds, used.min_size, asked.min_size};
    }
    return {"%1 from %2 instead of %3 px, scale factor %4 instead of %5",
            finds,
            used.min_size,
            asked.min_size,
            fmt::format("{}", used.scale_factor),
            fmt::format("{}", asked.scale_factor)};
}

}  // namespace throng
