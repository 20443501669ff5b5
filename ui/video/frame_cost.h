// Measures the time that the window's thread is busy per frame. Enabled by THRONG_UI_STATISTICS.
#pragma once

#include <QObject>
#include <QQuickWindow>
#include <atomic>
#include <chrono>

#include "core/base/rolling.h"

namespace throng::ui {

// Measures from the start of synchronization until the window's thread continues: after synchronization if there is a
// render thread, otherwise after drawing. Excludes waiting for the render thread to finish the previous frame.
class FrameCost : public QObject {
public:
    explicit FrameCost(QQuickWindow& window);

    void report() const;

private:
    using Clock = std::chrono::steady_clock;

    QQuickWindow& window_;
    // Written by the window's thread; read by the render thread while the window's thread is blocked.
    std::atomic<Clock::rep> start_{0};
    RollingStatistics busy_{4096};
};

}  // namespace throng::ui
