// The size of the window's texts follows the font that the user has chosen for the desktop.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QFontInfo>
#include <QGuiApplication>
#include <QObject>
#include <algorithm>

namespace throng::ui {

// Read once, when the window is made.
class TextScale : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_SINGLETON
    Q_PROPERTY(qreal factor READ factor CONSTANT)

public:
    // Returns the factor of all sizes of fonts. The texts are as large as they were designed up to the usual fonts of
    // desktops, of 11 points and 15 pixels, and half as large again at most: beyond, the panels do not fit a screen.
    [[nodiscard]] qreal factor() const { return factor_; }

private:
    const qreal factor_ = std::clamp(QFontInfo(QGuiApplication::font()).pixelSize() / 15.0, 1.0, 1.5);
};

}  // namespace throng::ui
