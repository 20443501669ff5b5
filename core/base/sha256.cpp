#include "core/base/sha256.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <system_error>
#include <vector>

#include "core/base/error.h"

namespace throng {
namespace {

class Hash {
public:
    Hash() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
        if (context_ == nullptr || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) {
            throw Error(ErrorKind::internal, "OpenSSL does not support SHA-256");
        }
    }
    void add(const void* bytes, std::size_t size) { EVP_DigestUpdate(context_.get(), bytes, size); }
    [[nodiscard]] std::string digits() {
        std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
        unsigned length = 0;
        EVP_DigestFinal_ex(context_.get(), digest.data(), &length);
        std::string text;
        for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
        return text;
    }

private:
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string sha256_of(const std::filesystem::path& path) {
    const auto failure = [&path](int code) {
        return Error(ErrorKind::input, "cannot be read: " + std::generic_category().message(code), path.string());
    };
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) throw failure(errno);
    Hash hash;
    std::vector<char> block(1 << 17);
    ssize_t size = 0;
    while ((size = ::read(file, block.data(), block.size())) > 0 || (size < 0 && errno == EINTR)) {
        if (size > 0) hash.add(block.data(), static_cast<std::size_t>(size));
    }
    const int code = errno;
    ::close(file);
    if (size < 0) throw failure(code);
    return hash.digits();
}

std::string sha256_of_text(std::string_view text) {
    Hash hash;
    hash.add(text.data(), text.size());
    return hash.digits();
}

}  // namespace throng
