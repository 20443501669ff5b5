// A small HTTP server for tests: one file, with the faults that a test chooses. Listens on the loopback interface
// alone.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace throng::test {

class HttpServer {
public:
    struct Plan {
        std::optional<std::size_t> cut_after = {};    // bytes of a body, then the connection is closed
        std::optional<std::size_t> stall_after = {};  // bytes of a body, then nothing more comes
        bool ranges = true;                           // answers requests for a part
        bool length = true;                           // Content-Length; without it the end of the connection is the end
        bool chunked = false;                         // Transfer-Encoding: chunked, without a length
        int status = 200;                             // 401 and others: no body
        std::size_t bytes_per_second = 0;             // 0: without limit
        bool silent = false;                          // takes connections and answers nothing
        std::string type = "application/octet-stream";
    };

    // Throws std::runtime_error when no port is free.
    HttpServer(std::vector<char> body, Plan plan);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    // http://[user_info@]127.0.0.1:port/NAME
    [[nodiscard]] std::string url(const std::string& name, const std::string& user_info = {}) const;
    [[nodiscard]] int requests() const { return requests_; }  // answered so far

private:
    void serve(const std::stop_token& stop);
    void talk(int client, const std::stop_token& stop);
    void send_body(int client, std::size_t begin, const std::stop_token& stop);

    const std::vector<char> body_;
    const Plan plan_;
    int listener_ = -1;
    int port_ = 0;
    std::atomic<int> requests_ = 0;
    std::jthread thread_;
};

}  // namespace throng::test
