#include "ui/stand/watchdog.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/base/log.h"

namespace throng::ui {
namespace {

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? std::string_view(value) : std::string_view();
}

}  // namespace

void notify_service_manager(std::string_view message) {
    const std::string_view path = variable("NOTIFY_SOCKET");
    sockaddr_un address{};
    if (path.size() < 2 || path.size() >= sizeof address.sun_path || (path[0] != '/' && path[0] != '@')) return;
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    if (path[0] == '@') address.sun_path[0] = '\0';  // a name without a file
    const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket < 0) return;
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    // Without waiting: a full queue holds enough reports.
    if (::sendto(socket, message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                 reinterpret_cast<const sockaddr*>(&address), length) < 0) {
        logger().debug("no report to the service manager: {}", std::strerror(errno));
    }
    ::close(socket);
}

std::chrono::milliseconds watchdog_period() {
    const auto number = [](std::string_view text) {
        long long value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        return error == std::errc() && end == text.data() + text.size() ? value : 0;
    };
    const std::string_view pid = variable("WATCHDOG_PID");  // of the process that is watched; empty: this one
    if (!pid.empty() && number(pid) != ::getpid()) return {};
    return std::chrono::milliseconds(std::max(0LL, number(variable("WATCHDOG_USEC")) / 1000));
}

Watchdog::Watchdog(QQuickWindow& window, std::chrono::milliseconds period, QObject* parent)
    : QObject(parent), window_(window) {
    // Queued: a report also needs the event loop.
    connect(
        &window, &QQuickWindow::frameSwapped, this,
        [this] {
            shown_ = true;
            if (!std::exchange(ready_, true)) notify_service_manager("READY=1\nSTATUS=Showing frames");
        },
        Qt::QueuedConnection);
    connect(&timer_, &QTimer::timeout, this, &Watchdog::check);
    if (period.count() > 0) timer_.start(period / 4);
}

Watchdog::~Watchdog() {
    notify_service_manager("STOPPING=1");
}

void Watchdog::check() {
    if (shown_ || !window_.isExposed()) notify_service_manager("WATCHDOG=1");
    shown_ = false;
    window_.update();  // a paused video draws nothing otherwise
}

}  // namespace throng::ui
