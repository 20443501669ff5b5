#include "ui/replay/timeline.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/log.h"
#include "ui/plot/plot_item.h"

namespace throng::ui {
namespace {

std::size_t part_at(double fraction) {
    return static_cast<std::size_t>(std::clamp(fraction, 0.0, 0.9999) * Timeline::kParts);
}

}  // namespace

Timeline::Timeline(QObject* parent)
    : QObject(parent), worker_(this, [this](Image image, const Message& problem) {
          problem.empty() ? receive(std::move(image)) : logger().error("cannot make a small image: {}", problem.text());
      }) {}

void Timeline::add(const std::shared_ptr<const FrameResult>& result, double duration) {
    if (!(duration > 0)) return;
    if (parts_.empty()) {
        parts_.resize(kParts);
        worker_.open([maker = ImageMaker()](const Request& request, const auto& job) mutable {
            job.report({request.part, std::make_shared<const Jpeg>(
                                          small_jpeg(maker, request.result, kImageWidth, request.hides_faces))});
        });
    }
    aspect_ = static_cast<double>(result->frame.width()) / result->frame.height();
    const std::size_t at = part_at(result->frame.info().pts / duration);
    Part& part = parts_[at];
    const bool first = part.faces < 0;
    part.faces = std::max(part.faces, static_cast<int>(result->kept.detections.size()));
    for (const StageTime& time : result->timings) {
        if (time.name == stage::kTotal) part.ms = std::max(part.ms, time.ms);
    }
    if (!part.jpeg) worker_.push({result, at, hides_faces_});
    if (!first) return;
    mark_slow_parts();
    emit changed();
}

void Timeline::mark_slow_parts() {
    std::vector<double> times;
    for (const Part& part : parts_) {
        if (part.faces >= 0) times.push_back(part.ms);
    }
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    for (Part& part : parts_) part.slow = part.ms > 2 * *middle;
}

void Timeline::clear() {
    worker_.close();
    parts_.clear();
    emit changed();
}

void Timeline::set_hides_faces(bool on) {
    if (std::exchange(hides_faces_, on) == on || !on) return;
    worker_.clear();
    for (Part& part : parts_) part.jpeg.reset();
    emit changed();
}

QVariant Timeline::plot() const {
    constexpr double kTall = 0.7;  // of the bars: the marks are above
    PlotSeries faces{PlotSeries::Look::bars, 0, {}, 1.0 / kParts}, slow{PlotSeries::Look::marks, 1, {}};
    int most = 1;
    for (const Part& part : parts_) most = std::max(most, part.faces);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const double x = (static_cast<double>(i) + 0.5) / kParts;
        if (parts_[i].faces >= 0) faces.values.emplace_back(x, kTall * parts_[i].faces / most);
        if (parts_[i].slow) slow.values.emplace_back(x, 1);
    }
    return QVariant::fromValue(Plot{std::move(faces), std::move(slow)});
}

int Timeline::facesAt(double fraction) const {
    return parts_.empty() ? -1 : parts_[part_at(fraction)].faces;
}

QVariant Timeline::imageAt(double fraction) const {
    constexpr int kNear = 3;  // parts: images are skipped while the window is slower than playback
    const auto at = static_cast<int>(part_at(fraction));
    for (int away = 0; !parts_.empty() && away <= kNear; ++away) {
        for (const int index : {at - away, at + away}) {
            if (index < 0 || index >= kParts) continue;
            if (const auto& jpeg = parts_[static_cast<std::size_t>(index)].jpeg) return image_of(*jpeg);
        }
    }
    return {};
}

void Timeline::receive(Image image) {
    if (image.part >= parts_.size()) return;
    parts_[image.part].jpeg = std::move(image.jpeg);
    emit changed();
}

}  // namespace throng::ui
