#include "tests/support/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>
#include <utility>

namespace throng::test {
namespace {

constexpr int kPollMs = 20;
constexpr std::size_t kPieceBytes = 1 << 14;

bool ready(int socket, short events) {
    pollfd requested{socket, events, 0};
    return ::poll(&requested, 1, kPollMs) > 0;
}

// Sends until all bytes are sent, the client disconnects or a stop is requested.
bool send_all(int socket, const char* bytes, std::size_t size, const std::stop_token& stop) {
    while (size > 0) {
        if (stop.stop_requested()) return false;
        if (!ready(socket, POLLOUT)) continue;
        const ssize_t sent = ::send(socket, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent <= 0) return false;
        bytes += sent;
        size -= static_cast<std::size_t>(sent);
    }
    return true;
}

bool send_all(int socket, const std::string& text, const std::stop_token& stop) {
    return send_all(socket, text.data(), text.size(), stop);
}

bool client_left(int client) {
    std::array<char, 256> bytes{};
    return ready(client, POLLIN) && ::recv(client, bytes.data(), bytes.size(), MSG_DONTWAIT) <= 0;
}

}  // namespace

HttpServer::HttpServer(std::vector<char> body, Plan plan) : body_(std::move(body)), plan_(std::move(plan)) {
    thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
}

HttpServer::~HttpServer() {
    thread_.request_stop();
    thread_.join();
}

std::string HttpServer::url(const std::string& name, const std::string& user_info) const {
    return "http://" + (user_info.empty() ? "" : user_info + "@") + "127.0.0.1:" + std::to_string(listener_.port()) +
           "/" + name;
}

void HttpServer::serve(const std::stop_token& stop) {
    std::vector<std::jthread> clients;  // FFmpeg opens a new connection before it closes the old one
    while (!stop.stop_requested()) {
        if (!ready(listener_.file(), POLLIN)) continue;
        const int client = ::accept4(listener_.file(), nullptr, nullptr, SOCK_CLOEXEC);
        if (client < 0) continue;
        clients.emplace_back([this, client](const std::stop_token& ended) {
            talk(client, ended);
            ::close(client);
        });
    }
}

// One request per connection.
void HttpServer::talk(int client, const std::stop_token& stop) {
    std::string request;
    while (request.find("\r\n\r\n") == std::string::npos) {
        if (stop.stop_requested()) return;
        if (!ready(client, POLLIN)) continue;
        std::array<char, 2048> bytes{};
        const ssize_t size = ::recv(client, bytes.data(), bytes.size(), 0);
        if (size <= 0) return;
        request.append(bytes.data(), static_cast<std::size_t>(size));
    }
    ++requests_;
    while (plan_.silent || (plan_.may_answer && !plan_.may_answer())) {
        if (stop.stop_requested() || client_left(client)) return;
    }
    if (plan_.status != 200) {
        const std::string realm = plan_.status == 401 ? "WWW-Authenticate: Basic realm=\"test\"\r\n" : "";
        send_all(client, "HTTP/1.1 " + std::to_string(plan_.status) + " No\r\n" + realm + "Content-Length: 0\r\n\r\n",
                 stop);
        return;
    }
    std::size_t begin = 0;
    const auto range = request.find("Range: bytes=");
    const bool part = plan_.ranges && plan_.length && range != std::string::npos;
    if (part) begin = std::min<std::size_t>(std::stoull(request.substr(range + 13)), body_.size());
    std::string answer = part ? "HTTP/1.1 206 Partial Content\r\n" : "HTTP/1.1 200 OK\r\n";
    answer += "Content-Type: " + plan_.type + "\r\nConnection: close\r\n";
    if (part) {
        answer += "Accept-Ranges: bytes\r\nContent-Range: bytes " + std::to_string(begin) + "-" +
                  std::to_string(body_.size() - 1) + "/" + std::to_string(body_.size()) + "\r\n";
    }
    if (plan_.chunked) {
        answer += "Transfer-Encoding: chunked\r\n";
    } else if (plan_.length) {
        answer += "Content-Length: " + std::to_string(body_.size() - begin) + "\r\n";
    }
    if (send_all(client, answer + "\r\n", stop)) send_body(client, begin, stop);
}

void HttpServer::send_body(int client, std::size_t begin, const std::stop_token& stop) {
    const auto start = std::chrono::steady_clock::now();
    const std::size_t last =
        std::min({plan_.cut_after.value_or(body_.size()), plan_.stall_after.value_or(body_.size()), body_.size()});
    const std::size_t piece =
        plan_.bytes_per_second > 0 ? std::max<std::size_t>(plan_.bytes_per_second / 20, 1) : kPieceBytes;
    for (std::size_t at = begin; at < last;) {
        const std::size_t size = std::min(piece, last - at);
        const std::size_t chunk = std::min(piece, body_.size() - at);  // larger than the bytes sent if the body is cut
        if (plan_.chunked) {
            char head[32];
            std::snprintf(head, sizeof head, "%zx\r\n", chunk);
            if (!send_all(client, head, stop)) return;
        }
        if (!send_all(client, body_.data() + at, size, stop)) return;
        if (plan_.chunked && size == chunk && !send_all(client, "\r\n", stop)) return;
        at += size;
        if (plan_.bytes_per_second == 0) continue;
        const auto due = start + std::chrono::milliseconds(1000 * (at - begin) / plan_.bytes_per_second);
        while (std::chrono::steady_clock::now() < due) {
            if (stop.stop_requested() || client_left(client)) return;
        }
    }
    if (plan_.stall_after) {
        while (!stop.stop_requested() && !client_left(client)) {
        }
    } else if (plan_.chunked && !plan_.cut_after) {
        send_all(client, std::string("0\r\n\r\n"), stop);
    }
}

}  // namespace throng::test
