#include "ui/plot/plot_item.h"

#include <QPainter>
#include <QPolygonF>
#include <algorithm>
#include <cmath>

namespace throng::ui {
namespace {

constexpr double kLineWidth = 1.8;
constexpr double kThinLine = 1.2;
constexpr double kDot = 3.5;  // radius
constexpr double kMark = 4;   // half the width of a mark
constexpr double kMinBar = 2;

// Returns the values without gaps, in pixels.
std::vector<QPolygonF> runs_of(const PlotSeries& series, const QRectF& area) {
    std::vector<QPolygonF> runs(1);
    for (const QPointF& value : series.values) {
        if (!std::isfinite(value.y())) {
            if (!runs.back().isEmpty()) runs.emplace_back();
            continue;
        }
        runs.back() << QPointF(area.left() + area.width() * value.x(),
                               area.bottom() - area.height() * std::clamp(value.y(), 0.0, 1.0));
    }
    if (runs.back().isEmpty()) runs.pop_back();
    return runs;
}

void paint_bars(QPainter& painter, const PlotSeries& series, const QRectF& area, const QColor& color) {
    const double wide = std::max(kMinBar, area.width() * series.width);
    for (const QPolygonF& run : runs_of(series, area)) {
        for (const QPointF& top : run) {
            const double y = std::min(top.y(), area.bottom() - 1);
            painter.fillRect(QRectF(top.x() - wide / 2, y, wide, area.bottom() - y), color);
        }
    }
}

void paint_series(QPainter& painter, const PlotSeries& series, const QRectF& area, const QColor& color) {
    using Look = PlotSeries::Look;
    if (series.look == Look::bars) return paint_bars(painter, series, area, color);
    const QPen pen(color, series.look == Look::area ? kThinLine : kLineWidth, Qt::SolidLine, Qt::RoundCap,
                   Qt::RoundJoin);
    for (const QPolygonF& run : runs_of(series, area)) {
        if (series.look == Look::marks) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(color);
            for (const QPointF& at : run) {
                const double y = area.top() + 1.5 * kMark;
                painter.drawPolygon(QPolygonF({{at.x() - kMark, y}, {at.x() + kMark, y}, {at.x(), area.top()}}));
            }
            continue;
        }
        if (series.look == Look::area) {
            QColor shade = color;
            shade.setAlphaF(0.22F);
            painter.setPen(Qt::NoPen);
            painter.setBrush(shade);
            painter.drawPolygon(QPolygonF(run)
                                << QPointF(run.last().x(), area.bottom()) << QPointF(run.first().x(), area.bottom()));
        }
        painter.setPen(pen);
        painter.setBrush(color);
        painter.drawPolyline(run);
        if (series.look != Look::dots && run.size() > 1) continue;  // a single value is drawn as a dot
        const double radius = series.look == Look::dots ? kDot : 1;
        for (const QPointF& at : run) painter.drawEllipse(at, radius, radius);
    }
}

}  // namespace

PlotItem::PlotItem(QQuickItem* parent) : QQuickPaintedItem(parent) {
    setAntialiasing(true);
    connect(this, &PlotItem::changed, this, [this] { update(); });
}

void PlotItem::paint(QPainter* painter) {
    const QRectF area = QRectF(QPointF(0, 0), size()).adjusted(inset_, inset_ + kLineWidth, -inset_, -inset_ - 0.5);
    painter->setPen(QPen(grid_color_, 1));
    for (const double height : grid_) {
        const double y = std::round(area.bottom() - area.height() * height) + 0.5;
        painter->drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    }
    painter->setRenderHint(QPainter::Antialiasing);
    for (const PlotSeries& series : plot_.value<Plot>()) {
        paint_series(*painter, series, area, colors_.value(series.color).value<QColor>());
    }
}

}  // namespace throng::ui
