// A socket that listens: the address of --http.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <utility>

namespace throng {

// A file descriptor that is closed at the end.
class Descriptor {
public:
    explicit Descriptor(int fd = -1) noexcept : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    [[nodiscard]] int get() const noexcept { return fd_; }

private:
    int fd_;
};

struct Listener {
    Descriptor socket;
    std::string host;  // as given: "127.0.0.1", "::1", "camera.local"
    int port = 0;      // the one that is used, also if any free one was asked for
    bool is_loopback = false;
};

// Listens at PORT (of 127.0.0.1), HOST:PORT or [IPv6]:PORT. Throws Error(usage) if this is no address, Error(unavailable) if
// nobody can listen there.
[[nodiscard]] Listener listen_at(const std::string& address);

// Returns "192.0.2.1" or "2001:db8::1"; empty if there is none.
[[nodiscard]] std::string numeric_address(const sockaddr_storage& address, socklen_t size);

}  // namespace throng
