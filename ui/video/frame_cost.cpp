#include "ui/video/frame_cost.h"

#include <QThread>
#include <ctime>

#include "core/base/log.h"

namespace throng::ui {
namespace {

constexpr int kStartFrames = 20;  // loading and the first layout

// Returns the CPU time of the calling thread, or of the program, in nanoseconds.
std::int64_t cpu_time(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
    timespec now{};
    clock_gettime(clock, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

FrameCost::FrameCost(QQuickWindow& window, const MeasuredApplication& application)
    : window_(window), application_(application) {
    // With a render thread, it synchronizes; otherwise its time is part of the window thread's.
    const auto on_render_thread = [this] { return QThread::currentThread() != thread(); };
    connect(
        &window, &QQuickWindow::beforeSynchronizing, this,
        [this, on_render_thread] {
            if (on_render_thread()) begin_ = cpu_time();
        },
        Qt::DirectConnection);
    connect(
        &window, &QQuickWindow::afterSynchronizing, this,
        [this, on_render_thread] {
            if (on_render_thread()) synchronized_ += cpu_time() - begin_;
        },
        Qt::DirectConnection);
    connect(&window, &QQuickWindow::afterAnimating, this, &FrameCost::end_frame);  // once per frame, on this thread
}

void FrameCost::end_frame() {
    if (frames_ == 0) {
        logger().info("first frame after {:.2f} s of CPU time",
                      static_cast<double>(cpu_time(CLOCK_PROCESS_CPUTIME_ID)) / 1e9);
    }
    const std::int64_t now = cpu_time();
    const std::int64_t spent = now - last_ + synchronized_.exchange(0);
    last_ = now;
    if (++frames_ > kStartFrames) busy_.add(static_cast<double>(spent) / 1e6);
}

void FrameCost::report() const {
    const auto log = [](const char* what, const RollingStatistics& of) {
        const RollingSummary ms = of.summary();
        logger().info(
            "CPU time of the window's thread per {} ({} measured): median {:.2f} ms, p99 {:.2f} ms, max {:.2f} ms",
            what, ms.count, ms.p50, ms.p99, ms.max);
    };
    const bool software = window_.rendererInterface()->graphicsApi() == QSGRendererInterface::Software;
    log(software ? "frame with the software renderer" : "frame", busy_);
    log("event", application_.handlers());
}

bool MeasuredApplication::notify(QObject* receiver, QEvent* event) {
    if (!measures_ || busy_ || QThread::currentThread() != thread()) return QGuiApplication::notify(receiver, event);
    const std::int64_t begin = cpu_time();
    busy_ = true;
    const bool handled = QGuiApplication::notify(receiver, event);
    busy_ = false;
    handlers_.add(static_cast<double>(cpu_time() - begin) / 1e6);
    return handled;
}

}  // namespace throng::ui
