#include "tests/support/program/program.h"

#include <fcntl.h>
#include <stdio_ext.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <list>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "app/commands/commands.h"
#include "tests/support/test_data.h"

extern "C" void __sanitizer_set_report_fd(void* descriptor) __attribute__((weak));  // NOLINT(*-reserved-identifier)

namespace throng::test {
namespace {

namespace fs = std::filesystem;

fs::path standard_output_of(const ProgramOptions& options, const fs::path& dir) {
    return options.standard_output.empty() ? dir / "out" : fs::path(options.standard_output);
}

[[noreturn]] void become_program(std::vector<std::string> arguments, const ProgramOptions& options,
                                 const fs::path& dir) {
    const int out = ::open(standard_output_of(options, dir).c_str(), O_WRONLY | O_CREAT, 0600);
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

// Returns whether the program must be started.
bool needs_process(const ProgramOptions& options) {
    return options.own_process || !options.launcher.empty() || options.meanwhile || options.max_file_size >= 0 ||
           std::getenv("THRONG_PROGRAM") != nullptr;
}

// Sets a variable of the environment, "NAME=value", during its lifetime.
class Variable {
public:
    explicit Variable(const std::string& entry) : name_(entry.substr(0, entry.find('='))) {
        if (const char* before = std::getenv(name_.c_str()); before != nullptr) before_ = before;
        ::setenv(name_.c_str(), entry.substr(name_.size() + 1).c_str(), 1);
    }
    ~Variable() {
        if (before_) {
            ::setenv(name_.c_str(), before_->c_str(), 1);
        } else {
            ::unsetenv(name_.c_str());
        }
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    std::string name_;
    std::optional<std::string> before_;
};

// Connects a standard descriptor to a file during its lifetime.
class Redirection {
public:
    Redirection(int descriptor, const fs::path& file, int flags)
        : descriptor_(descriptor), before_(::fcntl(descriptor, F_DUPFD_CLOEXEC, 3)) {
        const int opened = ::open(file.c_str(), flags | O_CLOEXEC, 0600);
        if (before_ < 0 || opened < 0) throw std::runtime_error("cannot redirect to " + file.string());
        ::dup2(opened, descriptor_);
        ::close(opened);
    }
    ~Redirection() {
        ::dup2(before_, descriptor_);
        ::close(before_);
    }
    Redirection(const Redirection&) = delete;
    Redirection& operator=(const Redirection&) = delete;

    [[nodiscard]] int before() const { return before_; }

private:
    int descriptor_;
    int before_;
};

void report_of_sanitizers_to(std::intptr_t descriptor) {
    if (__sanitizer_set_report_fd != nullptr) __sanitizer_set_report_fd(reinterpret_cast<void*>(descriptor));
}

int run_here(const std::vector<std::string>& arguments, const ProgramOptions& options, const fs::path& dir) {
    // A hardware encoder would be tried by this executable, which is not the program.
    std::vector<std::string> entries{"XDG_CONFIG_HOME=" + dir.string(), "THRONG_ENCODER_PROBE=false"};
    entries.insert(entries.end(), options.environment.begin(), options.environment.end());
    std::list<Variable> environment;
    for (const std::string& entry : entries) environment.emplace_front(entry);  // the last one set is restored first
    std::cout.flush();
    std::fflush(nullptr);
    const Redirection in(STDIN_FILENO, "/dev/null", O_RDONLY);
    const Redirection out(STDOUT_FILENO, standard_output_of(options, dir), O_WRONLY | O_CREAT);
    const Redirection err(STDERR_FILENO, dir / "err", O_WRONLY | O_CREAT);
    // The end of an earlier standard input.
    std::clearerr(stdin);
    std::cin.clear();
    report_of_sanitizers_to(err.before());
    const int status = run_command_line(arguments);
    report_of_sanitizers_to(STDERR_FILENO);
    std::cout.flush();
    std::fflush(nullptr);
    ::__fpurge(stdout);  // what could not be written
    return status;
}

}  // namespace

std::string contents(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

ProgramOptions own_process(std::vector<std::string> environment) {
    ProgramOptions options;
    options.environment = std::move(environment);
    options.own_process = true;
    return options;
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
    const auto result_of = [&](int status) {
        return ProgramResult{status, contents(dir.path() / "out"), contents(dir.path() / "err")};
    };
    if (!needs_process(options)) return result_of(run_here(arguments, options, dir.path()));
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
    ProgramResult result = result_of(WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state));
    // A test that expects another status would not show the sanitizer's report.
    if (result.err.find("Sanitizer:") != std::string::npos) std::cerr << result.err;
    return result;
}

}  // namespace throng::test
