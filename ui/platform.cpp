#include "ui/platform.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <QDir>
#include <QLibraryInfo>
#include <QOffscreenSurface>
#include <QOpenGLContext>
#include <QQuickWindow>
#include <QStringList>
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/base/log.h"

namespace throng::ui {
namespace {

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : value;
}

bool plugin_installed(const QString& platform) {
    QStringList folders{QLibraryInfo::path(QLibraryInfo::PluginsPath) + QStringLiteral("/platforms")};
    for (const char* variable : {"QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH"}) {
        for (const QString& path : QString::fromLocal8Bit(environment(variable).c_str()).split(QLatin1Char(':'))) {
            if (!path.isEmpty()) folders << path << path + QStringLiteral("/platforms");
        }
    }
    for (const QString& folder : folders) {
        if (!QDir(folder).entryList({QStringLiteral("libq%1*.so").arg(platform)}, QDir::Files).isEmpty()) return true;
    }
    return false;
}

class Socket {
public:
    explicit Socket(int family) : handle_(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
    ~Socket() {
        if (handle_ >= 0) close(handle_);
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    [[nodiscard]] bool connects(const void* address, std::size_t size) const {
        return handle_ >= 0 &&
               connect(handle_, static_cast<const sockaddr*>(address), static_cast<socklen_t>(size)) == 0;
    }

private:
    int handle_;
};

// abstract: the path is in the abstract socket namespace, not in the file system.
bool answers(const std::string& path, bool abstract = false) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() + 2 > sizeof address.sun_path) return false;
    std::memcpy(address.sun_path + (abstract ? 1 : 0), path.data(), path.size());
    return Socket(AF_UNIX).connects(&address, offsetof(sockaddr_un, sun_path) + path.size() + 1);
}

bool answers(const std::string& host, int port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return false;
    bool reached = false;
    for (const addrinfo* a = found; a != nullptr && !reached; a = a->ai_next) {
        reached = Socket(a->ai_family).connects(a->ai_addr, a->ai_addrlen);
    }
    freeaddrinfo(found);
    return reached;
}

// display: "[host]:display[.screen]", the X11 syntax.
bool x11_answers(const std::string& display) {
    const std::size_t colon = display.rfind(':');
    if (colon == std::string::npos) return false;
    const std::string host = display.substr(0, colon);
    const int number = std::atoi(display.c_str() + colon + 1);
    const std::string path = "/tmp/.X11-unix/X" + std::to_string(number);
    if (host.empty() || host == "unix") {
        return answers(path) || answers(path, true) || answers("localhost", 6000 + number);
    }
    if (host.front() == '/') return answers(display) || answers(host);  // a socket's path
    return answers(host, 6000 + number);
}

bool wayland_answers(const std::string& name) {
    return answers(name.front() == '/' ? name : environment("XDG_RUNTIME_DIR") + "/" + name);
}

// Creates a context and makes it current, as the scene graph will.
bool opengl_works() {
    QOpenGLContext context;
    if (!context.create()) return false;
    QOffscreenSurface surface;
    surface.setFormat(context.format());
    surface.create();
    return surface.isValid() && context.makeCurrent(&surface);
}

}  // namespace

std::string display_unavailable_reason() {
    const std::string x11 = environment("DISPLAY");
    const std::string wayland = environment("WAYLAND_DISPLAY");
    // A list, of which Qt takes the first that works: "wayland;xcb", each with parameters after a colon.
    QStringList platforms =
        QString::fromLocal8Bit(environment("QT_QPA_PLATFORM").c_str()).split(QLatin1Char(';'), Qt::SkipEmptyParts);
    if (platforms.isEmpty()) platforms = {QStringLiteral("xcb"), QStringLiteral("wayland")};
    const auto in_list = [&](const char* platform) {
        return std::any_of(platforms.begin(), platforms.end(),
                           [&](const QString& each) { return each.startsWith(QLatin1String(platform)); });
    };
    const bool all_need_display = std::all_of(platforms.begin(), platforms.end(), [](const QString& each) {
        return each.startsWith(QLatin1String("xcb")) || each.startsWith(QLatin1String("wayland"));
    });
    if (!all_need_display) return {};  // eglfs, linuxfb, vnc, offscreen and the like need no display server

    std::string reason;
    const auto add_reason = [&](const std::string& line) { reason += (reason.empty() ? "" : "; ") + line; };
    if (!x11.empty() && in_list("xcb")) {
        if (!plugin_installed(QStringLiteral("xcb"))) {
            add_reason("the Qt platform plugin for X11 (xcb) is not installed");
        } else if (!x11_answers(x11)) {
            add_reason("no X server answers on DISPLAY=" + x11);
        } else {
            return {};
        }
    }
    if (!wayland.empty() && in_list("wayland")) {
        if (!plugin_installed(QStringLiteral("wayland"))) {
            add_reason("the Qt platform plugin for Wayland is not installed");
        } else if (!wayland_answers(wayland)) {
            add_reason("no compositor answers on WAYLAND_DISPLAY=" + wayland);
        } else {
            return {};
        }
    }
    return reason.empty() ? "DISPLAY and WAYLAND_DISPLAY are not set" : reason;
}

void select_renderer() {
    for (const char* variable : {"QT_QUICK_BACKEND", "QMLSCENE_DEVICE", "QSG_RHI_BACKEND"}) {
        if (!environment(variable).empty()) return;
    }
    if (opengl_works()) return;
    logger().warn(
        "OpenGL is unavailable on this display: the window uses the software renderer, which is slower. Install a "
        "driver of the display with OpenGL, or choose this with QT_QUICK_BACKEND=software.");
    QQuickWindow::setGraphicsApi(QSGRendererInterface::Software);
}

}  // namespace throng::ui
