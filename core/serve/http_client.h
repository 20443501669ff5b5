// A client of the server: its connection, the request that it sends, and what it is sent.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "core/serve/http_message.h"
#include "core/serve/limits.h"
#include "core/serve/listener.h"
#include "core/serve/tls.h"

namespace throng {

struct HttpClient {
    using Clock = std::chrono::steady_clock;
    using Bytes = std::shared_ptr<const std::string>;

    HttpClient(int descriptor, std::uint64_t number, const HttpLimits& limits)
        : socket(descriptor), id(number), reader(limits) {}

    Descriptor socket;
    std::uint64_t id;
    TlsSession tls{};
    std::string address{};
    std::string in{};
    RequestReader reader;
    std::deque<Bytes> out{};
    std::size_t sent = 0;     // of the first one
    std::size_t backlog = 0;  // bytes in `out`
    enum class State : std::uint8_t {
        reading,    // a request, or the wait for it
        waiting,    // for the answer
        streaming,  // what is published on the channel
        closing,    // after what is in `out`
        lingering,  // all is sent: reads until the client closes, so that it gets all
    } state = State::reading;
    bool keep_alive = true;
    bool headless = false;   // HEAD: the answer has no body
    bool has_begun = false;  // a part of the request has come
    bool gone = false;
    bool tls_writes = false;  // TLS has to write before it can read
    std::string channel{};
    std::uint64_t seen = 0;  // number of the image that was sent last
    Clock::time_point deadline{};
    Clock::time_point since{};  // the request is awaited since then
    Clock::time_point spoke{};  // last bytes sent
    std::uint32_t interest = 0;

    // Return the number of bytes; 0 if the call would have to wait, -1 at the end of the connection.
    ssize_t read_some(char* to, std::size_t size);
    ssize_t write_some(const char* from, std::size_t size);
};

}  // namespace throng
