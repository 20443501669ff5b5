// Takes an image of the window once it shows what was asked for, then ends the program: for documents and tests.
#pragma once

#include <QImage>
#include <QQuickWindow>
#include <QTimer>

#include "ui/session/session.h"

namespace throng::ui {

class WindowScreenshot : public QObject {
    Q_OBJECT

public:
    // After `results` results, or at the end or failure of the source, whichever is first; then as soon as what is
    // there has been drawn.
    WindowScreenshot(QQuickWindow& window, Session& session, QString path, int results);

    // Writes the file. Throws the session's failure and leaves the file alone where there is one; Error(input) when it
    // cannot be written, Error(internal) when there is no image of the window.
    void finish();

private:
    void count();
    void take();

    QQuickWindow& window_;
    Session& session_;
    QString path_;
    int results_left_;
    QTimer settle_;
    QImage image_;
};

}  // namespace throng::ui
