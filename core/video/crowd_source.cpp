#include "core/video/crowd_source.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/resources.h"
#include "core/synth/crowd.h"

namespace throng {
namespace {

// Leaves a core free. With a painter on every core, a thread that has waited for a device runs again only when the next
// frame is painted.
int painters() {
    const int cores = cpu_cores();
    return cores > 2 ? cores - 1 : cores;
}

class CrowdSource final : public VideoSource {
public:
    CrowdSource(std::string name, const CrowdOptions& options) : name_(std::move(name)), crowd_(options, painters()) {}

    ReadStatus read(Frame& frame, std::stop_token stop) override {
        if (stop.stop_requested()) return ReadStatus::timeout;
        if (frames() > 0 && next_ >= frames()) return ReadStatus::end;
        const auto pts = static_cast<double>(next_) / crowd_.options().fps;
        frame = crowd_.frame(next_).with_timing(next_, pts, std::chrono::steady_clock::now());
        ++next_;
        return ReadStatus::frame;
    }

    bool seek(double seconds) override {
        if (!std::isfinite(seconds)) return false;
        constexpr double kLastFrame = 1e15;  // of an endless crowd: practically infinite, and exact in a double
        constexpr double kRounding = 1e-6;   // so that a seek to the time of frame n returns frame n
        const double last = frames() > 0 ? static_cast<double>(frames() - 1) : kLastFrame;
        next_ =
            static_cast<std::int64_t>(std::clamp(std::floor(seconds * crowd_.options().fps + kRounding), 0.0, last));
        return true;
    }

    [[nodiscard]] SourceInfo info() const override {
        const CrowdOptions& options = crowd_.options();
        SourceInfo info;
        info.name = name_;
        info.details = {"drawn crowd of %1, %2x%3", options.faces, options.width, options.height};
        info.width = options.width;
        info.height = options.height;
        info.fps = options.fps;
        info.seekable = true;
        if (frames() > 0) {
            info.frame_count = frames();
            info.duration = static_cast<double>(frames()) / options.fps;
        }
        return info;
    }

private:
    [[nodiscard]] std::int64_t frames() const { return crowd_.options().frames; }

    std::string name_;
    Crowd crowd_;
    std::int64_t next_ = 0;
};

}  // namespace

std::unique_ptr<VideoSource> open_crowd(std::string_view spec) {
    const auto colon = spec.find(':');
    const std::string_view keys = colon == std::string_view::npos ? std::string_view() : spec.substr(colon + 1);
    return std::make_unique<CrowdSource>(std::string(spec), parse_crowd_options(keys));
}

}  // namespace throng
