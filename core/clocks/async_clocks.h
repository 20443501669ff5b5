// The clocks for a program that must never wait: changes are made on a thread of their own, where the clocks in force
// are read once a second, too.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/clocks/clock_controller.h"

namespace throng {

enum class ClockPhase : std::uint8_t {
    starting,  // the board is being looked at
    idle,      // nothing was asked for yet, or all was restored
    applying,  // a request is on its way
    applied,   // the newest request is in force
    rejected,  // the newest request failed: see result
};

struct ClockStatus {
    ClockPhase phase = ClockPhase::starting;
    std::string requested;  // id of the newest request; empty: none, or to restore
    ApplyResult result;     // of the newest request that is done; where, why and what to do when rejected
    double apply_ms = 0;    // that it took
    ClockReading reading;   // at most a period old; changed_by_another tells of another program

    Board board;
    std::string kind;                       // "devfreq", "tegra124", "nvml", "none"
    std::string location;                   // node or library
    std::vector<ResolvedProfile> profiles;  // read again with every reading: a GPU may appear late
    std::string recovered;                  // what an earlier run had left behind, in one line; empty: nothing
    std::uint64_t version = 0;              // grows with every change of any of these
};

// Thread-safe. The destructor waits for a change in progress and restores what was found, as ClockController does.
class AsyncClocks {
public:
    struct Options {
        ClockOptions clocks;
        std::chrono::milliseconds period{1000};  // between readings
        std::function<void()> wake;              // called from the thread after every change; must only post a message
    };
    explicit AsyncClocks(Options options);
    ~AsyncClocks();
    AsyncClocks(const AsyncClocks&) = delete;
    AsyncClocks& operator=(const AsyncClocks&) = delete;

    // Return at once; of several requests only the newest is carried out. An unknown id ends as rejected.
    void request(const std::string& id);
    void restore();

    [[nodiscard]] ClockStatus status() const;

private:
    struct Request {
        std::string id;  // empty: restore
    };
    void run(const std::stop_token& stop);
    void publish(const ClockController& controller);
    void serve(ClockController& controller, const Request& request);

    const Options options_;
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::optional<Request> request_;
    ClockStatus status_;
    std::jthread thread_;  // last: it uses all the others
};

}  // namespace throng
