#include "core/base/service_manager.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/base/log.h"
#include "core/base/value_text.h"

namespace throng {
namespace {

std::string_view service_variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? std::string_view(value) : std::string_view();
}

}  // namespace

void notify_service_manager(std::string_view message) {
    const std::string_view path = service_variable("NOTIFY_SOCKET");
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
    const auto number = [](std::string_view text) { return parse_whole(text).value_or(0); };
    const std::string_view pid = service_variable("WATCHDOG_PID");  // of the process that is watched; empty: this one
    if (!pid.empty() && number(pid) != ::getpid()) return {};
    return std::chrono::milliseconds(std::max<std::int64_t>(0, number(service_variable("WATCHDOG_USEC")) / 1000));
}

bool writes_to_journal() {
    struct stat file {};
    return ::fstat(STDERR_FILENO, &file) == 0 &&
           service_variable("JOURNAL_STREAM") == std::to_string(file.st_dev) + ":" + std::to_string(file.st_ino);
}

}  // namespace throng
