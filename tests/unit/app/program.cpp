#include "tests/unit/app/program.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/support/test_data.h"

namespace throng::test {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void become_program(std::vector<std::string> arguments, const ProgramOptions& options,
                                 const fs::path& dir) {
    const int out = ::open((dir / "out").c_str(), O_WRONLY | O_CREAT, 0600);
    const int err = ::open((dir / "err").c_str(), O_WRONLY | O_CREAT, 0600);
    const int in = ::open("/dev/null", O_RDONLY);
    ::dup2(in, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    ::setenv("XDG_CONFIG_HOME", dir.c_str(), 1);
    for (const std::string& entry : options.environment) {
        const std::size_t equals = entry.find('=');
        ::setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
    }
    if (options.max_file_size >= 0) {
        const rlimit limit{static_cast<rlim_t>(options.max_file_size), static_cast<rlim_t>(options.max_file_size)};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
}

// Ends a program that hangs. Far longer than any test needs, even on a busy machine and with a sanitizer.
constexpr auto kLimit = std::chrono::minutes(5);

}  // namespace

std::string contents(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

std::string program_path() {
    if (const char* path = std::getenv("THRONG_PROGRAM"); path != nullptr) return path;
    return (fs::read_symlink("/proc/self/exe").parent_path() / "throng").string();
}

bool handles_signals(int pid) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(status, line);) {
        if (line.rfind("SigCgt:", 0) != 0) continue;
        return (std::stoull(line.substr(7), nullptr, 16) >> (SIGTERM - 1) & 1U) != 0;
    }
    return false;
}

std::vector<std::string> display_launcher(const std::string& size) {
    if (std::system("command -v Xvfb >/dev/null 2>&1") != 0) return {};
    return {(source_dir() / "tests/support/with_display").string(), size};
}

ProgramResult run_program(const std::vector<std::string>& arguments, const ProgramOptions& options) {
    const ScratchDir dir;
    std::vector<std::string> all = options.launcher;
    all.push_back(program_path());
    all.insert(all.end(), arguments.begin(), arguments.end());
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("cannot fork");
    if (child == 0) become_program(std::move(all), options, dir.path());

    const auto deadline = std::chrono::steady_clock::now() + kLimit;
    bool call = static_cast<bool>(options.meanwhile);
    int state = 0;
    while (::waitpid(child, &state, WNOHANG) == 0) {
        if (call) call = options.meanwhile(child);
        if (std::chrono::steady_clock::now() > deadline) ::kill(child, SIGKILL);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ProgramResult result;
    result.status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    result.out = contents(dir.path() / "out");
    result.err = contents(dir.path() / "err");
    // A test that expects another status would not show the sanitizer's report.
    if (result.err.find("Sanitizer:") != std::string::npos) std::cerr << result.err;
    return result;
}

}  // namespace throng::test
