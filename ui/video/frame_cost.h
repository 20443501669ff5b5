// Measures the CPU time that the window's thread takes per frame. Enabled by THRONG_UI_STATISTICS.
#pragma once

#include <QObject>
#include <QQuickWindow>
#include <atomic>
#include <cstdint>

#include "core/base/rolling.h"

namespace throng::ui {

// Measures from frame to frame: events, bindings, layout, synchronization, and drawing unless a render thread does it.
// CPU time does not contain waiting, and depends less on the load of the machine than wall-clock time.
class FrameCost : public QObject {
public:
    explicit FrameCost(QQuickWindow& window);

    void report() const;

private:
    void end_frame();

    QQuickWindow& window_;
    std::int64_t last_ = 0;  // CPU time of the window's thread at the previous frame, nanoseconds
    int frames_ = 0;
    std::int64_t begin_ = 0;  // of synchronization, on the thread that does it
    // Written by the render thread, which synchronizes while the window's thread is blocked.
    std::atomic<std::int64_t> synchronized_{0};
    RollingStatistics busy_{4096};
};

}  // namespace throng::ui
