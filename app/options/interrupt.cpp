#include "app/options/interrupt.h"

#include <unistd.h>
#include <csignal>

#include "core/base/error.h"

namespace throng {
namespace {

volatile std::sig_atomic_t interrupted = 0;
struct sigaction former_int;
struct sigaction former_term;

extern "C" void on_signal(int) {
    if (interrupted != 0) _exit(130);
    interrupted = 1;
}

}  // namespace

InterruptGuard::InterruptGuard() {
    interrupted = 0;
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
    return interrupted != 0;
}

}  // namespace throng
