#include "tests/support/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace throng::test {

std::string HttpReply::header(const std::string& name) const {
    const std::size_t at = head.find("\r\n" + name + ": ");
    if (at == std::string::npos) return {};
    const std::size_t begin = at + name.size() + 4;
    return head.substr(begin, head.find("\r\n", begin) - begin);
}

HttpClient::HttpClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    const timeval limit{60, 0};  // only ends a hang
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        ::close(socket_);
        throw std::runtime_error("nobody listens at port " + std::to_string(port));
    }
}

HttpClient::~HttpClient() {
    ::close(socket_);
}

bool HttpClient::send(const std::string& bytes) const {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        const ssize_t count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (count <= 0) return false;
        sent += static_cast<std::size_t>(count);
    }
    return true;
}

void HttpClient::end_sending() const {
    ::shutdown(socket_, SHUT_WR);
}

bool HttpClient::has_answer() const {
    char byte = 0;
    return !received_.empty() || ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

bool HttpClient::receive() {
    std::array<char, 65536> bytes{};
    const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (count > 0) received_.append(bytes.data(), static_cast<std::size_t>(count));
    return count > 0;
}

std::string HttpClient::read_until(const std::string& text) {
    std::size_t at = 0, searched = 0;
    while ((at = received_.find(text, searched)) == std::string::npos) {
        searched = received_.size() - std::min(received_.size(), text.size());
        if (!receive()) return std::exchange(received_, {});
    }
    std::string result = received_.substr(0, at + text.size());
    received_.erase(0, at + text.size());
    return result;
}

std::string HttpClient::read_bytes(std::size_t count) {
    while (received_.size() < count && receive()) continue;
    std::string result = received_.substr(0, count);
    received_.erase(0, count);
    return result;
}

std::string HttpClient::read_all() {
    while (receive()) continue;
    return std::exchange(received_, {});
}

HttpReply HttpClient::read_reply(bool headless) {
    HttpReply reply;
    reply.head = read_until("\r\n\r\n");
    if (!reply.head.starts_with("HTTP/1.1 ")) return reply;
    reply.status = std::stoi(reply.head.substr(9, 3));
    const std::string length = reply.header("Content-Length");
    if (!headless && !length.empty()) reply.body = read_bytes(std::stoul(length));
    return reply;
}

HttpReply HttpClient::ask(const std::string& method, const std::string& target, const std::string& headers,
                          const std::string& body) {
    std::string request = method + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + headers;
    if (!body.empty()) request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    send(request + "\r\n" + body);
    return read_reply(method == "HEAD");
}

HttpReply http_ask(int port, const std::string& method, const std::string& target, const std::string& headers,
                   const std::string& body) {
    return HttpClient(port).ask(method, target, headers, body);
}

}  // namespace throng::test
