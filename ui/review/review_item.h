// Paints the frame of a review with the outline of the current track, or the surroundings of the track enlarged.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QImage>
#include <QPointer>
#include <QQuickPaintedItem>

#include "ui/review/review.h"

namespace throng::ui {

class ReviewItem : public QQuickPaintedItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(throng::ui::Review* review READ review WRITE set_review NOTIFY reviewChanged)
    Q_PROPERTY(QColor color MEMBER color_ NOTIFY colorChanged)
    Q_PROPERTY(bool closeUp MEMBER close_up_ NOTIFY closeUpChanged)

public:
    explicit ReviewItem(QQuickItem* parent = nullptr) : QQuickPaintedItem(parent) {}

    [[nodiscard]] Review* review() const { return review_; }
    void set_review(Review* review);
    void paint(QPainter* painter) override;

signals:
    void reviewChanged();
    void colorChanged();
    void closeUpChanged();

private:
    void refresh();

    QPointer<Review> review_;
    QColor color_;
    bool close_up_ = false;
    // Data of the next paint() on the render thread.
    QImage image_;
    QRectF outline_;
};

}  // namespace throng::ui
