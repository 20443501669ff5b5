// Waiting for what must come, and for what a window must show, however long a busy machine takes.
#pragma once

#include <gtest/gtest.h>

#include <QImage>
#include <QQuickWindow>
#include <QTest>
#include <algorithm>
#include <cstdlib>
#include <string>

namespace throng::test {

constexpr int kTimeoutMs = 20000;  // milliseconds

// Whether the condition came to hold; events are handled meanwhile.
template <class Condition>
[[nodiscard]] bool wait_for(Condition condition) {
    return QTest::qWaitFor(condition, kTimeoutMs);
}

// Grabs the window again and again until check(image) finds no fault, or the patience is over. Returns the last
// fault; empty: none.
template <class Check>
[[nodiscard]] std::string fault_of(QQuickWindow& window, Check check) {
    std::string fault;
    const bool gone = wait_for([&] { return (fault = check(window.grabWindow())).empty(); });
    return gone ? std::string{} : fault;
}

// The largest difference of a channel.
[[nodiscard]] inline int distance(const QColor& a, const QColor& b) {
    return std::max({std::abs(a.red() - b.red()), std::abs(a.green() - b.green()), std::abs(a.blue() - b.blue())});
}

// "at 0.5 0: #000000, not #2ee6bf"; empty where both are equal, or no further apart than said.
[[nodiscard]] inline std::string difference(double x, double y, const QColor& found, const QColor& expected,
                                            int most = 0) {
    if (distance(found, expected) <= most) return {};
    return QStringLiteral("at %1 %2: %3, not %4\n").arg(x).arg(y).arg(found.name(), expected.name()).toStdString();
}

}  // namespace throng::test

// Skips the running test where the platform cannot read its windows back, as Qt 6.2's cannot without a display.
#define TH_NEEDS_READ_BACK(window) \
    if ((window).grabWindow().isNull()) GTEST_SKIP() << "skipped: this Qt cannot read a window back without a display"
