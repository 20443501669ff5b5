// The letters that labels use, in one image, so that thousands of labels are one draw call.
#pragma once

#include <QImage>
#include <QRectF>

namespace throng::ui {

class LabelAtlas {
public:
    // line_height in logical pixels; letters in `ink` on nothing, and a cell full of `plate`.
    LabelAtlas(double line_height, double device_ratio, const QColor& ink, const QColor& plate);

    [[nodiscard]] const QImage& image() const { return image_; }
    // Where a letter lies in the image, in fractions of its size; the whole cell of a blank for letters that labels
    // never use.
    [[nodiscard]] QRectF texture_cell(char letter) const;

    // A place in the middle of the full cell.
    [[nodiscard]] QPointF plate_point() const;

    [[nodiscard]] static QFont font(double line_height);

private:
    QImage image_;
};

}  // namespace throng::ui
