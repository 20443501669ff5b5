#include "app/options/interrupt.h"

#include <unistd.h>
#include <atomic>
#include <csignal>

#include "core/base/error.h"

namespace throng {
namespace {

// Any thread may be the one that a signal interrupts: no sig_atomic_t.
std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);
struct sigaction former_int;
struct sigaction former_term;

extern "C" void on_signal(int) {
    if (interrupted.exchange(true)) _exit(130);
}

}  // namespace

InterruptGuard::InterruptGuard() {
    interrupted = false;
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, &former_int);
    sigaction(SIGTERM, &action, &former_term);
}

InterruptGuard::~InterruptGuard() {
    sigaction(SIGINT, &former_int, nullptr);
    sigaction(SIGTERM, &former_term, nullptr);
}

bool InterruptGuard::requested() noexcept {
    return interrupted;
}

}  // namespace throng
