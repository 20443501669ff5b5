#include "core/base/sleep.h"

#include <condition_variable>
#include <mutex>

namespace throng {

bool sleep_until(std::chrono::steady_clock::time_point time, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    wake.wait_until(lock, stop, time, [] { return false; });
    return !stop.stop_requested();
}

bool sleep_for(std::chrono::duration<double> duration, const std::stop_token& stop) {
    using Clock = std::chrono::steady_clock;
    return sleep_until(Clock::now() + std::chrono::duration_cast<Clock::duration>(duration), stop);
}

}  // namespace throng
