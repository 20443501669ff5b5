// Draws the image of a view over the whole item.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QImage>
#include <QQuickItem>
#include <QVariant>

namespace throng::ui {

class ImageItem : public QQuickItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(QVariant image MEMBER image_ NOTIFY imageChanged)  // a QImage; null: nothing is drawn
    Q_PROPERTY(QSizeF part MEMBER part_ NOTIFY partChanged)       // from its upper left corner; empty: the whole image
    // Pixels are cells with sharp edges where they are larger than those of the screen. Smaller ones are smoothed, so
    // that none is skipped.
    Q_PROPERTY(bool cells MEMBER cells_ NOTIFY partChanged)

public:
    explicit ImageItem(QQuickItem* parent = nullptr);

signals:
    void imageChanged();
    void partChanged();

protected:
    QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData* data) override;

private:
    QVariant image_;
    QSizeF part_;
    bool cells_ = false;
    bool image_changed_ = false;  // since the last updatePaintNode
};

}  // namespace throng::ui
