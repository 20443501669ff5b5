// Draws a timeline: faces as an area, slow frames as marks above it.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QPointer>
#include <QQuickPaintedItem>
#include <vector>

#include "ui/replay/timeline.h"

namespace throng::ui {

class TimelineItem : public QQuickPaintedItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(throng::ui::Timeline* timeline READ timeline WRITE set_timeline NOTIFY timelineChanged)
    Q_PROPERTY(QColor color MEMBER color_ NOTIFY timelineChanged)
    Q_PROPERTY(QColor slowColor MEMBER slow_color_ NOTIFY timelineChanged)

public:
    using QQuickPaintedItem::QQuickPaintedItem;

    [[nodiscard]] Timeline* timeline() const { return timeline_; }
    void set_timeline(Timeline* timeline);
    void paint(QPainter* painter) override;

signals:
    void timelineChanged();

private:
    void refresh();

    QPointer<Timeline> timeline_;
    std::vector<Timeline::Part> parts_;  // for paint(), on the render thread
    QColor color_, slow_color_;
};

}  // namespace throng::ui
