#include "ui/render/overlay_painter.h"

#include "ui/render/label_atlas.h"

namespace throng::ui {

void paint_overlay(QPainter& painter, const OverlayPlan& plan) {
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const OverlayFrame& frame : plan.frames) {
        const QRectF& r = frame.outer;
        const double w = frame.width;
        if (r.width() <= 2 * w || r.height() <= 2 * w) {
            painter.fillRect(r, frame.color);
            continue;
        }
        // Four rectangles without overlap, so that the corners of a translucent edge are not darker than its sides.
        painter.fillRect(QRectF(r.left(), r.top(), r.width(), w), frame.color);
        painter.fillRect(QRectF(r.left(), r.bottom() - w, r.width(), w), frame.color);
        painter.fillRect(QRectF(r.left(), r.top() + w, w, r.height() - 2 * w), frame.color);
        painter.fillRect(QRectF(r.right() - w, r.top() + w, w, r.height() - 2 * w), frame.color);
    }
    if (plan.labels.empty()) return;
    painter.setFont(LabelAtlas::font(plan.label_size));
    painter.setPen(QColor(10, 14, 18));
    for (const OverlayLabel& label : plan.labels) {
        painter.fillRect(label.plate, plan.plate_color);
        painter.drawText(label.plate, Qt::AlignCenter, QLatin1String(label.text.data()));
    }
}

}  // namespace throng::ui
