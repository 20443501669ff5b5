// Glyph atlas of the label characters in one image, so that thousands of labels need one draw call.
#pragma once

#include <QImage>
#include <QRectF>

namespace throng::ui {

class LabelAtlas {
public:
    // line_height in logical pixels. Letters in `ink` on a transparent background, and one cell filled with `plate`.
    LabelAtlas(double line_height, double device_ratio, const QColor& ink, const QColor& plate);

    [[nodiscard]] const QImage& image() const { return image_; }
    // Returns the cell of a letter in texture coordinates, 0 to 1. Returns the blank's cell for unsupported letters.
    [[nodiscard]] QRectF texture_cell(char letter) const;

    // Returns the center of the filled cell, in texture coordinates.
    [[nodiscard]] QPointF plate_point() const;

    [[nodiscard]] static QFont font(double line_height);

private:
    QImage image_;
};

}  // namespace throng::ui
