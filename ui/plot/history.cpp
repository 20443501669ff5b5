#include "ui/plot/history.h"

namespace throng::ui {

void History::add(const FrameResult& result) {
    HistoryPoint point;
    point.raw = result.raw_count;
    for (const StageTime& time : result.timings) {
        if (time.name == stage::kNmsMap) point.map_ms = time.ms;
        if (time.name == stage::kNmsReduce) point.reduce_ms = time.ms;
    }
    if (points_.size() == kLength) points_.erase(points_.begin());
    points_.push_back(point);
    ++added_;
    emit changed();
}

void History::clear() {
    points_.clear();
    emit changed();
}

}  // namespace throng::ui
