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
#include "core/video/media_reader.h"
#include "core/video/url.h"

namespace throng {
namespace {

bool is_looked_up(std::string_view scheme) {
    constexpr std::array<std::string_view, 14> kSchemes = {"rtsp", "rtsps", "http", "https", "ftp",  "rtmp", "rtmps",
                                                           "tcp",  "tls",   "udp",  "rtp",   "mmsh", "mmst", "srt"};
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

}  // namespace

void wait_for_host(const std::string& url, const std::string& shown, double seconds, const std::stop_token& stop) {
    const char* proxy = std::getenv("http_proxy");
    const std::string host = url_host(url);
    if (!is_looked_up(url_scheme(url)) || host.empty() || (proxy != nullptr && *proxy != '\0')) return;
    if (look_up(host, AI_NUMERICHOST) == 0) return;

    const auto answer = std::make_shared<LatestValue<int>>();
    std::thread([answer, host] { answer->push(look_up(host, 0)); }).detach();
    int error = 0;
    const PopStatus status = answer->pop(error, stop, std::chrono::duration<double>(seconds));
    if (status == PopStatus::stopped) throw Error(ErrorKind::interrupted, "stopped while opening", shown);
    if (status == PopStatus::timeout) {
        throw Error(ErrorKind::input, "the host name was not resolved within " + short_number(seconds) + " s", shown,
                    "check the network and its name server");
    }
    if (error != 0) {
        throw Error(ErrorKind::input, std::string("host not found: ") + ::gai_strerror(error), shown,
                    "check the address and the network");
    }
}

}  // namespace throng
