// Draws the map of stages over the whole item.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QPointer>
#include <QQuickItem>

#include "ui/stagemap/stage_map_view.h"

namespace throng::ui {

class StageMapItem : public QQuickItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(throng::ui::StageMapView* view READ view WRITE set_view NOTIFY viewChanged)

public:
    explicit StageMapItem(QQuickItem* parent = nullptr);

    [[nodiscard]] StageMapView* view() const { return view_; }
    void set_view(StageMapView* view);

signals:
    void viewChanged();

protected:
    QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData* data) override;

private:
    QPointer<StageMapView> view_;
    std::shared_ptr<const StageMapView::Map> drawn_;
};

}  // namespace throng::ui
