// Reports to the service manager that the window is alive (sd_notify(3)): systemd restarts a unit that stops reporting.
#pragma once

#include <QObject>
#include <QPointer>
#include <QQuickWindow>
#include <QTimer>
#include <chrono>
#include <string>
#include <string_view>

namespace throng::ui {

// Sends one datagram to the service manager's socket. Does nothing if $NOTIFY_SOCKET is not set.
void notify_service_manager(std::string_view message);

// Returns the time within which the service manager expects a report of this process ($WATCHDOG_USEC, $WATCHDOG_PID);
// zero: it expects none.
[[nodiscard]] std::chrono::milliseconds watchdog_period();

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
