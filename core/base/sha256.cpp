#include "core/base/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <memory>

#include "core/base/error.h"
#include "core/base/input_file.h"

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

std::string sha256_of(const std::filesystem::path& path, const std::stop_token& stop) {
    Hash hash;
    ReadOptions options;
    options.stop = stop;
    read_blocks(path, options, [&hash](std::string_view bytes) { hash.add(bytes.data(), bytes.size()); });
    return hash.digits();
}

std::string sha256_of_text(std::string_view text) {
    Hash hash;
    hash.add(text.data(), text.size());
    return hash.digits();
}

}  // namespace throng
