#include "ui/render/label_atlas.h"

#include <QFont>
#include <QPainter>
#include <cmath>
#include <string_view>

#include "ui/render/overlay_plan.h"

namespace throng::ui {
namespace {

constexpr std::string_view kLetters = " 0123456789.,-+exinfa";  // all characters that "%.3g x%d" can print
constexpr int kCells = static_cast<int>(kLetters.size()) + 1;   // plus one for the plate

}  // namespace

QFont LabelAtlas::font(double line_height) {
    QFont font;
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(line_height))));
    font.setBold(true);
    return font;
}

LabelAtlas::LabelAtlas(double line_height, double device_ratio, const QColor& ink, const QColor& plate) {
    const double cell_width = label_letter_width(line_height);
    const double cell_height = line_height * 1.3;
    const int count = kCells;
    image_ = QImage(static_cast<int>(std::ceil(cell_width * count * device_ratio)),
                    static_cast<int>(std::ceil(cell_height * device_ratio)), QImage::Format_ARGB32_Premultiplied);
    image_.fill(Qt::transparent);
    QPainter painter(&image_);
    painter.scale(image_.width() / (cell_width * count), image_.height() / cell_height);
    painter.setFont(font(line_height));
    painter.setPen(ink);
    painter.fillRect(QRectF(cell_width * (count - 1), 0, cell_width, cell_height), plate);
    for (int i = 0; i < count - 1; ++i) {
        painter.drawText(QRectF(cell_width * i, 0, cell_width, cell_height), Qt::AlignCenter,
                         QChar::fromLatin1(kLetters[static_cast<std::size_t>(i)]));
    }
}

QRectF LabelAtlas::texture_cell(char letter) const {
    const std::size_t found = kLetters.find(letter);
    const double index = found == std::string_view::npos ? 0.0 : static_cast<double>(found);
    return {index / kCells, 0, 1.0 / kCells, 1};
}

QPointF LabelAtlas::plate_point() const {
    return {(kCells - 0.5) / kCells, 0.5};
}

}  // namespace throng::ui
