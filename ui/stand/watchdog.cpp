#include "ui/stand/watchdog.h"

#include <utility>

#include "core/base/service_manager.h"

namespace throng::ui {

Watchdog::Watchdog(QQuickWindow& window, std::chrono::milliseconds period, QObject* parent)
    : QObject(parent), window_(window) {
    // Queued: a report also needs the event loop.
    connect(
        &window, &QQuickWindow::frameSwapped, this,
        [this] {
            shown_ = true;
            if (!std::exchange(ready_, true)) notify_service_manager("READY=1\nSTATUS=Showing frames");
        },
        Qt::QueuedConnection);
    connect(&timer_, &QTimer::timeout, this, &Watchdog::check);
    if (period.count() > 0) timer_.start(period / 4);
}

Watchdog::~Watchdog() {
    notify_service_manager("STOPPING=1");
}

void Watchdog::check() {
    if (shown_ || !window_.isExposed()) notify_service_manager("WATCHDOG=1");
    shown_ = false;
    window_.update();  // a paused video draws nothing otherwise
}

}  // namespace throng::ui
