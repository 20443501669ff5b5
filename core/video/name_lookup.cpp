#include "core/video/name_lookup.h"

#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <thread>

#include "core/base/error.h"
#include "core/base/latest_value.h"
#include "core/video/media_input.h"
#include "core/video/url.h"

namespace throng {
namespace {

bool is_looked_up(std::string_view scheme) {
    constexpr std::array<std::string_view, 16> kSchemes = {"rtsp",  "rtsps", "http", "https", "ftp", "rtmp",
                                                           "rtmps", "tcp",   "tls",  "udp",   "rtp", "mmsh",
                                                           "mmst",  "srt",   "mqtt", "mqtts"};
    return std::find(kSchemes.begin(), kSchemes.end(), scheme) != kSchemes.end();
}

// Returns 0 or an error code of getaddrinfo.
int look_up(const std::string& host, int flags) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags;
    addrinfo* found = nullptr;
    const int status = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
    if (status == 0) ::freeaddrinfo(found);
    return status;
}

// Returns true if a pattern of $no_proxy matches the host, as in FFmpeg: "*", "host", ".domain", "*.domain".
bool names_host(std::string_view patterns, std::string_view host) {
    constexpr std::string_view kSeparators = " ,";
    while (!patterns.empty()) {
        const std::size_t end = std::min(patterns.find_first_of(kSeparators), patterns.size());
        std::string_view pattern = patterns.substr(0, end);
        patterns.remove_prefix(std::min(end + 1, patterns.size()));
        if (pattern == "*") return true;
        if (pattern.starts_with('*')) pattern.remove_prefix(1);
        if (pattern.starts_with('.')) pattern.remove_prefix(1);
        if (pattern.empty() || !host.ends_with(pattern)) continue;
        const std::size_t before = host.size() - pattern.size();
        if (before == 0 || host[before - 1] == '.') return true;
    }
    return false;
}

// Returns the host that FFmpeg connects to: that of the URL, or of its proxy.
std::string host_to_look_up(const std::string& url) {
    const std::string scheme = url_scheme(url);
    if (!is_looked_up(scheme)) return {};
    const std::string host = url_host(url);
    // FFmpeg uses a proxy for HTTP, and for connections with TLS.
    constexpr std::array<std::string_view, 6> kProxied = {"http", "https", "tls", "rtsps", "rtmps", "mmsh"};
    const char* proxy = std::getenv("http_proxy");
    const char* direct = std::getenv("no_proxy");
    const bool proxied = proxy != nullptr && url_scheme(proxy) == "http" &&
                         std::find(kProxied.begin(), kProxied.end(), scheme) != kProxied.end() &&
                         !names_host(direct == nullptr ? "" : direct, host);
    return proxied ? url_host(proxy) : host;
}

}  // namespace

void wait_for_host(const std::string& url, const std::string& shown, double seconds, const std::stop_token& stop) {
    const std::string host = host_to_look_up(url);
    if (host.empty()) return;
    if (look_up(host, AI_NUMERICHOST) == 0) return;

    const auto answer = std::make_shared<LatestValue<int>>();
    std::thread([answer, host] { answer->push(look_up(host, 0)); }).detach();
    int error = 0;
    const PopStatus status = answer->pop(error, stop, std::chrono::duration<double>(seconds));
    if (status == PopStatus::stopped) throw Error(ErrorKind::interrupted, "stopped while opening", shown);
    if (status == PopStatus::value && error == 0) return;
    if (has_unencoded_password(url)) {
        throw Error(ErrorKind::input, "the user name or the password ends the address too early", shown,
                    kEncodePassword);
    }
    if (status == PopStatus::timeout) {
        throw Error(ErrorKind::input, {"the host name was not resolved within %1 s", short_number(seconds)}, shown,
                    "check the network and its name server");
    }
    throw Error(ErrorKind::input, {"host not found: %1", ::gai_strerror(error)}, shown,
                "check the address and the network");
}

}  // namespace throng
