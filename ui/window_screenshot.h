// Saves an image of the window after a given number of results, then quits the program. For documents and tests.
#pragma once

#include <QImage>
#include <QQuickWindow>
#include <QTimer>

#include "ui/session/session.h"
#include "ui/wall/wall.h"

namespace throng::ui {

class WindowScreenshot : public QObject {
    Q_OBJECT

public:
    // wall: whose results count; null: those of the session. Takes the image after `results` results, or when the source ends or fails, whichever is first, plus a short delay
    // for drawing.
    WindowScreenshot(QQuickWindow& window, Session& session, Wall* wall, QString path, int results);

    // Writes the file. Throws the session's error if it has one and leaves the file unchanged. Throws Error(input) if
    // the file cannot be written, Error(internal) if there is no image of the window.
    void finish();

private:
    void check_done();
    void take();

    QQuickWindow& window_;
    Session& session_;
    Wall* wall_;
    QString path_;
    int results_left_;
    QTimer settle_;
    QImage image_;
};

}  // namespace throng::ui
