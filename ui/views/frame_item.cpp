#include "ui/views/frame_item.h"

#include <QImage>
#include <QPainter>
#include <algorithm>
#include <vector>

#include "ui/render/view_mapping.h"

namespace throng::ui {

FrameItem::FrameItem(QQuickItem* parent) : QQuickPaintedItem(parent) {
    connect(this, &FrameItem::changed, this, [this] { update(); });
}

void FrameItem::paint(QPainter* painter) {
    const auto image = image_.value<QImage>();
    const auto boxes = boxes_.value<std::vector<Box>>();
    if (frame_.isEmpty() || (close_up_ && boxes.empty())) return;
    Zoom zoom;
    if (close_up_) {
        constexpr double kSurroundings = 1;  // on each side, as a share of the box's size
        const Box& box = boxes.front();
        const QRectF face(box.x, box.y, box.w, box.h);
        const double side = (1 + 2 * kSurroundings) * std::max(face.width(), face.height());
        const double whole = std::min(width() / frame_.width(), height() / frame_.height());
        zoom.factor = std::max(1.0, width() / side / whole);
        zoom.center = {face.center().x() / frame_.width(), face.center().y() / frame_.height()};
    }
    const ViewMapping mapping(size(), frame_, 1.0, zoom);
    painter->setRenderHint(QPainter::SmoothPixmapTransform);
    if (image.isNull()) {
        painter->fillRect(mapping.target(), Qt::black);
    } else {
        painter->drawImage(mapping.target(), image);
    }
    painter->setPen(QPen(box_color_, 2));
    for (const Box& box : boxes) painter->drawRect(mapping.map(box));
}

}  // namespace throng::ui
