// Receives the reports to the service manager (sd_notify(3)) in place of systemd.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace throng::test {

class NotifySocket {
public:
    // name: of a file that does not exist, or "@name". Sets $NOTIFY_SOCKET. Throws std::runtime_error on failure.
    explicit NotifySocket(const std::string& name) {
        socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        name.copy(address.sun_path, sizeof address.sun_path - 1);
        if (name[0] == '@') address.sun_path[0] = '\0';
        if (::bind(socket_, reinterpret_cast<sockaddr*>(&address),
                   static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size())) != 0) {
            throw std::runtime_error("no socket " + name);
        }
        ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
    }
    ~NotifySocket() {
        for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) ::unsetenv(name);
        ::close(socket_);
    }
    NotifySocket(const NotifySocket&) = delete;
    NotifySocket& operator=(const NotifySocket&) = delete;

    // Returns the next report, or an empty string.
    [[nodiscard]] std::string report() const {
        char text[256];
        const ssize_t size = ::recv(socket_, text, sizeof text, 0);
        return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : std::string();
    }
    void discard_reports() const {
        while (!report().empty()) {
        }
    }

private:
    int socket_ = -1;
};

}  // namespace throng::test
