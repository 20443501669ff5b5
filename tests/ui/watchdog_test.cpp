// Tests the reports to the service manager, received by a socket of the test.
#include "ui/stand/watchdog.h"
#include "tests/support/notify_socket.h"
#include "tests/ui/window_fixture.h"

namespace throng::ui {
namespace {

TEST(WatchdogTest, ReportsFramesAndTheEnd) {
    const test::ScratchDir folder;
    const test::NotifySocket socket((folder.path() / "socket").string());
    const auto wait_for_report = [&](const std::string& text) {
        return test::wait_for([&] { return socket.report().find(text) != std::string::npos; });
    };
    QQuickWindow window;
    window.resize(200, 100);
    {
        const Watchdog watchdog(window, std::chrono::milliseconds(200));
        std::string first;
        ASSERT_TRUE(test::wait_for([&] { return !(first = socket.report()).empty(); }));
        EXPECT_EQ(first, "WATCHDOG=1") << "not ready before the first frame";
        window.show();
        ASSERT_TRUE(wait_for_report("READY=1"));
        ASSERT_TRUE(wait_for_report("WATCHDOG=1"));
        ASSERT_TRUE(wait_for_report("WATCHDOG=1")) << "also while nothing changes in the window";
        socket.discard_reports();
        QTest::qSleep(300);  // longer than the period; a slow machine makes it no shorter
        EXPECT_EQ(socket.report(), "") << "the event loop stands still";
        window.hide();
        ASSERT_TRUE(wait_for_report("WATCHDOG=1")) << "nothing is drawn without a screen";
        socket.discard_reports();
    }
    EXPECT_EQ(socket.report(), "STOPPING=1");
}

}  // namespace
}  // namespace throng::ui
