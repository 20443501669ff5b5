// Draws the newest image of a tile of the wall, boxes included.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QQuickItem>

#include "ui/wall/wall.h"

namespace throng::ui {

class TileItem : public QQuickItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(throng::ui::Wall* wall READ wall WRITE set_wall NOTIFY sourceChanged)
    Q_PROPERTY(int number READ number WRITE set_number NOTIFY sourceChanged)
    Q_PROPERTY(QColor rawColor MEMBER raw_color_ NOTIFY colorsChanged)
    Q_PROPERTY(QColor keptColor MEMBER kept_color_ NOTIFY colorsChanged)

public:
    explicit TileItem(QQuickItem* parent = nullptr);
    ~TileItem() override;

    [[nodiscard]] Wall* wall() const { return wall_; }
    void set_wall(Wall* wall);
    [[nodiscard]] int number() const { return number_; }
    void set_number(int number);

signals:
    void sourceChanged();
    void colorsChanged();

protected:
    QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData* data) override;
    void geometryChange(const QRectF& now, const QRectF& before) override;
    void itemChange(ItemChange change, const ItemChangeData& value) override;

private:
    [[nodiscard]] WallTile* tile() const;
    void connect_source();
    void publish_view();
    [[nodiscard]] double device_ratio() const;

    QPointer<Wall> wall_;
    int number_ = -1;
    QColor raw_color_, kept_color_;
    DisplayImage image_;
    bool image_changed_ = false;
};

}  // namespace throng::ui
