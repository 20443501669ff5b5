// Plot of latency against clock: map, reduce and total over the clocks of a sweep, in milliseconds on a logarithmic
// axis. Stages of very different duration stay readable, and halving a time is the same distance everywhere.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QPointer>
#include <QQuickPaintedItem>

#include "ui/clocks/sweep.h"

namespace throng::ui {

// Returns the tick values of a logarithmic axis: 1, 2 and 5 times powers of ten, or the powers alone over many decades.
// low and high must be positive; the ticks enclose both.
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
    std::vector<SweepPoint> points_;  // data of the next paint() on the render thread
    QColor map_color_, reduce_color_, total_color_, grid_color_, text_color_;
    int font_size_ = 13;
};

}  // namespace throng::ui
