#include "ui/plot/sweep_plot_item.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>

namespace throng::ui {
namespace {

constexpr double kSweepWidth = 2;
constexpr double kDot = 3.5;

struct Axis {
    double low, high;  // values at the ends of the axis
    double from, to;   // coordinates of the ends
    bool logarithmic = false;

    [[nodiscard]] double position(double value) const {
        const auto scaled = [this](double v) { return logarithmic ? std::log10(v) : v; };
        const double span = scaled(high) - scaled(low);
        const double part = span > 0 ? (scaled(value) - scaled(low)) / span : 0.5;
        return from + (to - from) * part;
    }
};

struct Line {
    std::string stage;
    QColor color;
};

// Returns milliseconds; 0 if the stage did not run.
double value_of(const SweepPoint& point, const std::string& stage) {
    const auto found = point.ms.find(stage);
    return found == point.ms.end() ? 0 : found->second;
}

double megahertz_of(const SweepPoint& point) {
    return static_cast<double>(*point.clock) / 1e6;
}

}  // namespace

std::vector<double> logarithmic_ticks(double low, double high) {
    high = std::max(high, low * 1.2);  // at least two ticks
    const int first = static_cast<int>(std::floor(std::log10(low)));
    const int last = static_cast<int>(std::ceil(std::log10(high)));
    std::vector<double> ticks;
    const bool few = last - first <= 2;
    for (int decade = first; decade <= last; ++decade) {
        for (const double digit : {1.0, 2.0, 5.0}) {
            if (digit == 1.0 || few) ticks.push_back(digit * std::pow(10.0, decade));
        }
    }
    // Keep the range from the last tick <= low to the first tick >= high.
    while (ticks.size() > 1 && ticks[1] <= low) ticks.erase(ticks.begin());
    while (ticks.size() > 1 && ticks[ticks.size() - 2] >= high) ticks.pop_back();
    return ticks;
}

SweepPlotItem::SweepPlotItem(QQuickItem* parent) : QQuickPaintedItem(parent) {
    setAntialiasing(true);
    connect(this, &SweepPlotItem::lookChanged, this, [this] { update(); });
}

void SweepPlotItem::set_sweep(Sweep* sweep) {
    if (sweep_ == sweep) return;
    if (sweep_) disconnect(sweep_, nullptr, this, nullptr);
    sweep_ = sweep;
    if (sweep_) connect(sweep_, &Sweep::pointsChanged, this, &SweepPlotItem::refresh);
    emit sweepChanged();
    refresh();
}

void SweepPlotItem::refresh() {
    points_ = sweep_ ? sweep_->points() : std::vector<SweepPoint>{};
    std::erase_if(points_, [](const SweepPoint& point) { return !point.clock || point.ms.empty(); });
    std::sort(points_.begin(), points_.end(),
              [](const SweepPoint& a, const SweepPoint& b) { return a.clock < b.clock; });
    update();
}

void SweepPlotItem::paint(QPainter* painter) {
    const std::array<Line, 3> lines{Line{std::string(stage::kTotal), total_color_},
                                    {std::string(stage::kNmsReduce), reduce_color_},
                                    {std::string(stage::kNmsMap), map_color_}};
    double low = 0;
    double high = 0;
    for (const SweepPoint& point : points_) {
        for (const Line& line : lines) {
            const double ms = value_of(point, line.stage);
            if (ms <= 0) continue;
            low = low == 0 ? ms : std::min(low, ms);
            high = std::max(high, ms);
        }
    }
    if (high <= 0) return;

    QFont font = painter->font();
    font.setPixelSize(font_size_);
    painter->setFont(font);
    const QFontMetricsF metrics(font);
    const std::vector<double> ticks = logarithmic_ticks(low, high);
    double label_width = 0;
    for (const double tick : ticks) {
        label_width = std::max(label_width, metrics.horizontalAdvance(QString::number(tick)));
    }
    const QRectF area(label_width + 8, metrics.height() / 2 + 2, width() - label_width - 8 - 12,
                      height() - 1.5 * metrics.height() - 8);

    const Axis x{megahertz_of(points_.front()), megahertz_of(points_.back()), area.left() + kDot, area.right() - kDot};
    const Axis y{ticks.front(), ticks.back(), area.bottom(), area.top(), true};

    for (const double tick : ticks) {
        const double at = std::round(y.position(tick)) + 0.5;
        painter->setPen(QPen(grid_color_, 1));
        painter->drawLine(QPointF(area.left(), at), QPointF(area.right(), at));
        painter->setPen(text_color_);
        painter->drawText(QRectF(0, at - metrics.height() / 2, label_width, metrics.height()),
                          Qt::AlignRight | Qt::AlignVCenter, QString::number(tick));
    }
    double next_left = -1;  // labels that would overlap are skipped
    for (const SweepPoint& point : points_) {
        const QString text = QString::number(std::round(megahertz_of(point)));
        const double wide = metrics.horizontalAdvance(text);
        const double left = std::clamp(x.position(megahertz_of(point)) - wide / 2, 0.0, std::max(0.0, width() - wide));
        if (left < next_left) continue;
        painter->drawText(QRectF(left, area.bottom() + 6, wide + 1, metrics.height()), Qt::AlignCenter, text);
        next_left = left + wide + 8;
    }

    painter->setRenderHint(QPainter::Antialiasing);
    for (const Line& line : lines) {
        QPolygonF path;
        for (const SweepPoint& point : points_) {
            const double ms = value_of(point, line.stage);
            if (ms > 0) path << QPointF(x.position(megahertz_of(point)), y.position(ms));
        }
        painter->setPen(QPen(line.color, kSweepWidth, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter->setBrush(Qt::NoBrush);
        painter->drawPolyline(path);
        painter->setPen(Qt::NoPen);
        painter->setBrush(line.color);
        for (const QPointF& dot : path) painter->drawEllipse(dot, kDot, kDot);
    }
}

}  // namespace throng::ui
