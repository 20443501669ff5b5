#include "core/base/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <system_error>
#include <thread>

extern char** environ;

namespace throng {
namespace {

// Reads the child's output until it ends or the time is over. Returns false after the limit.
bool read_until(int pipe, std::chrono::steady_clock::time_point end, std::string& output, std::size_t max_output) {
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (left.count() <= 0) return false;
        pollfd events{pipe, POLLIN, 0};
        if (::poll(&events, 1, static_cast<int>(left.count())) <= 0) continue;
        char bytes[4096];
        const ssize_t count = ::read(pipe, bytes, sizeof bytes);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return true;
        output.append(bytes, std::min(static_cast<std::size_t>(count), max_output - output.size()));
    }
}

// Waits for the child until the end of the limit, or for ever without one. Returns what waitpid does, 0 after the limit.
pid_t wait_until(pid_t child, std::optional<std::chrono::steady_clock::time_point> end, int& state) {
    for (;;) {
        const pid_t ended = ::waitpid(child, &state, end ? WNOHANG : 0);
        if (ended > 0 || (ended < 0 && errno != EINTR)) return ended;
        if (end && std::chrono::steady_clock::now() >= *end) return 0;
        if (end) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

}  // namespace

ChildResult run_child(std::vector<std::string> arguments, std::chrono::milliseconds limit, std::size_t max_output) {
    ChildResult result;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        result.failure = "cannot be started: " + std::generic_category().message(errno);
        return result;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    // A group of its own: Ctrl-C reaches this program only, which waits for the limit at most, and a kill reaches the
    // child's children.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_t child = 0;
    const int status = ::posix_spawnp(&child, argv[0], &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    if (status != 0) {
        result.failure = "cannot be started: " + std::generic_category().message(status);
    } else {
        const auto end = std::chrono::steady_clock::now() + limit;
        int state = 0;
        const pid_t ended = read_until(ends[0], end, result.output, max_output) ? wait_until(child, end, state) : 0;
        if (ended < 0) {  // SIGCHLD is ignored: the kernel keeps no status of the child
            result.failure = "its end is unknown: " + std::generic_category().message(errno);
        } else if (ended == 0) {
            ::kill(-child, SIGKILL);
            wait_until(child, std::nullopt, state);
            result.too_slow = true;
            result.failure = "ran longer than " + std::to_string(limit.count() / 1000) + " s";
        } else if (WIFSIGNALED(state)) {
            result.failure = std::string("crashed: ") + ::strsignal(WTERMSIG(state));
        } else if (result.status = WEXITSTATUS(state); result.status != 0) {
            result.failure = "failed with status " + std::to_string(result.status);
        }
    }
    ::close(ends[0]);
    return result;
}

}  // namespace throng
