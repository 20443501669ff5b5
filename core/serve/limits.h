// What a client may cost: all limits of the server in one place.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace throng {

struct HttpLimits {
    // One request. More is answered with 414, 431 or 413.
    std::size_t target_bytes = 4096;
    std::size_t head_bytes = std::size_t{16} << 10U;  // request line and headers
    std::size_t num_headers = 100;
    std::size_t body_bytes = std::size_t{16} << 20U;
    std::uint64_t image_pixels = std::uint64_t{64} << 20U;

    // All clients together. A client beyond replaces the one that has been waiting longest for its request to be
    // complete; without such a client it is answered with 503, as are streams, bodies and questions beyond.
    std::size_t num_clients = 256;
    std::size_t num_streams = 32;  // images and events
    std::size_t num_questions = 16;
    std::size_t all_body_bytes = std::size_t{64} << 20U;

    // One address: requests per second, and how many may come at once. More is answered with 429.
    double requests_per_second = 200;
    double requests_at_once = 400;

    // A client that takes longer is disconnected, and so is one with this many bytes of events waiting.
    std::chrono::milliseconds head_time{10'000};
    std::chrono::milliseconds body_time{30'000};
    std::chrono::milliseconds idle_time{60'000};  // between two requests
    std::chrono::milliseconds send_time{20'000};  // without a byte that the client takes
    std::size_t backlog_bytes = std::size_t{256} << 10U;
};

}  // namespace throng
