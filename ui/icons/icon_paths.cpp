#include "ui/icons/icon_paths.h"

#include <QHash>
#include <initializer_list>

namespace throng::ui {
namespace {

using Points = std::initializer_list<QPointF>;

void line(QPainterPath& path, Points points) {
    bool first = true;
    for (const QPointF& point : points) {
        first ? path.moveTo(point) : path.lineTo(point);
        first = false;
    }
}

void shape(QPainterPath& path, Points points) {
    line(path, points);
    path.closeSubpath();
}

void circle(QPainterPath& path, double x, double y, double r) {
    path.addEllipse(QPointF(x, y), r, r);
}

// Angles in degrees as in QPainterPath: 0 at three o'clock, counterclockwise.
void arc(QPainterPath& path, double x, double y, double r, double from, double sweep) {
    const QRectF box(x - r, y - r, 2 * r, 2 * r);
    path.arcMoveTo(box, from);
    path.arcTo(box, from, sweep);
}

QHash<QString, IconPath> make_icons() {
    QHash<QString, IconPath> icons;
    const auto icon = [&](const char* name) -> IconPath& { return icons[QString::fromLatin1(name)]; };

    shape(icon("play").fills, {{7, 4}, {19, 12}, {7, 20}});
    shape(icon("next").fills, {{3, 6}, {10, 12}, {3, 18}});
    shape(icon("next").fills, {{10, 6}, {17, 12}, {10, 18}});
    shape(icon("next").fills, {{18, 6}, {20, 6}, {20, 18}, {18, 18}});
    shape(icon("previous").fills, {{21, 6}, {14, 12}, {21, 18}});
    shape(icon("previous").fills, {{14, 6}, {7, 12}, {14, 18}});
    shape(icon("previous").fills, {{4, 6}, {6, 6}, {6, 18}, {4, 18}});
    shape(icon("pause").fills, {{7, 5}, {9, 5}, {9, 19}, {7, 19}});
    shape(icon("pause").fills, {{15, 5}, {17, 5}, {17, 19}, {15, 19}});
    shape(icon("step").fills, {{5, 5}, {14, 12}, {5, 19}});
    line(icon("step").strokes, {{19, 5}, {19, 19}});
    shape(icon("stepback").fills, {{19, 5}, {10, 12}, {19, 19}});
    line(icon("stepback").strokes, {{5, 5}, {5, 19}});
    shape(icon("start").fills, {{19, 5}, {10, 12}, {19, 19}});
    line(icon("start").strokes, {{5, 5}, {5, 19}});

    line(icon("loop").strokes, {{17, 2}, {21, 6}, {17, 10}});
    line(icon("loop").strokes, {{3, 11}, {3, 9}, {6, 6}, {21, 6}});
    line(icon("loop").strokes, {{7, 22}, {3, 18}, {7, 14}});
    line(icon("loop").strokes, {{21, 13}, {21, 15}, {18, 18}, {3, 18}});

    shape(icon("folder").strokes, {{3, 5}, {9, 5}, {11.5, 8}, {21, 8}, {21, 19}, {3, 19}});
    icon("video").strokes.addRoundedRect(2, 6, 13, 12, 2, 2);
    shape(icon("video").strokes, {{15, 11}, {22, 7}, {22, 17}, {15, 13}});
    circle(icon("crowd").strokes, 9, 8, 3.5);
    arc(icon("crowd").strokes, 9, 21, 7, 0, 180);
    arc(icon("crowd").strokes, 16, 8, 3.5, 80, -160);
    arc(icon("crowd").strokes, 15, 21, 7, 60, -60);
    circle(icon("address").strokes, 12, 12, 9);
    line(icon("address").strokes, {{3, 12}, {21, 12}});
    icon("address").strokes.addEllipse(QPointF(12, 12), 4, 9);
    circle(icon("recent").strokes, 12, 12, 9);
    line(icon("recent").strokes, {{12, 7}, {12, 12}, {15.5, 14}});

    shape(icon("camera").strokes, {{2, 8}, {7, 8}, {9, 5}, {15, 5}, {17, 8}, {22, 8}, {22, 19}, {2, 19}});
    circle(icon("camera").strokes, 12, 13, 3.5);
    circle(icon("record").fills, 12, 12, 6);
    icon("stop").fills.addRect(7, 7, 10, 10);

    line(icon("fullscreen").strokes, {{9, 4}, {4, 4}, {4, 9}});
    line(icon("fullscreen").strokes, {{15, 4}, {20, 4}, {20, 9}});
    line(icon("fullscreen").strokes, {{9, 20}, {4, 20}, {4, 15}});
    line(icon("fullscreen").strokes, {{15, 20}, {20, 20}, {20, 15}});
    line(icon("window").strokes, {{4, 9}, {9, 9}, {9, 4}});
    line(icon("window").strokes, {{20, 9}, {15, 9}, {15, 4}});
    line(icon("window").strokes, {{4, 15}, {9, 15}, {9, 20}});
    line(icon("window").strokes, {{20, 15}, {15, 15}, {15, 20}});

    icon("eye").strokes.moveTo(2.5, 12);
    icon("eye").strokes.quadTo(12, 1.5, 21.5, 12);
    icon("eye").strokes.quadTo(12, 22.5, 2.5, 12);
    circle(icon("eye").strokes, 12, 12, 2.5);
    icon("matrix").strokes.addRoundedRect(3, 3, 18, 18, 2, 2);
    for (const auto& [x, y] : {QPointF(6, 6), QPointF(6, 10.5), QPointF(10.5, 10.5), QPointF(6, 15), QPointF(15, 15)}) {
        icon("matrix").fills.addRect(x, y, 3, 3);
    }
    icon("compare").strokes.addRoundedRect(3, 5, 18, 14, 2, 2);
    line(icon("compare").strokes, {{12, 2}, {12, 22}});
    icon("compare").fills.addRect(14.5, 8.5, 4, 7);
    icon("race").fills.addRect(3, 5, 6, 3.4);
    icon("race").fills.addRect(3, 10.3, 11, 3.4);
    icon("race").fills.addRect(3, 15.6, 18, 3.4);
    line(icon("split").strokes, {{9, 7}, {4, 12}, {9, 17}});
    line(icon("split").strokes, {{15, 7}, {20, 12}, {15, 17}});
    icon("panel").strokes.addRoundedRect(3, 4, 18, 16, 2, 2);
    line(icon("panel").strokes, {{15, 4}, {15, 20}});
    arc(icon("help").strokes, 12, 9, 3.5, 180, -235);
    line(icon("help").strokes, {{14, 11.8}, {12, 13.4}, {12, 15}});
    circle(icon("help").fills, 12, 19, 0.4);

    for (const double x : {5.0, 12.0, 19.0}) circle(icon("more").fills, x, 12, 1.8);
    line(icon("close").strokes, {{6, 6}, {18, 18}});
    line(icon("close").strokes, {{18, 6}, {6, 18}});
    line(icon("down").strokes, {{6, 9.5}, {12, 15.5}, {18, 9.5}});
    line(icon("right").strokes, {{9.5, 6}, {15.5, 12}, {9.5, 18}});
    line(icon("check").strokes, {{5, 12.5}, {10, 17.5}, {19, 7}});
    line(icon("minus").strokes, {{6, 12}, {18, 12}});
    line(icon("plus").strokes, {{6, 12}, {18, 12}});
    line(icon("plus").strokes, {{12, 6}, {12, 18}});
    arc(icon("reset").strokes, 12, 12, 8, 130, 290);
    line(icon("reset").strokes, {{6, 2}, {6.5, 6.5}, {11, 6}});

    shape(icon("warning").strokes, {{12, 3.5}, {22, 20}, {2, 20}});
    line(icon("warning").strokes, {{12, 10}, {12, 14}});
    circle(icon("warning").fills, 12, 17, 0.4);
    circle(icon("info").strokes, 12, 12, 9);
    line(icon("info").strokes, {{12, 11.5}, {12, 16}});
    circle(icon("info").fills, 12, 8, 0.4);
    return icons;
}

const QHash<QString, IconPath>& icons() {
    static const QHash<QString, IconPath> kTable = make_icons();
    return kTable;
}

}  // namespace

const IconPath* find_icon(const QString& name) {
    const auto found = icons().constFind(name);
    return found == icons().cend() ? nullptr : &found.value();
}

QStringList icon_names() {
    return icons().keys();
}

}  // namespace throng::ui
