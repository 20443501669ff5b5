// Turns Ctrl-C, SIGTERM and SIGHUP into a request for an orderly stop.
#pragma once

#include <stop_token>

namespace throng {

// Makes these signals end the process at once with status 130 while no InterruptGuard exists: for commands that have
// nothing to finish. To be called once, at the start. A SIGHUP that is ignored (nohup) is not handled.
// Lets those through that hold_signals() held.
void exit_on_signals() noexcept;

// Keeps these signals for the program that this process is about to become (exec).
void hold_signals() noexcept;

// While an object exists, the first SIGINT, SIGTERM or SIGHUP only requests a stop; a second SIGINT or SIGTERM ends the
// process at once with status 130. A SIGHUP that was ignored before (nohup) is not handled. At most one at a time.
class InterruptGuard {
public:
    InterruptGuard();
    ~InterruptGuard();  // restores the previous handlers
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    [[nodiscard]] static bool requested() noexcept;
    // Returns the token that ends blocking calls. Without a guard, returns a token that never stops.
    [[nodiscard]] static std::stop_token token();
};

}  // namespace throng
