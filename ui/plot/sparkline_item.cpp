#include "ui/plot/sparkline_item.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace throng::ui {
namespace {

constexpr double kSparkWidth = 1.6;

}  // namespace

SparklineItem::SparklineItem(QQuickItem* parent) : QQuickPaintedItem(parent) {
    setAntialiasing(true);
    connect(this, &SparklineItem::changed, this, [this] { update(); });
}

void SparklineItem::paint(QPainter* painter) {
    const QRectF area = QRectF(QPointF(0, 0), size()).adjusted(0, kSparkWidth, 0, -1);
    painter->setPen(QPen(grid_color_, 1));
    painter->drawLine(area.bottomLeft(), area.bottomRight());
    if (series_.isEmpty() || !(highest_ > 0)) return;

    const double step = area.width() / std::max(1, capacity_ - 1);
    const double first = area.right() - step * static_cast<double>(series_.size() - 1);
    QColor shade = color_;
    shade.setAlphaF(0.18F);
    painter->setRenderHint(QPainter::Antialiasing);
    const QPen pen(color_, kSparkWidth, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);

    QPainterPath run;
    double run_left = 0;
    const auto draw = [&] {
        if (run.isEmpty()) return;
        QPainterPath ground = run;
        ground.lineTo(run.currentPosition().x(), area.bottom());
        ground.lineTo(run_left, area.bottom());
        painter->fillPath(ground, shade);
        painter->setPen(pen);
        painter->drawPath(run);
        run = {};
    };
    for (qsizetype i = 0; i < series_.size(); ++i) {
        if (!std::isfinite(series_[i])) {
            draw();
            continue;
        }
        const QPointF point(first + step * static_cast<double>(i),
                            area.bottom() - area.height() * std::clamp(series_[i] / highest_, 0.0, 1.0));
        if (run.elementCount() == 0) {
            run.moveTo(point);
            run.lineTo(point + QPointF(0.01, 0));  // a single value is drawn as a dot
            run_left = point.x();
        } else {
            run.lineTo(point);
        }
    }
    draw();
}

}  // namespace throng::ui
