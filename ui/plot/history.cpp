#include "ui/plot/history.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/models/stage_model.h"
#include "ui/plot/plot_item.h"

namespace throng::ui {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

double longest(const HistoryPoint& point) {
    return std::max(point.map_ms.value_or(0), point.reduce_ms.value_or(0));
}

}  // namespace

void History::add(const FrameResult& result) {
    HistoryPoint point;
    point.raw = result.raw_count;
    point.map_ms = stage_ms(result.timings, stage::kNmsMap);
    point.reduce_ms = stage_ms(result.timings, stage::kNmsReduce);
    if (points_.size() == kLength) points_.erase(points_.begin());
    points_.push_back(point);
    ++added_;
    emit changed();
}

void History::clear() {
    points_.clear();
    emit changed();
}

double History::raw_scale() const {
    double most = 1;
    for (const HistoryPoint& point : points_) most = std::max(most, point.raw);
    return round_scale(most);
}

// A single spike must not flatten the rest.
double History::ms_scale() const {
    std::vector<double> times;
    times.reserve(points_.size());
    for (const HistoryPoint& point : points_) times.push_back(longest(point));
    if (times.empty()) return round_scale(0);
    const auto rank = times.begin() + static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(times.size() - 1));
    std::nth_element(times.begin(), rank, times.end());
    return round_scale(*rank);
}

QVariant History::plot() const {
    using Look = PlotSeries::Look;
    PlotSeries raw{Look::area, 0, {}}, reduce{Look::line, 1, {}}, map{Look::line, 2, {}}, cut{Look::marks, 2, {}};
    const double most = raw_scale();
    const double most_ms = ms_scale();
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const HistoryPoint& point = points_[i];
        const double x = 1 - static_cast<double>(points_.size() - 1 - i) / (kLength - 1);
        raw.values.emplace_back(x, point.raw / most);
        reduce.values.emplace_back(x, point.reduce_ms ? *point.reduce_ms / most_ms : kGap);
        map.values.emplace_back(x, point.map_ms ? *point.map_ms / most_ms : kGap);
        if (longest(point) > most_ms) cut.values.emplace_back(x, 1);
    }
    return QVariant::fromValue(Plot{std::move(raw), std::move(reduce), std::move(map), std::move(cut)});
}

double History::numberAt(double fraction) const {
    const double back = std::round((1 - fraction) * (kLength - 1));
    if (back < 0 || back >= static_cast<double>(points_.size())) return -1;
    return static_cast<double>(added_) - back;
}

}  // namespace throng::ui
