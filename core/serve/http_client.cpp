#include "core/serve/http_client.h"

#include <openssl/err.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace throng {

ssize_t HttpClient::read_some(char* to, std::size_t size) {
    if (!tls) {
        const ssize_t count = ::recv(socket.get(), to, size, 0);
        if (count > 0) return count;
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
    }
    ERR_clear_error();
    const int count = SSL_read(tls.get(), to, static_cast<int>(size));
    tls_writes = false;
    if (count > 0) return count;
    const int why = SSL_get_error(tls.get(), count);
    tls_writes = why == SSL_ERROR_WANT_WRITE;
    return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE ? 0 : -1;
}

ssize_t HttpClient::write_some(const char* from, std::size_t size) {
    if (!tls) {
        const ssize_t count = ::send(socket.get(), from, size, MSG_NOSIGNAL);
        if (count >= 0) return count;
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    }
    ERR_clear_error();
    const int count = SSL_write(tls.get(), from, static_cast<int>(std::min<std::size_t>(size, 1 << 30)));
    if (count > 0) return count;
    const int why = SSL_get_error(tls.get(), count);
    return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE ? 0 : -1;
}

}  // namespace throng
