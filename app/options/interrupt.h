// Ctrl-C and SIGTERM as a request to stop in order.
#pragma once

namespace throng {

// While one exists, the first SIGINT or SIGTERM only sets a flag; the second ends the process at once with status 130.
// At most one at a time.
class InterruptGuard {
public:
    InterruptGuard();
    ~InterruptGuard();  // the former handlers again
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    [[nodiscard]] static bool requested() noexcept;
};

}  // namespace throng
