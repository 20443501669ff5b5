#include "ui/video/label_atlas.h"

#include <QFont>
#include <QPainter>
#include <cmath>
#include <string_view>

#include "ui/video/overlay_plan.h"

namespace throng::ui {
namespace {

constexpr std::string_view kLetters = " 0123456789.-+exinfa";  // all that "%.4g x%d" can print

}  // namespace

QFont LabelAtlas::font(double line_height) {
    QFont font;
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(line_height))));
    font.setBold(true);
    return font;
}

LabelAtlas::LabelAtlas(double line_height, double device_ratio, const QColor& color) {
    const double cell_width = label_letter_width(line_height);
    const double cell_height = line_height * 1.3;
    const auto count = static_cast<int>(kLetters.size());
    image_ = QImage(static_cast<int>(std::ceil(cell_width * count * device_ratio)),
                    static_cast<int>(std::ceil(cell_height * device_ratio)), QImage::Format_ARGB32_Premultiplied);
    image_.fill(Qt::transparent);
    QPainter painter(&image_);
    painter.scale(image_.width() / (cell_width * count), image_.height() / cell_height);
    painter.setFont(font(line_height));
    painter.setPen(color);
    for (int i = 0; i < count; ++i) {
        painter.drawText(QRectF(cell_width * i, 0, cell_width, cell_height), Qt::AlignCenter,
                         QChar::fromLatin1(kLetters[static_cast<std::size_t>(i)]));
    }
}

QRectF LabelAtlas::texture_cell(char letter) const {
    const std::size_t found = kLetters.find(letter);
    const double index = found == std::string_view::npos ? 0.0 : static_cast<double>(found);
    const auto count = static_cast<double>(kLetters.size());
    return {index / count, 0, 1 / count, 1};
}

}  // namespace throng::ui
