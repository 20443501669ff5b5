// How long the window's thread is busy with every frame it draws; for measurements, asked for by THRONG_UI_STATISTICS.
#pragma once

#include <QObject>
#include <QQuickWindow>
#include <atomic>
#include <chrono>

#include "core/base/rolling.h"

namespace throng::ui {

// From the moment the scene is taken over until the window's thread is free again: with a render thread when all is
// handed over, else when it is drawn. Waiting for the render thread to finish the frame before is not counted.
class FrameCost : public QObject {
public:
    explicit FrameCost(QQuickWindow& window);

    void report() const;

private:
    using Clock = std::chrono::steady_clock;

    QQuickWindow& window_;
    std::atomic<Clock::rep> start_{
        0};  // written by the window's thread, read by the render thread while that one waits
    RollingStatistics busy_{4096};
};

}  // namespace throng::ui
