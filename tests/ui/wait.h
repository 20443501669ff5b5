// Waiting for conditions and window contents. No test depends on the pace of the machine: the timeout only ends a hang.
#pragma once

#include <gtest/gtest.h>

#include <QImage>
#include <QQuickWindow>
#include <QTest>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

namespace throng::test {

constexpr int kTimeoutMs = 60000;

// Processes events until the condition holds. Returns false on timeout.
template <class Condition>
[[nodiscard]] bool wait_for(Condition condition) {
    return QTest::qWaitFor(condition, kTimeoutMs);
}

// Processes events until the window has been drawn twice: calls that were posted before have been made, and the layout
// and the image show what they changed. Comes after everything that an action causes without a timer. The window must be
// on screen.
[[nodiscard]] inline bool wait_for_drawing(QQuickWindow& window) {
    int drawn = 0;
    QObject context;  // frameSwapped may be emitted on another thread; the call is queued then
    QObject::connect(&window, &QQuickWindow::frameSwapped, &context, [&] {
        ++drawn;
        window.update();
    });
    window.update();
    return wait_for([&] { return drawn >= 2; });
}

// Grabs the window repeatedly until check(image) returns an empty string. Returns the last mismatch on timeout,
// otherwise an empty string.
template <class Check>
[[nodiscard]] std::string wait_for_image(QQuickWindow& window, Check check) {
    std::string mismatch;
    const bool matches = wait_for([&] { return (mismatch = check(window.grabWindow())).empty(); });
    return matches ? std::string{} : mismatch;
}

// Returns the largest difference over the color channels.
[[nodiscard]] inline int distance(const QColor& a, const QColor& b) {
    return std::max({std::abs(a.red() - b.red()), std::abs(a.green() - b.green()), std::abs(a.blue() - b.blue())});
}

// Returns "at 0.5 0: #000000, not #2ee6bf", or an empty string if the colors differ by at most max_distance.
[[nodiscard]] inline std::string difference(double x, double y, const QColor& found, const QColor& expected,
                                            int max_distance = 0) {
    if (distance(found, expected) <= max_distance) return {};
    return QStringLiteral("at %1 %2: %3, not %4\n").arg(x).arg(y).arg(found.name(), expected.name()).toStdString();
}

// Returns true if CMakeLists.txt runs the current case with OpenGL, too: by its name.
[[nodiscard]] inline bool runs_with_opengl() {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    return std::strstr(test.name(), "Draw") != nullptr || std::strcmp(test.test_suite_name(), "DeviceFrames") == 0;
}

}  // namespace throng::test

// Skips the current test if the platform cannot read its windows back, as Qt 6.2 without a display.
#define TH_NEEDS_READ_BACK(window)                                                                    \
    EXPECT_TRUE(throng::test::runs_with_opengl()) << "a case that reads pixels has Draw in its name"; \
    if ((window).grabWindow().isNull()) GTEST_SKIP() << "skipped: this Qt cannot read a window back without a display"
