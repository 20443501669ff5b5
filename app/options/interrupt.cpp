#include "app/options/interrupt.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <memory>
#include <system_error>
#include <thread>

#include "core/base/error.h"

namespace throng {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

// A signal may interrupt any thread, so sig_atomic_t is not sufficient.
std::atomic<bool> interrupted = false;
std::atomic<bool> end_at_next = false;
std::atomic<int> wake_file = -1;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

extern "C" void on_signal(int signal) {
    const int saved = errno;
    interrupted = true;
    if (signal != SIGHUP && end_at_next.exchange(true)) _exit(130);
    const std::uint64_t one = 1;
    static_cast<void>(!::write(wake_file, &one, sizeof one));
    errno = saved;
}

// Calls std::stop_source from a thread, which the handler wakes through an eventfd: a handler must not call it.
class Waker {
public:
    Waker() : file_(::eventfd(0, EFD_CLOEXEC)) {
        if (file_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
        wake_file = file_;
        thread_ = std::thread([this] {
            std::uint64_t count = 0;
            while (::read(file_, &count, sizeof count) < 0 && errno == EINTR) {
            }
            if (interrupted) source_.request_stop();
        });
    }
    ~Waker() {
        const std::uint64_t one = 1;
        static_cast<void>(!::write(file_, &one, sizeof one));
        thread_.join();
        wake_file = -1;
        ::close(file_);
    }
    Waker(const Waker&) = delete;
    Waker& operator=(const Waker&) = delete;

    [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

private:
    int file_;
    std::stop_source source_;
    std::thread thread_;
};

std::unique_ptr<Waker> waker;
std::array<struct sigaction, kSignals.size()> previous;

void mask_signals(int how) noexcept {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : kSignals) sigaddset(&signals, signal);
    pthread_sigmask(how, &signals, nullptr);
}

}  // namespace

void exit_on_signals() noexcept {
    struct sigaction action {};
    action.sa_handler = [](int) { _exit(130); };
    sigemptyset(&action.sa_mask);
    for (const int signal : kSignals) {
        struct sigaction current {};
        sigaction(signal, nullptr, &current);
        if (signal != SIGHUP || current.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
    }
    mask_signals(SIG_UNBLOCK);
}

void hold_signals() noexcept {
    mask_signals(SIG_BLOCK);
}

InterruptGuard::InterruptGuard() {
    interrupted = false;
    end_at_next = false;
    waker = std::make_unique<Waker>();
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        sigaction(kSignals[i], nullptr, &previous[i]);
        if (kSignals[i] == SIGHUP && previous[i].sa_handler == SIG_IGN) continue;
        sigaction(kSignals[i], &action, nullptr);
    }
}

InterruptGuard::~InterruptGuard() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &previous[i], nullptr);
    waker.reset();
}

bool InterruptGuard::requested() noexcept {
    return interrupted;
}

std::stop_token InterruptGuard::token() {
    return waker ? waker->token() : std::stop_token();
}

}  // namespace throng
