#include "ui/plot/plot_item.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "ui/models/stage_model.h"

namespace throng::ui {
namespace {

constexpr double kLineWidth = 1.8;

// Returns the position of a point, of which the last one is at the right edge.
double x_of(const QRectF& area, std::size_t count, std::size_t index) {
    const double step = area.width() / static_cast<double>(History::kLength - 1);
    return area.right() - step * static_cast<double>(count - 1 - index);
}

// Returns a path through the values; a stage that did not run leaves a gap.
template <class Value>
QPainterPath line_of(const std::vector<HistoryPoint>& points, const QRectF& area, double scale, Value value) {
    QPainterPath path;
    bool drawing = false;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::optional<double> y = value(points[i]);
        if (!y) {
            drawing = false;
            continue;
        }
        const QPointF point(x_of(area, points.size(), i), area.bottom() - area.height() * std::min(1.0, *y / scale));
        drawing ? path.lineTo(point) : path.moveTo(point);
        drawing = true;
    }
    return path;
}

// Returns the largest value without the highest 2 %: a single spike must not flatten the rest.
double typical_maximum(std::vector<double>& values) {
    if (values.empty()) return 0;
    const auto rank = static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + rank, values.end());
    return values[static_cast<std::size_t>(rank)];
}

}  // namespace

PlotItem::PlotItem(QQuickItem* parent) : QQuickPaintedItem(parent) {
    setAntialiasing(true);
    connect(this, &PlotItem::colorsChanged, this, [this] { update(); });
}

void PlotItem::set_history(History* history) {
    if (history_ == history) return;
    if (history_) disconnect(history_, nullptr, this, nullptr);
    history_ = history;
    if (history_) connect(history_, &History::changed, this, &PlotItem::refresh);
    emit historyChanged();
    refresh();
}

void PlotItem::refresh() {
    if (!isVisible()) return;  // until it is shown
    points_ = history_ ? history_->points() : std::vector<HistoryPoint>{};
    newest_ = history_ ? history_->added() : 0;
    double raw = 1;
    std::vector<double> ms;
    ms.reserve(points_.size());
    for (const HistoryPoint& point : points_) {
        raw = std::max(raw, point.raw);
        ms.push_back(std::max(point.map_ms.value_or(0), point.reduce_ms.value_or(0)));
    }
    const double raw_scale = round_scale(raw);
    const double ms_scale = round_scale(typical_maximum(ms));
    if (raw_scale != raw_scale_ || ms_scale != ms_scale_) {
        raw_scale_ = raw_scale;
        ms_scale_ = ms_scale;
        emit scalesChanged();
    }
    update();
}

double PlotItem::numberAt(double x) const {
    if (points_.empty() || width() <= 0) return -1;
    const double back = std::round((width() - x) / (width() / static_cast<double>(History::kLength - 1)));
    if (back < 0 || back >= static_cast<double>(points_.size())) return -1;
    return static_cast<double>(newest_) - back;
}

void PlotItem::itemChange(ItemChange change, const ItemChangeData& value) {
    QQuickPaintedItem::itemChange(change, value);
    if (change == ItemVisibleHasChanged) refresh();
}

void PlotItem::paint(QPainter* painter) {
    const QRectF area = QRectF(QPointF(0, 0), size()).adjusted(0, kLineWidth, 0, -0.5);
    painter->setPen(QPen(grid_color_, 1));
    for (const double fraction : {0.0, 0.5, 1.0}) {
        const double y = std::round(area.bottom() - area.height() * fraction) + 0.5;
        painter->drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    }
    if (points_.empty()) return;

    painter->setRenderHint(QPainter::Antialiasing);
    QPainterPath raw = line_of(points_, area, raw_scale_, [](const HistoryPoint& p) { return std::optional(p.raw); });
    QPainterPath ground = raw;
    ground.lineTo(area.bottomRight());
    ground.lineTo(raw.elementAt(0).x, area.bottom());
    QColor shade = raw_color_;
    shade.setAlphaF(0.25F);
    painter->fillPath(ground, shade);
    painter->setPen(QPen(raw_color_, 1));
    painter->drawPath(raw);
    painter->setPen(QPen(reduce_color_, kLineWidth, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->drawPath(line_of(points_, area, ms_scale_, [](const HistoryPoint& p) { return p.reduce_ms; }));
    painter->setPen(QPen(map_color_, kLineWidth, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->drawPath(line_of(points_, area, ms_scale_, [](const HistoryPoint& p) { return p.map_ms; }));
    paint_cut_values(*painter, area);
}

// Marks values beyond the scale with a triangle at the upper edge.
void PlotItem::paint_cut_values(QPainter& painter, const QRectF& area) const {
    painter.setPen(Qt::NoPen);
    painter.setBrush(map_color_);
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const HistoryPoint& point = points_[i];
        if (std::max(point.map_ms.value_or(0), point.reduce_ms.value_or(0)) <= ms_scale_) continue;
        const double x = x_of(area, points_.size(), i);
        painter.drawPolygon(QPolygonF({{x - 4, area.top() + 6}, {x + 4, area.top() + 6}, {x, area.top()}}));
    }
}

}  // namespace throng::ui
