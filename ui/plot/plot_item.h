// Paints a plot: a few series of values in one area.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>
#include <QQuickPaintedItem>
#include <QVariant>
#include <cstdint>
#include <vector>

namespace throng::ui {

// Values as fractions of the area: x from the left, y from the lower edge.
struct PlotSeries {
    enum class Look : std::uint8_t {
        line,   // through the values
        area,   // a thin line over a shade
        dots,   // a line with a dot at each value
        bars,   // from the lower edge, around x
        marks,  // small triangles at the upper edge
    };
    Look look = Look::line;
    int color = 0;                // index in the colors of the item
    std::vector<QPointF> values;  // in order of x; a y of NaN leaves a gap
    double width = 0;             // of a bar, as a fraction; it has 2 pixels at least
};

// Drawn in this order.
using Plot = std::vector<PlotSeries>;

class PlotItem : public QQuickPaintedItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(QVariant plot MEMBER plot_ NOTIFY changed)  // a Plot; otherwise nothing is drawn
    Q_PROPERTY(QVariantList colors MEMBER colors_ NOTIFY changed)
    Q_PROPERTY(QList<double> grid MEMBER grid_ NOTIFY changed)  // heights of horizontal lines, as fractions
    // Pixels between the area and each edge of the item, for dots at the ends. 0: they are cut there.
    Q_PROPERTY(double inset MEMBER inset_ NOTIFY changed)
    Q_PROPERTY(QColor gridColor MEMBER grid_color_ NOTIFY changed)

public:
    explicit PlotItem(QQuickItem* parent = nullptr);
    void paint(QPainter* painter) override;

signals:
    void changed();

private:
    QVariant plot_;
    QVariantList colors_;
    QList<double> grid_;
    double inset_ = 0;
    QColor grid_color_;
};

}  // namespace throng::ui
