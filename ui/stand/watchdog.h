// Reports to the service manager that the window is alive (sd_notify(3)): systemd restarts a unit that stops reporting.
#pragma once

#include <QObject>
#include <QPointer>
#include <QQuickWindow>
#include <QTimer>
#include <chrono>

namespace throng::ui {

// Lives on the window's thread. A report needs a frame that was really shown, and the window's event loop. While the
// window is not exposed (the screen is off or unplugged), nothing is drawn, and the event loop alone counts.
class Watchdog : public QObject {
    Q_OBJECT

public:
    // Reports "ready" with the first frame, then at least twice per period; period zero: never.
    Watchdog(QQuickWindow& window, std::chrono::milliseconds period, QObject* parent = nullptr);
    ~Watchdog() override;  // reports that the program stops

private:
    void check();

    QQuickWindow& window_;
    bool ready_ = false;
    bool shown_ = false;  // a frame since the last report
    QTimer timer_;
};

}  // namespace throng::ui
