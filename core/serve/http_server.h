// A server of HTTP/1.1, with or without TLS: one thread for all clients, so that a slow one costs a descriptor and a
// buffer and delays nobody.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/serve/http_message.h"
#include "core/serve/limits.h"

namespace throng {

struct HttpAnswer {
    enum class Kind : std::uint8_t {
        now,
        later,   // HttpServer::answer gives the answer
        stream,  // the head and the body of the answer, then what is published on the channel, until the client leaves
    };
    HttpResponse response;
    Kind kind = Kind::now;
    std::string channel{};
};

struct HttpServerOptions {
    std::string address;      // PORT, HOST:PORT or [IPv6]:PORT; a port alone: 127.0.0.1. Port 0: any that is free
    std::string certificate;  // PEM file, with the chain; empty: no TLS
    std::string key;          // PEM file
    HttpLimits limits;
};

class HttpServer {
public:
    // Called on the thread of the server, so it must not wait. HEAD comes as GET. client: for answer.
    using Handler = std::function<HttpAnswer(HttpRequest& request, std::uint64_t client)>;

    // Listens. Clients wait until start. Throws Error(usage) for a malformed address, Error(unavailable) if nobody can
    // listen there, Error(input) for a certificate or key that is missing, damaged, expired or of another key.
    explicit HttpServer(const HttpServerOptions& options);
    ~HttpServer();  // disconnects all clients
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    void start(Handler handler);
    // Disconnects all clients; the handler is not called afterwards. Idempotent.
    void stop();

    [[nodiscard]] int port() const;
    [[nodiscard]] const std::string& host() const;  // as given: "127.0.0.1", "::1", "camera.local"
    [[nodiscard]] bool is_loopback() const;         // only programs of this machine can connect
    [[nodiscard]] std::string url() const;          // "https://127.0.0.1:8080/"

    // All below are thread-safe.

    // Answers a request of HttpAnswer::Kind::later. Does nothing if the client has left.
    void answer(std::uint64_t client, HttpResponse response);
    // Sends an image to every client of the channel; one that has not taken the one before gets the next one.
    void publish_newest(const std::string& channel, std::shared_ptr<const std::string> bytes);
    // Sends text to every client of the channel, in order.
    void publish_all(const std::string& channel, std::shared_ptr<const std::string> bytes);
    // Returns the number of clients of the channel.
    [[nodiscard]] std::size_t num_clients(const std::string& channel) const;
    [[nodiscard]] std::size_t num_clients() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace throng
