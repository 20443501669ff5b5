// Paints a stored frame with boxes, as a whole or the surroundings of one box enlarged.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QQuickPaintedItem>
#include <QVariant>

namespace throng::ui {

class FrameItem : public QQuickPaintedItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(QVariant image MEMBER image_ NOTIFY changed)  // a QImage; null: the frame is black
    Q_PROPERTY(QSize frame MEMBER frame_ NOTIFY changed)     // its size; empty: nothing is drawn
    Q_PROPERTY(QVariant boxes MEMBER boxes_ NOTIFY changed)  // a std::vector<Box>, in pixels of the frame
    Q_PROPERTY(QColor boxColor MEMBER box_color_ NOTIFY changed)
    Q_PROPERTY(bool closeUp MEMBER close_up_ NOTIFY changed)  // of the first box; without one nothing is drawn

public:
    explicit FrameItem(QQuickItem* parent = nullptr);
    void paint(QPainter* painter) override;

signals:
    void changed();

private:
    QVariant image_, boxes_;
    QSize frame_;
    QColor box_color_;
    bool close_up_ = false;
};

}  // namespace throng::ui
