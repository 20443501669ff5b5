// Asynchronous clock control for a program that must not block. A background thread changes the clocks and reads the
// current ones once per second.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/base/latest_value.h"
#include "core/clocks/clock_controller.h"

namespace throng {

enum class ClockPhase : std::uint8_t {
    starting,  // the board is being identified
    idle,      // no request yet, or all clocks were restored
    applying,  // a request is being carried out
    applied,   // the newest request is in force
    rejected,  // the newest request failed: see result
};

struct ClockStatus {
    ClockPhase phase = ClockPhase::starting;
    std::string requested;  // profile id of the newest request; empty: none, or a restore
    ApplyResult result;     // of the newest completed request; location, reason and advice if rejected
    ClockReading reading;   // at most one period old; changed_by_another is set after a change by another program

    Board board;
    std::string kind;                       // "devfreq", "tegra124", "nvml", "none"
    std::string location;                   // device node or library
    std::vector<ResolvedProfile> profiles;  // updated with every reading: a GPU may appear late
    std::string recovered;                  // one line about clocks that an earlier run left changed; empty: none
    std::uint64_t version = 0;              // incremented with every change of another member
};

// Thread-safe. The destructor waits for a change in progress and restores the original clocks, as ClockController does.
class AsyncClocks {
public:
    struct Options {
        ClockOptions clocks;
        std::chrono::milliseconds period{1000};  // between readings
        std::function<void()> wake;              // called on the thread after every change; must only post a message
    };
    explicit AsyncClocks(Options options);
    ~AsyncClocks();
    AsyncClocks(const AsyncClocks&) = delete;
    AsyncClocks& operator=(const AsyncClocks&) = delete;

    // Return at once. Of several pending requests only the newest is carried out. An unknown id is rejected.
    void request(const std::string& id);
    void restore();

    [[nodiscard]] ClockStatus status() const;

private:
    void run(const std::stop_token& stop);
    void publish(const ClockController& controller);
    void serve(ClockController& controller, const std::string& id);

    const Options options_;
    mutable std::mutex mutex_;
    LatestValue<std::string> requests_;  // profile ids; empty: restore
    ClockStatus status_;
    std::jthread thread_;  // last: it uses all the others
};

}  // namespace throng
