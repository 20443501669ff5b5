#include "ui/icons/icon_item.h"

#include <QPainter>

#include "ui/icons/icon_paths.h"

namespace throng::ui {

Icon::Icon(QQuickItem* parent) : QQuickPaintedItem(parent) {
    setAntialiasing(true);
    setImplicitSize(kIconGrid, kIconGrid);
}

void Icon::set_name(const QString& name) {
    if (name_ == name) return;
    name_ = name;
    emit nameChanged();
    update();
}

void Icon::set_color(const QColor& color) {
    if (color_ == color) return;
    color_ = color;
    emit colorChanged();
    update();
}

void Icon::paint(QPainter* painter) {
    const IconPath* path = find_icon(name_);
    if (path == nullptr) return;
    const double side = std::min(width(), height());
    painter->setRenderHint(QPainter::Antialiasing);
    painter->translate((width() - side) / 2, (height() - side) / 2);
    painter->scale(side / kIconGrid, side / kIconGrid);
    painter->setPen(QPen(color_, 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->drawPath(path->strokes);
    painter->setBrush(color_);
    painter->drawPath(path->fills);
}

QStringList Icon::names() {
    return icon_names();
}

}  // namespace throng::ui
