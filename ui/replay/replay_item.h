// Painted items of the replay: the selected frame with its boxes, and the times of all entries.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QImage>
#include <QPointer>
#include <QQuickPaintedItem>
#include <vector>

#include "ui/replay/replay.h"

namespace throng::ui {

class ReplayItem : public QQuickPaintedItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(throng::ui::Replay* replay READ replay WRITE set_replay NOTIFY replayChanged)
    Q_PROPERTY(QColor boxColor MEMBER box_color_ NOTIFY colorChanged)

public:
    explicit ReplayItem(QQuickItem* parent = nullptr) : QQuickPaintedItem(parent) {}

    [[nodiscard]] Replay* replay() const { return replay_; }
    void set_replay(Replay* replay);
    void paint(QPainter* painter) override;

signals:
    void replayChanged();
    void colorChanged();

private:
    void refresh();

    QPointer<Replay> replay_;
    QColor box_color_;
    // Data of the next paint() on the render thread.
    QImage image_;
    QSize frame_;
    std::vector<Box> boxes_;
};

// One bar per entry, over 30 seconds with the newest at the right. The selected one is marked.
class ReplayPlot : public QQuickPaintedItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(throng::ui::Replay* replay READ replay WRITE set_replay NOTIFY replayChanged)
    Q_PROPERTY(QColor color MEMBER color_ NOTIFY colorChanged)
    Q_PROPERTY(QColor markColor MEMBER mark_color_ NOTIFY colorChanged)
    Q_PROPERTY(double msScale READ ms_scale NOTIFY scaleChanged)

public:
    explicit ReplayPlot(QQuickItem* parent = nullptr) : QQuickPaintedItem(parent) {}

    [[nodiscard]] Replay* replay() const { return replay_; }
    void set_replay(Replay* replay);
    [[nodiscard]] double ms_scale() const { return ms_scale_; }  // milliseconds at the upper edge
    void paint(QPainter* painter) override;

signals:
    void replayChanged();
    void colorChanged();
    void scaleChanged();

private:
    struct Bar {
        double ago;  // seconds before the newest
        double ms;
        bool selected;
    };
    void refresh();

    QPointer<Replay> replay_;
    QColor color_, mark_color_;
    std::vector<Bar> bars_;  // of the next paint() on the render thread
    double ms_scale_ = 1;
};

}  // namespace throng::ui
