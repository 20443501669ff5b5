// A client of HTTP for tests, made of a plain socket: sends any bytes and reads what comes.
#pragma once

#include <optional>
#include <string>

namespace throng::test {

struct HttpReply {
    int status = 0;  // 0: no answer
    std::string head;
    std::string body;

    // Returns the value of a header, given as it is written; empty without one.
    [[nodiscard]] std::string header(const std::string& name) const;
};

class HttpClient {
public:
    // Connects to 127.0.0.1. Throws std::runtime_error if nobody listens.
    explicit HttpClient(int port);
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    // Returns false if the server has closed the connection.
    bool send(const std::string& bytes) const;
    void end_sending() const;  // the server still can
    // Returns whether something has come. Never waits.
    [[nodiscard]] bool has_answer() const;
    // Reads until `text` has come, and returns all before and with it; all that came if the connection ends first.
    std::string read_until(const std::string& text);
    std::string read_bytes(std::size_t count);
    std::string read_all();
    // Reads a head, and a body by its length unless `headless`.
    HttpReply read_reply(bool headless = false);
    // Sends a request with Host and Content-Length and reads the answer.
    HttpReply ask(const std::string& method, const std::string& target, const std::string& headers = {},
                  const std::string& body = {});

private:
    bool receive();

    int socket_;
    std::string received_;
};

// Asks once, on a connection of its own.
HttpReply http_ask(int port, const std::string& method, const std::string& target, const std::string& headers = {},
                   const std::string& body = {});

}  // namespace throng::test
