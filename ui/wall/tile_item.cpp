#include "ui/wall/tile_item.h"

#include <QQuickWindow>

#include "ui/session/capture_files.h"
#include "ui/video/video_node.h"

namespace throng::ui {

TileItem::TileItem(QQuickItem* parent) : QQuickItem(parent) {
    setFlag(ItemHasContents);
    connect(this, &TileItem::colorsChanged, this, &TileItem::publish_view);
    connect(this, &QQuickItem::visibleChanged, this, &TileItem::publish_view);
}

TileItem::~TileItem() {
    if (tile() != nullptr) wall_->set_view(number_, {});
}

WallTile* TileItem::tile() const {
    return wall_ && number_ >= 0 && number_ < wall_->num_tiles() ? &wall_->tile(number_) : nullptr;
}

void TileItem::set_wall(Wall* wall) {
    if (wall == wall_) return;
    wall_ = wall;
    connect_source();
}

void TileItem::set_number(int number) {
    if (number == number_) return;
    number_ = number;
    connect_source();
}

void TileItem::connect_source() {
    if (WallTile* source = tile()) {
        connect(source, &WallTile::imageChanged, this, [this, source] {
            image_ = source->image();
            image_changed_ = true;
            update();
        });
        connect(wall_->session().display(), &DisplaySettings::changed, this, &TileItem::publish_view);
        publish_view();
    }
    emit sourceChanged();
}

// The boxes are painted into the image, which has the size on screen: with any renderer the window's thread does
// nothing but hand the image over.
void TileItem::publish_view() {
    if (tile() == nullptr) return;
    ImageView view;
    if (isVisible()) view.item = size();
    const DisplaySettings& display = *wall_->session().display();
    view.device_ratio = device_ratio();
    view.blur = display.blur();
    view.paint_overlay = true;
    view.overlay = overlay_on_screen(display, wall_->session().draws_tracks());
    view.overlay.raw_color = raw_color_;
    view.overlay.kept_color = kept_color_;
    view.overlay.kept_width = 2;
    wall_->set_view(number_, view);
}

QSGNode* TileItem::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
    if (image_.image.isNull()) {
        delete old;
        return nullptr;
    }
    auto* node = static_cast<VideoNode*>(old);
    if (node == nullptr) {
        node = new VideoNode;  // the scene graph owns it
        image_changed_ = true;
    }
    if (image_changed_) node->set_image(*window(), image_.image);
    image_changed_ = false;
    const Frame& frame = image_.result->frame;
    const ViewMapping where(size(), QSize(frame.width(), frame.height()), device_ratio(), {});
    node->set_rect(where.map_part(image_.part));
    return node;
}

void TileItem::geometryChange(const QRectF& now, const QRectF& before) {
    QQuickItem::geometryChange(now, before);
    if (now.size() == before.size()) return;
    publish_view();
    update();
}

void TileItem::itemChange(ItemChange change, const ItemChangeData& value) {
    if (change == ItemSceneChange && value.window != nullptr) {
        connect(
            value.window, &QQuickWindow::frameSwapped, this,
            [this] {
                if (WallTile* source = tile(); source != nullptr && isVisible()) source->add_presented(image_.result);
            },
            Qt::QueuedConnection);
    }
    if (change == ItemDevicePixelRatioHasChanged) publish_view();
    QQuickItem::itemChange(change, value);
}

double TileItem::device_ratio() const {
    return window() != nullptr ? window()->effectiveDevicePixelRatio() : 1.0;
}

}  // namespace throng::ui
