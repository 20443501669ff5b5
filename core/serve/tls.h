// The parts of OpenSSL that the server uses.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

namespace throng {

struct FreeTls {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    void operator()(SSL* session) const { SSL_free(session); }
};
using TlsContext = std::unique_ptr<SSL_CTX, FreeTls>;
using TlsSession = std::unique_ptr<SSL, FreeTls>;

// Returns a context for a server, TLS 1.2 or newer. Throws Error(input) that names the file and what is wrong with it:
// missing, damaged, expired, not yet valid, or a key of another certificate.
[[nodiscard]] TlsContext make_tls_context(const std::string& certificate, const std::string& key);

}  // namespace throng
