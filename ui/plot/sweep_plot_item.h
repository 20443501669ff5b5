// Latency against clock: map, reduce and total over the clocks of a sweep, milliseconds on a logarithmic axis, so that
// stages of very different length are read together and "twice the clock, half the time" is the same fall everywhere.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QPointer>
#include <QQuickPaintedItem>

#include "ui/clocks/sweep.h"

namespace throng::ui {

// Values that a logarithmic axis is marked with: 1, 2, 5 times powers of ten, or the powers alone where they are many.
// low and high must be positive; the marks surround both.
[[nodiscard]] std::vector<double> logarithmic_ticks(double low, double high);

class SweepPlotItem : public QQuickPaintedItem {
    Q_OBJECT
    QML_NAMED_ELEMENT(SweepPlot)
    Q_PROPERTY(throng::ui::Sweep* sweep READ sweep WRITE set_sweep NOTIFY sweepChanged)
    Q_PROPERTY(QColor mapColor MEMBER map_color_ NOTIFY lookChanged)
    Q_PROPERTY(QColor reduceColor MEMBER reduce_color_ NOTIFY lookChanged)
    Q_PROPERTY(QColor totalColor MEMBER total_color_ NOTIFY lookChanged)
    Q_PROPERTY(QColor gridColor MEMBER grid_color_ NOTIFY lookChanged)
    Q_PROPERTY(QColor textColor MEMBER text_color_ NOTIFY lookChanged)
    Q_PROPERTY(int fontSize MEMBER font_size_ NOTIFY lookChanged)

public:
    explicit SweepPlotItem(QQuickItem* parent = nullptr);

    [[nodiscard]] Sweep* sweep() const { return sweep_; }
    void set_sweep(Sweep* sweep);
    void paint(QPainter* painter) override;

signals:
    void sweepChanged();
    void lookChanged();

private:
    void refresh();

    QPointer<Sweep> sweep_;
    std::vector<SweepPoint> points_;  // what the next paint, on the render thread, shows
    QColor map_color_, reduce_color_, total_color_, grid_color_, text_color_;
    int font_size_ = 13;
};

}  // namespace throng::ui
