// Scrolling plot: raw detections as an area, map and reduce times as lines, the newest at the right.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QPointer>
#include <QQuickPaintedItem>

#include "ui/plot/history.h"

namespace throng::ui {

class PlotItem : public QQuickPaintedItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(throng::ui::History* history READ history WRITE set_history NOTIFY historyChanged)
    Q_PROPERTY(QColor rawColor MEMBER raw_color_ NOTIFY colorsChanged)
    Q_PROPERTY(QColor mapColor MEMBER map_color_ NOTIFY colorsChanged)
    Q_PROPERTY(QColor reduceColor MEMBER reduce_color_ NOTIFY colorsChanged)
    Q_PROPERTY(QColor gridColor MEMBER grid_color_ NOTIFY colorsChanged)
    Q_PROPERTY(double rawScale READ raw_scale NOTIFY scalesChanged)
    Q_PROPERTY(double msScale READ ms_scale NOTIFY scalesChanged)

public:
    explicit PlotItem(QQuickItem* parent = nullptr);

    [[nodiscard]] History* history() const { return history_; }
    void set_history(History* history);
    [[nodiscard]] double raw_scale() const { return raw_scale_; }  // raw detections at the upper edge
    // Milliseconds at the upper edge: above all but the highest 2 % of the times, which are cut and marked.
    [[nodiscard]] double ms_scale() const { return ms_scale_; }

    // Returns the number of the result that is drawn at this position (History::added after it); negative: none is.
    Q_INVOKABLE [[nodiscard]] double numberAt(double x) const;

    void paint(QPainter* painter) override;

protected:
    void itemChange(ItemChange change, const ItemChangeData& value) override;

signals:
    void historyChanged();
    void colorsChanged();
    void scalesChanged();

private:
    void refresh();
    void paint_cut_values(QPainter& painter, const QRectF& area) const;

    QPointer<History> history_;
    std::vector<HistoryPoint> points_;  // data of the next paint() on the render thread
    std::uint64_t newest_ = 0;          // number of the last point
    QColor raw_color_, map_color_, reduce_color_, grid_color_;
    double raw_scale_ = 1;
    double ms_scale_ = 1;
};

}  // namespace throng::ui
