// A small HTTP server for tests: serves one file, with selectable faults. Listens only on the loopback interface.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/loopback.h"

namespace throng::test {

class HttpServer {
public:
    struct Plan {
        std::optional<std::size_t> cut_after = {};    // bytes of a body, then the connection is closed
        std::optional<std::size_t> stall_after = {};  // bytes of a body, then the server sends nothing
        bool ranges = true;                           // supports range requests
        bool length = true;                // sends Content-Length; otherwise the end of the connection ends the body
        bool chunked = false;              // Transfer-Encoding: chunked, without Content-Length
        int status = 200;                  // 401 and others: no body
        std::size_t bytes_per_second = 0;  // 0: unlimited
        bool silent = false;               // accepts connections and sends no answer
        std::string type = "application/octet-stream";
        std::function<bool()> may_answer = {};  // called until it returns true; requests are answered then
    };

    // Throws std::runtime_error if no port is free.
    HttpServer(std::vector<char> body, Plan plan);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    // http://[user_info@]127.0.0.1:port/NAME
    [[nodiscard]] std::string url(const std::string& name, const std::string& user_info = {}) const;
    [[nodiscard]] int requests() const { return requests_; }  // received so far

private:
    void serve(const std::stop_token& stop);
    void talk(int client, const std::stop_token& stop);
    void send_body(int client, std::size_t begin, const std::stop_token& stop);

    const std::vector<char> body_;
    const Plan plan_;
    LoopbackListener listener_;
    std::atomic<int> requests_ = 0;
    std::jthread thread_;
};

}  // namespace throng::test
