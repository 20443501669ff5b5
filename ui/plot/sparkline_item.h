// Small plot of one quantity's history: a line over a shaded area, the newest value at the right.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QList>
#include <QQuickPaintedItem>

namespace throng::ui {

class SparklineItem : public QQuickPaintedItem {
    Q_OBJECT
    QML_NAMED_ELEMENT(Sparkline)
    Q_PROPERTY(QList<double> series MEMBER series_ NOTIFY changed)
    Q_PROPERTY(double highest MEMBER highest_ NOTIFY changed)
    Q_PROPERTY(int capacity MEMBER capacity_ NOTIFY changed)
    Q_PROPERTY(QColor color MEMBER color_ NOTIFY changed)
    Q_PROPERTY(QColor gridColor MEMBER grid_color_ NOTIFY changed)

public:
    explicit SparklineItem(QQuickItem* parent = nullptr);
    void paint(QPainter* painter) override;

signals:
    void changed();

private:
    QList<double> series_;  // oldest first; NaN leaves a gap
    double highest_ = 1;    // value at the upper edge; the lower edge is 0
    int capacity_ = 120;    // number of values across the width
    QColor color_, grid_color_;
};

}  // namespace throng::ui
