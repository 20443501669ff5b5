#include "ui/video/frame_cost.h"

#include <QThread>
#include <ctime>

#include "core/base/log.h"

namespace throng::ui {
namespace {

constexpr int kStartFrames = 20;  // loading and the first layout

// Returns the CPU time of the calling thread in nanoseconds.
std::int64_t thread_time() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

FrameCost::FrameCost(QQuickWindow& window) : window_(window) {
    // With a render thread, it synchronizes; otherwise its time is part of the window thread's.
    const auto on_render_thread = [this] { return QThread::currentThread() != thread(); };
    connect(
        &window, &QQuickWindow::beforeSynchronizing, this,
        [this, on_render_thread] {
            if (on_render_thread()) begin_ = thread_time();
        },
        Qt::DirectConnection);
    connect(
        &window, &QQuickWindow::afterSynchronizing, this,
        [this, on_render_thread] {
            if (on_render_thread()) synchronized_ += thread_time() - begin_;
        },
        Qt::DirectConnection);
    connect(&window, &QQuickWindow::afterAnimating, this, &FrameCost::end_frame);  // once per frame, on this thread
}

void FrameCost::end_frame() {
    const std::int64_t now = thread_time();
    const std::int64_t spent = now - last_ + synchronized_.exchange(0);
    last_ = now;
    if (++frames_ > kStartFrames) busy_.add(static_cast<double>(spent) / 1e6);
}

void FrameCost::report() const {
    const RollingSummary ms = busy_.summary();
    const bool software = window_.rendererInterface()->graphicsApi() == QSGRendererInterface::Software;
    logger().info(
        "CPU time of the window's thread per frame ({} frames, {} renderer): median {:.2f} ms, p99 {:.2f} ms, max "
        "{:.2f} ms",
        ms.count, software ? "software" : "hardware", ms.p50, ms.p99, ms.max);
}

}  // namespace throng::ui
