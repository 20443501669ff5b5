#include "core/serve/listener.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "core/base/error.h"
#include "core/base/value_text.h"

namespace throng {
namespace {

struct HostAndPort {
    std::string host = "127.0.0.1";
    std::string port;
};

HostAndPort parse_address(const std::string& text) {
    const auto malformed = [&] {
        return Error(ErrorKind::usage, {"not an address: %1", text}, Setting{"http"},
                     "use PORT for this machine only, or ADDRESS:PORT, such as 0.0.0.0:8080 or [::]:8080");
    };
    HostAndPort result;
    const std::size_t colon = text.rfind(':');
    result.port = colon == std::string::npos ? text : text.substr(colon + 1);
    if (colon != std::string::npos) result.host = text.substr(0, colon);
    if (result.host.size() > 2 && result.host.front() == '[' && result.host.back() == ']') {
        result.host = result.host.substr(1, result.host.size() - 2);
    } else if (result.host.find(':') != std::string::npos) {
        throw malformed();
    }
    if (result.host.empty() || !check_whole(result.port, 0, 65535).empty()) throw malformed();
    return result;
}

bool is_loopback_address(const sockaddr* address) {
    if (address->sa_family == AF_INET) {
        sockaddr_in v4{};
        std::memcpy(&v4, address, sizeof v4);
        return ntohl(v4.sin_addr.s_addr) >> 24U == 127;
    }
    sockaddr_in6 v6{};
    std::memcpy(&v6, address, sizeof v6);
    return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
}

}  // namespace

std::string numeric_address(const sockaddr_storage& address, socklen_t size) {
    std::array<char, NI_MAXHOST> text{};
    const auto* plain = reinterpret_cast<const sockaddr*>(&address);
    return getnameinfo(plain, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0 ? text.data() : "";
}

Listener listen_at(const std::string& text) {
    const HostAndPort address = parse_address(text);
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE;
    addrinfo* found = nullptr;
    const int failure = getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found);
    const std::string shown = address.host + ":" + address.port;
    if (failure != 0) {
        throw Error(ErrorKind::unavailable, {"%1 is not an address of this machine: %2", shown, gai_strerror(failure)},
                    Setting{"http"});
    }
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, &freeaddrinfo);
    // A name such as localhost has both; most clients try IPv4.
    for (addrinfo* each = found; each != nullptr; each = each->ai_next) {
        if (each->ai_family == AF_INET) {
            found = each;
            break;
        }
    }
    Descriptor socket(::socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int on = 1;
    const int off = 0;
    static_cast<void>(setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
    if (found->ai_family == AF_INET6) {
        // [::] stands for all addresses, as a user expects; some machines have it otherwise.
        static_cast<void>(setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off));
    }
    if (::bind(socket.get(), found->ai_addr, found->ai_addrlen) != 0 || ::listen(socket.get(), 128) != 0) {
        const int code = errno;
        const char* advice = code == EADDRINUSE      ? "another program uses the port; choose another one"
                             : code == EADDRNOTAVAIL ? "use an address of this machine, or 0.0.0.0 for all"
                             : code == EACCES        ? "ports below 1024 need a privilege; choose a higher one"
                                                     : "";
        throw Error(ErrorKind::unavailable, {"cannot listen at %1: %2", shown, std::strerror(code)}, Setting{"http"},
                    advice);
    }
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    getsockname(socket.get(), reinterpret_cast<sockaddr*>(&bound), &size);
    Listener result{std::move(socket), address.host, 0, is_loopback_address(found->ai_addr)};
    if (found->ai_family == AF_INET) {
        sockaddr_in v4{};
        std::memcpy(&v4, &bound, sizeof v4);
        result.port = ntohs(v4.sin_port);
    } else {
        sockaddr_in6 v6{};
        std::memcpy(&v6, &bound, sizeof v6);
        result.port = ntohs(v6.sin6_port);
    }
    return result;
}

}  // namespace throng
