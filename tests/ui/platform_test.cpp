// Tests the check for a display with sockets of the test instead of display servers.
#include "ui/platform.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <QByteArray>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>

#include "tests/support/test_data.h"

namespace throng::ui {
namespace {

// Listens on a Unix socket, as a display server does.
class Listener {
public:
    explicit Listener(const std::filesystem::path& path) : handle_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
        EXPECT_EQ(bind(handle_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0) << path;
        EXPECT_EQ(listen(handle_, 4), 0);
    }
    ~Listener() { close(handle_); }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

private:
    int handle_;
};

class Platform : public testing::Test {
protected:
    Platform() {
        for (const char* name :
             {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_RUNTIME_DIR", "QT_PLUGIN_PATH"}) {
            if (qEnvironmentVariableIsSet(name)) before_[name] = qgetenv(name);
            qunsetenv(name);
        }
        // A plugin of Wayland, which this machine may lack.
        std::filesystem::create_directories(folder_.path() / "platforms");
        for (const char* plugin : {"libqxcb.so", "libqwayland-generic.so"}) {
            EXPECT_EQ(std::fclose(std::fopen((folder_.path() / "platforms" / plugin).c_str(), "w")), 0);
        }
        qputenv("QT_PLUGIN_PATH", folder_.path().c_str());
    }
    ~Platform() override {
        for (const char* name :
             {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_RUNTIME_DIR", "QT_PLUGIN_PATH"}) {
            before_.count(name) > 0 ? qputenv(name, before_[name]) : qunsetenv(name);
        }
    }
    [[nodiscard]] std::string file(const char* name) const { return (folder_.path() / name).string(); }

    test::ScratchDir folder_;
    std::map<std::string, QByteArray> before_;
};

TEST_F(Platform, ReportsThatNoDisplayIsSet) {
    EXPECT_EQ(display_unavailable_reason(), "DISPLAY and WAYLAND_DISPLAY are not set");
    qputenv("QT_QPA_PLATFORM", "xcb");
    EXPECT_NE(display_unavailable_reason(), "");
}

TEST_F(Platform, NeedsNoDisplayWithoutAServer) {
    for (const char* platform : {"offscreen", "eglfs", "linuxfb", "vnc"}) {
        qputenv("QT_QPA_PLATFORM", platform);
        EXPECT_EQ(display_unavailable_reason(), "") << platform;
    }
}

TEST_F(Platform, AsksTheXServer) {
    const std::string display = file("x11") + ":0";
    qputenv("DISPLAY", display.c_str());
    EXPECT_EQ(display_unavailable_reason(), "no X server answers on DISPLAY=" + display);
    const Listener server(display);
    EXPECT_EQ(display_unavailable_reason(), "");
    qputenv("DISPLAY", "nonsense");
    EXPECT_EQ(display_unavailable_reason(), "no X server answers on DISPLAY=nonsense");
    qputenv("DISPLAY", "localhost:50000");  // port 56000
    EXPECT_EQ(display_unavailable_reason(), "no X server answers on DISPLAY=localhost:50000");
}

TEST_F(Platform, TriesThePlatformsOfAListInTurn) {
    qputenv("QT_QPA_PLATFORM", "wayland;xcb");
    EXPECT_EQ(display_unavailable_reason(), "DISPLAY and WAYLAND_DISPLAY are not set");
    const std::string display = file("x11") + ":0";
    qputenv("DISPLAY", display.c_str());
    EXPECT_EQ(display_unavailable_reason(), "no X server answers on DISPLAY=" + display);
    const Listener server(display);
    for (const char* platforms : {"wayland;xcb", "xcb;wayland", "wayland-egl;xcb", "wayland;xcb:name=value", "xcb"}) {
        qputenv("QT_QPA_PLATFORM", platforms);
        EXPECT_EQ(display_unavailable_reason(), "") << platforms;
    }
    qputenv("QT_QPA_PLATFORM", "wayland");
    EXPECT_NE(display_unavailable_reason(), "");
    qunsetenv("DISPLAY");
    qputenv("QT_QPA_PLATFORM", "wayland;xcb;offscreen:size=640x480");
    EXPECT_EQ(display_unavailable_reason(), "") << "the last one needs no display";
    qputenv("QT_QPA_PLATFORM", "xcb;wayland");
    qputenv("WAYLAND_DISPLAY", file("wayland-7").c_str());
    EXPECT_EQ(display_unavailable_reason(), "no compositor answers on WAYLAND_DISPLAY=" + file("wayland-7"));
    const Listener compositor(file("wayland-7"));
    EXPECT_EQ(display_unavailable_reason(), "");
}

TEST_F(Platform, AsksTheWaylandCompositor) {
    qputenv("XDG_RUNTIME_DIR", folder_.path().c_str());
    qputenv("WAYLAND_DISPLAY", "wayland-7");
    EXPECT_EQ(display_unavailable_reason(), "no compositor answers on WAYLAND_DISPLAY=wayland-7");
    qputenv("DISPLAY", ":7654");
    EXPECT_EQ(display_unavailable_reason(),
              "no X server answers on DISPLAY=:7654; no compositor answers on WAYLAND_DISPLAY=wayland-7");
    const Listener compositor(file("wayland-7"));
    EXPECT_EQ(display_unavailable_reason(), "") << "one of both is enough";
    qputenv("QT_QPA_PLATFORM", "xcb");
    EXPECT_EQ(display_unavailable_reason(), "no X server answers on DISPLAY=:7654");
    qputenv("QT_QPA_PLATFORM", "wayland");
    EXPECT_EQ(display_unavailable_reason(), "");
    qputenv("WAYLAND_DISPLAY", file("wayland-7").c_str());  // an absolute path
    EXPECT_EQ(display_unavailable_reason(), "");
}

}  // namespace
}  // namespace throng::ui
