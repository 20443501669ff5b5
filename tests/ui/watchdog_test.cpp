// Tests the reports to the service manager, received by a socket of the test.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/ui/window_fixture.h"
#include "ui/stand/watchdog.h"

namespace throng::ui {
namespace {

class WatchdogTest : public testing::Test {
protected:
    void listen(const std::string& name) {
        socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        name.copy(address.sun_path, sizeof address.sun_path - 1);
        if (name[0] == '@') address.sun_path[0] = '\0';
        ASSERT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address),
                         static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size())),
                  0);
        qputenv("NOTIFY_SOCKET", QByteArray::fromStdString(name));
    }
    void TearDown() override {
        for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) qunsetenv(name);
        if (socket_ >= 0) ::close(socket_);
    }
    // Returns the next report, or an empty string.
    std::string report() const {
        char text[256];
        const ssize_t size = ::recv(socket_, text, sizeof text, 0);
        return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : std::string();
    }
    bool wait_for_report(const std::string& text) const {
        return test::wait_for([&] { return report().find(text) != std::string::npos; });
    }
    void discard_reports() const {
        while (!report().empty()) {
        }
    }

    test::ScratchDir folder_;
    int socket_ = -1;
};

TEST_F(WatchdogTest, ReportsFramesAndTheEnd) {
    listen((folder_.path() / "socket").string());
    QQuickWindow window;
    window.resize(200, 100);
    {
        const Watchdog watchdog(window, std::chrono::milliseconds(200));
        std::string first;
        ASSERT_TRUE(test::wait_for([&] { return !(first = report()).empty(); }));
        EXPECT_EQ(first, "WATCHDOG=1") << "not ready before the first frame";
        window.show();
        ASSERT_TRUE(wait_for_report("READY=1"));
        ASSERT_TRUE(wait_for_report("WATCHDOG=1"));
        ASSERT_TRUE(wait_for_report("WATCHDOG=1")) << "also while nothing changes in the window";
        discard_reports();
        QTest::qSleep(300);  // longer than the period; a slow machine makes it no shorter
        EXPECT_EQ(report(), "") << "the event loop stands still";
        window.hide();
        ASSERT_TRUE(wait_for_report("WATCHDOG=1")) << "nothing is drawn without a screen";
        discard_reports();
    }
    EXPECT_EQ(report(), "STOPPING=1");
}

TEST_F(WatchdogTest, FindsASocketWithoutAFile) {
    listen("@throng-test-" + std::to_string(::getpid()));
    notify_service_manager("READY=1");
    EXPECT_EQ(report(), "READY=1");
}

TEST_F(WatchdogTest, DoesNothingWithoutAServiceManager) {
    const std::string path = (folder_.path() / "socket").string();
    listen(path);
    const QString current = QDir::currentPath();
    ASSERT_TRUE(QDir::setCurrent(QString::fromStdString(folder_.path().string())));
    for (const std::string& other :
         {std::string(), std::string("/"), std::string("socket"), path + "-of-another", path + std::string(200, 'x')}) {
        qputenv("NOTIFY_SOCKET", QByteArray::fromStdString(other));
        notify_service_manager("READY=1");
        EXPECT_EQ(report(), "") << other;
    }
    QDir::setCurrent(current);
    qputenv("NOTIFY_SOCKET", QByteArray::fromStdString(path));
    notify_service_manager("READY=1");
    EXPECT_EQ(report(), "READY=1");
}

TEST_F(WatchdogTest, ReadsThePeriodOfThisProcess) {
    EXPECT_EQ(watchdog_period().count(), 0);
    qputenv("WATCHDOG_USEC", "30000000");
    EXPECT_EQ(watchdog_period().count(), 30000);
    qputenv("WATCHDOG_PID", QByteArray::number(::getpid()));
    EXPECT_EQ(watchdog_period().count(), 30000);
    qputenv("WATCHDOG_PID", "1");
    EXPECT_EQ(watchdog_period().count(), 0) << "of another process";
    qputenv("WATCHDOG_PID", "");
    for (const char* text : {"", "soon", "-5", "12x"}) {
        qputenv("WATCHDOG_USEC", text);
        EXPECT_EQ(watchdog_period().count(), 0) << text;
    }
}

}  // namespace
}  // namespace throng::ui
