// A pause that a stop request ends.
#pragma once

#include <chrono>
#include <stop_token>

namespace throng {

// Both block until the time is reached. Return false at once after a stop request.
bool sleep_until(std::chrono::steady_clock::time_point time, const std::stop_token& stop);
bool sleep_for(std::chrono::duration<double> duration, const std::stop_token& stop);

}  // namespace throng
