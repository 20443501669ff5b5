// Vector paths of the icons, on a 24 x 24 grid.
#pragma once

#include <QPainterPath>
#include <QStringList>

namespace throng::ui {

inline constexpr int kIconGrid = 24;

struct IconPath {
    QPainterPath strokes;  // drawn with a pen 2 units wide
    QPainterPath fills;    // drawn with the pen and filled
};

// Returns null for an unknown name. The pointer stays valid.
[[nodiscard]] const IconPath* find_icon(const QString& name);
[[nodiscard]] QStringList icon_names();

}  // namespace throng::ui
