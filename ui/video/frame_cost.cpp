#include "ui/video/frame_cost.h"

#include <QThread>

#include "core/base/log.h"

namespace throng::ui {

FrameCost::FrameCost(QQuickWindow& window) : window_(window) {
    const auto begin = [this] { start_ = Clock::now().time_since_epoch().count(); };
    const auto end = [this] {
        if (start_ == 0) return;
        const auto elapsed = Clock::now().time_since_epoch() - Clock::duration(start_);
        busy_.add(std::chrono::duration<double, std::milli>(elapsed).count());
        start_ = 0;
    };
    connect(&window, &QQuickWindow::beforeSynchronizing, this, begin, Qt::DirectConnection);
    connect(
        &window, &QQuickWindow::afterSynchronizing, this,
        [this, end] {
            if (QThread::currentThread() != thread()) end();  // the window's thread continues here
        },
        Qt::DirectConnection);
    connect(
        &window, &QQuickWindow::frameSwapped, this,
        [this, end] {
            if (QThread::currentThread() == thread()) end();
        },
        Qt::DirectConnection);
}

void FrameCost::report() const {
    const RollingSummary ms = busy_.summary();
    const bool software = window_.rendererInterface()->graphicsApi() == QSGRendererInterface::Software;
    spdlog::info(
        "window thread busy time per frame ({} frames, {} renderer): median {:.2f} ms, p99 {:.2f} ms, max {:.2f} ms",
        ms.count, software ? "software" : "hardware", ms.p50, ms.p99, ms.max);
}

}  // namespace throng::ui
