#include "core/serve/tls.h"

#include <openssl/err.h>
#include <openssl/x509.h>

#include "core/base/error.h"
#include "core/base/input_file.h"

namespace throng {
namespace {

constexpr std::uint64_t kMaxPem = std::uint64_t{1} << 20U;

std::string tls_problem() {
    const unsigned long code = ERR_peek_last_error();
    ERR_clear_error();
    const char* reason = ERR_reason_error_string(code);
    return reason == nullptr ? "not in PEM form" : reason;
}

// Returns a time as "2026-01-31 12:00 UTC".
std::string text_of(const ASN1_TIME* time) {
    std::tm parts{};
    if (ASN1_TIME_to_tm(time, &parts) != 1) return "an unknown time";
    char text[32] = {};
    static_cast<void>(std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts));
    return text;
}

}  // namespace

TlsContext make_tls_context(const std::string& certificate, const std::string& key) {
    // Says what OpenSSL does not: that a file is missing, a folder or too large.
    ReadOptions reading;
    reading.max_bytes = kMaxPem;
    reading.what = "certificate";
    static_cast<void>(read_file(certificate, reading));
    reading.what = "key";
    static_cast<void>(read_file(key, reading));

    ERR_clear_error();
    TlsContext context(SSL_CTX_new(TLS_server_method()));
    if (!context) throw Error(ErrorKind::internal, {"TLS cannot be used: %1", tls_problem()});
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    // A key with a passphrase is an error: nobody is there to type it.
    SSL_CTX_set_default_passwd_cb(context.get(), [](char*, int, int, void*) { return -1; });
    if (SSL_CTX_use_certificate_chain_file(context.get(), certificate.c_str()) != 1) {
        throw Error(ErrorKind::input, {"the certificate cannot be read: %1", tls_problem()}, certificate,
                    "give a file in PEM form");
    }
    if (SSL_CTX_use_PrivateKey_file(context.get(), key.c_str(), SSL_FILETYPE_PEM) != 1) {
        const bool is_other = ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH;
        const std::string why = tls_problem();
        if (is_other) throw Error(ErrorKind::input, "the key is that of another certificate", key);
        throw Error(ErrorKind::input, {"the key cannot be read: %1", why}, key,
                    "give a file in PEM form, without a passphrase");
    }
    if (SSL_CTX_check_private_key(context.get()) != 1) {
        throw Error(ErrorKind::input, "the key is that of another certificate", key);
    }
    const X509* leaf = SSL_CTX_get0_certificate(context.get());
    if (X509_cmp_current_time(X509_get0_notAfter(leaf)) < 0) {
        throw Error(ErrorKind::input, {"the certificate expired at %1", text_of(X509_get0_notAfter(leaf))}, certificate,
                    "renew it");
    }
    if (X509_cmp_current_time(X509_get0_notBefore(leaf)) > 0) {
        throw Error(ErrorKind::input, {"the certificate is valid from %1 on", text_of(X509_get0_notBefore(leaf))},
                    certificate, "check the clock of this machine");
    }
    return context;
}

}  // namespace throng
