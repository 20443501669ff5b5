// Runs part of a test in a forked process.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "tests/support/process_state.h"
#include "tests/support/sanitized.h"

namespace throng::test {

// ThreadSanitizer ends a process that starts a thread after a fork of several threads. The allocator of both sanitizers
// may remain locked in the child if other threads are running.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadSanitizer = true;
#elif defined(__has_feature)
inline constexpr bool kThreadSanitizer = __has_feature(thread_sanitizer);
#else
inline constexpr bool kThreadSanitizer = false;
#endif

// Waits until each other thread of this process sleeps. A thread that starts or ends may hold a lock of the sanitizer's
// allocator, which a forked process would wait for without end; the C library releases its own.
inline void wait_for_sleep_of_other_threads() {
    while (!is_blocked(::getpid(), ::gettid())) std::this_thread::yield();
}

// Returns true if no expectation of work() failed in a forked process. One that hangs is ended after a minute.
template <class Work>
::testing::AssertionResult holds_in_fork(const Work& work) {
    if (kSanitized) wait_for_sleep_of_other_threads();
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(60);
        work();
        ::_exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    if (child < 0 || ::waitpid(child, &status, 0) != child) return ::testing::AssertionFailure() << "cannot fork";
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return ::testing::AssertionFailure() << "it hangs";
    if (status != 0) return ::testing::AssertionFailure() << "status " << status;
    return ::testing::AssertionSuccess();
}

}  // namespace throng::test
