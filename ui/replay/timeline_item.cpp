#include "ui/replay/timeline_item.h"

#include <QPainter>
#include <algorithm>

namespace throng::ui {

void TimelineItem::set_timeline(Timeline* timeline) {
    if (timeline_ == timeline) return;
    if (timeline_) disconnect(timeline_, nullptr, this, nullptr);
    timeline_ = timeline;
    if (timeline_) connect(timeline_, &Timeline::changed, this, &TimelineItem::refresh);
    emit timelineChanged();
    refresh();
}

void TimelineItem::refresh() {
    parts_ = timeline_ ? timeline_->parts() : std::vector<Timeline::Part>{};
    update();
}

void TimelineItem::paint(QPainter* painter) {
    constexpr double kMark = 3;  // height of the mark of a slow part
    int most = 1;
    for (const Timeline::Part& part : parts_) most = std::max(most, part.faces);
    const double wide = width() / Timeline::kParts;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const Timeline::Part& part = parts_[i];
        if (part.faces < 0) continue;
        const double x = static_cast<double>(i) * wide;
        const double tall = std::max(1.0, (height() - kMark - 1) * part.faces / most);
        painter->fillRect(QRectF(x, height() - tall, wide + 0.5, tall), color_);
        if (part.slow) painter->fillRect(QRectF(x, 0, std::max(wide, 2.0), kMark), slow_color_);
    }
}

}  // namespace throng::ui
