#include "tests/support/loopback.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace throng::test {

LoopbackListener::LoopbackListener() : file_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    constexpr int kBacklog = 8;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(file_, generic, size) != 0 || ::listen(file_, kBacklog) != 0 ||
        ::getsockname(file_, generic, &size) != 0) {
        ::close(file_);
        throw std::runtime_error("cannot open a port on the loopback interface");
    }
    port_ = ntohs(address.sin_port);
}

LoopbackListener::~LoopbackListener() {
    ::close(file_);
}

}  // namespace throng::test
