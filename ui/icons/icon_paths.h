// The shapes of the icons, on a grid of 24 by 24.
#pragma once

#include <QPainterPath>
#include <QStringList>

namespace throng::ui {

inline constexpr int kIconGrid = 24;

struct IconPath {
    QPainterPath strokes;  // drawn with a pen of 2 units
    QPainterPath fills;    // filled as well
};

// Null for a name that is not there. The pointer stays valid.
[[nodiscard]] const IconPath* find_icon(const QString& name);
[[nodiscard]] QStringList icon_names();

}  // namespace throng::ui
