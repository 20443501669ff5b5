// Draws both images of a comparison, one on each side of the divider.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QPointer>
#include <QQuickItem>

#include "ui/compare/compare_view.h"

namespace throng::ui {

class CompareItem : public QQuickItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(throng::ui::CompareView* view READ view WRITE set_view NOTIFY viewChanged)
    Q_PROPERTY(double divider READ divider WRITE set_divider NOTIFY dividerChanged)

public:
    explicit CompareItem(QQuickItem* parent = nullptr);

    [[nodiscard]] CompareView* view() const { return view_; }
    void set_view(CompareView* view);
    [[nodiscard]] double divider() const { return divider_; }  // logical pixels from the left edge
    void set_divider(double x);

signals:
    void viewChanged();
    void dividerChanged();

protected:
    QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData* data) override;

private:
    void refresh();

    QPointer<CompareView> view_;
    double divider_ = 0;
    std::shared_ptr<const ComparePair> pair_;
    bool pair_changed_ = false;  // since the last updatePaintNode
};

}  // namespace throng::ui
