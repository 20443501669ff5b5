// Draws the image of a matrix for one rule.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QImage>
#include <QPointer>
#include <QQuickItem>

#include "ui/matrix/matrix_view.h"

namespace throng::ui {

class MatrixItem : public QQuickItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(throng::ui::MatrixView* view READ view WRITE set_view NOTIFY viewChanged)
    Q_PROPERTY(bool greedy MEMBER greedy_ NOTIFY greedyChanged)

public:
    explicit MatrixItem(QQuickItem* parent = nullptr);

    [[nodiscard]] MatrixView* view() const { return view_; }
    void set_view(MatrixView* view);

signals:
    void viewChanged();
    void greedyChanged();

protected:
    QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData* data) override;

private:
    void refresh();

    QPointer<MatrixView> view_;
    bool greedy_ = false;
    QImage image_;
    bool image_changed_ = false;  // since the last updatePaintNode
};

}  // namespace throng::ui
