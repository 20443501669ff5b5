// Waiting for a state without an event loop. No test depends on the pace of the machine: the timeout only ends a hang.
#pragma once

#include <chrono>
#include <thread>

namespace throng::test {

// Blocks until the condition holds. Returns false after a minute, far longer than a correct program needs on a busy
// machine.
template <typename Condition>
[[nodiscard]] bool eventually(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

}  // namespace throng::test
