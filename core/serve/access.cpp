#include "core/serve/access.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/log.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTokenBytes = 24;
constexpr std::size_t kMinToken = 16;
constexpr std::uint64_t kMaxTokenFile = 4096;

// Takes the same time for all texts of a length.
bool is_same_secret(std::string_view given, std::string_view secret) {
    if (given.size() != secret.size()) return false;
    unsigned char difference = 0;
    for (std::size_t i = 0; i < secret.size(); ++i) {
        difference = static_cast<unsigned char>(difference | (given[i] ^ secret[i]));
    }
    return difference == 0;
}

bool has_token(const AccessRules& rules, const HttpRequest& request) {
    constexpr std::string_view kBearer = "Bearer ";
    const std::string_view authorization = request.header("authorization");
    return (authorization.starts_with(kBearer) && is_same_secret(authorization.substr(kBearer.size()), rules.token)) ||
           is_same_secret(request.cookie(rules.cookie), rules.token) ||
           is_same_secret(request.parameter("token"), rules.token);
}

// Returns the host of "host:port".
std::string_view without_port(std::string_view authority) {
    if (authority.starts_with('[')) return authority.substr(0, authority.find(']') + 1);
    return authority.substr(0, authority.find(':'));
}

bool is_ip_address(std::string_view host) {
    std::string text(host);
    in6_addr address{};
    if (text.size() > 2 && text.front() == '[') {
        return inet_pton(AF_INET6, text.substr(1, text.size() - 2).c_str(), &address) == 1;
    }
    return inet_pton(AF_INET, text.c_str(), &address) == 1;
}

bool is_own_name(const AccessRules& rules, std::string_view host) {
    if (is_ip_address(host) || host == "localhost" || host == rules.host) return true;
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) != 0) return false;
    const std::string_view machine(name.data());
    return host == machine ||
           (host.size() == machine.size() + 6 && host.starts_with(machine) && host.ends_with(".local"));
}

}  // namespace

std::optional<HttpResponse> check_access(const AccessRules& rules, const HttpRequest& request) {
    const std::string_view host = request.header("host");
    if (rules.token.empty() && !host.empty() && !is_own_name(rules, without_port(host))) {
        return error_response(403, Message("this host name is unknown; use its address, or start the program "
                                           "with %1",
                                           Setting{"http", "NAME:PORT"})
                                       .text());
    }
    if (const std::string_view origin = request.header("origin"); !origin.empty()) {
        const std::size_t scheme = origin.find("://");
        if (scheme == std::string_view::npos || origin.substr(scheme + 3) != host) {
            return error_response(403, "pages of other sites are not allowed to ask");
        }
    }
    if (request.header("sec-fetch-site") == "cross-site" && request.header("sec-fetch-mode") != "navigate") {
        return error_response(403, "pages of other sites are not allowed to ask");
    }
    if (rules.token.empty() || has_token(rules, request)) return std::nullopt;
    HttpResponse refused = error_response(
        401, "no token, or a wrong one: send the header 'Authorization: Bearer TOKEN', or once ?token=TOKEN");
    refused.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"throng\"");
    return refused;
}

std::optional<std::string> cookie_header(const AccessRules& rules, const HttpRequest& request) {
    if (rules.token.empty() || !is_same_secret(request.parameter("token"), rules.token)) return std::nullopt;
    return rules.cookie + "=" + rules.token + "; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000" +
           (rules.secure ? "; Secure" : "");
}

std::string load_token(const std::string& path) {
    const auto fail = [&path](const char* what) { throw Error(ErrorKind::input, {what, std::strerror(errno)}, path); };
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
        fs::create_directories(fs::path(path).parent_path(), ignored);
        std::array<unsigned char, kTokenBytes> random{};
        if (getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
            fail("no random numbers for a token: %1");
        }
        constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        std::string token;
        for (const unsigned char byte : random) token += kLetters[byte % kLetters.size()];
        token += '\n';
        // Complete under another name first: a program that starts at the same time must not read an empty file.
        std::string draft = path + ".XXXXXX";
        const int file = ::mkostemp(draft.data(), O_CLOEXEC);  // for the owner alone
        if (file < 0) fail("cannot create the token file: %1");
        const bool written = ::write(file, token.data(), token.size()) == static_cast<ssize_t>(token.size());
        const bool closed = ::close(file) == 0;
        const bool linked = written && closed && ::link(draft.c_str(), path.c_str()) == 0;
        const int failure = errno;
        ::unlink(draft.c_str());
        errno = failure;
        if (linked) {
            // Also with --quiet, which hides the address.
            logger().warn("{}: a new token, which clients need", path);
        } else if (!written || !closed || failure != EEXIST) {
            fail("cannot create the token file: %1");
        }
    }
    ReadOptions reading;
    reading.what = "token";
    reading.max_bytes = kMaxTokenFile;
    std::string token = read_file(path, reading);
    while (!token.empty() && (token.back() == '\n' || token.back() == '\r' || token.back() == ' ')) token.pop_back();
    // The same in a header, a cookie and an address. A + in an address is a blank.
    constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~=/";
    if (token.size() < kMinToken || token.find_first_not_of(kAllowed) != std::string::npos) {
        throw Error(ErrorKind::input,
                    {"not a token: it needs at least %1 characters, which are letters, digits and -._~=/", kMinToken},
                    path, "remove the file, so that a new one is made");
    }
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && (status.st_mode & 077U) != 0) {
        logger().warn("{}: others can read the token; use chmod 600", path);
    }
    return token;
}

std::string default_token_path() {
    constexpr const char* kName = "http-token";
    const auto value_of = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value == nullptr ? "" : value);
    };
    // systemd gives the folders of a unit, separated by colons.
    if (const std::string unit = value_of("STATE_DIRECTORY"); !unit.empty()) {
        return (fs::path(unit.substr(0, unit.find(':'))) / kName).string();
    }
    if (const std::string state = value_of("XDG_STATE_HOME"); !state.empty()) {
        return (fs::path(state) / "throng" / kName).string();
    }
    if (const std::string home = value_of("HOME"); !home.empty()) {
        return (fs::path(home) / ".local" / "state" / "throng" / kName).string();
    }
    throw Error(ErrorKind::input, "no folder for the token is known", Setting{"http"},
                {"use %1", Setting{"http_token_file", "FILE"}});
}

}  // namespace throng
