#include "tests/support/process_state.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <utility>

#include "tests/support/eventually.h"

namespace throng::test {

namespace fs = std::filesystem;

bool has_opened(pid_t pid, const fs::path& path) {
    std::error_code failure;
    for (fs::directory_iterator it("/proc/" + std::to_string(pid) + "/fd", failure), end; !failure && it != end;
         it.increment(failure)) {
        std::error_code closed;
        if (fs::read_symlink(it->path(), closed) == path) return true;
    }
    return false;
}

bool is_asleep(pid_t thread) {
    std::ifstream file("/proc/" + std::to_string(thread) + "/stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name_end = line.rfind(") ");  // the name may contain spaces
    return name_end != std::string::npos && line[name_end + 2] == 'S';
}

bool is_blocked(pid_t pid, pid_t except) {
    std::error_code failure;
    for (fs::directory_iterator it("/proc/" + std::to_string(pid) + "/task", failure), end; !failure && it != end;
         it.increment(failure)) {
        const pid_t thread = std::stoi(it->path().filename().string());
        if (thread != except && !is_asleep(thread)) return false;
    }
    return !failure;  // the process exists
}

int bytes_in_pipe(int descriptor) {
    int bytes = 0;
    return ::ioctl(descriptor, FIONREAD, &bytes) == 0 ? bytes : 0;
}

std::jthread stop_when(std::stop_source& stop, std::function<bool()> state) {
    return std::jthread([&stop, state = std::move(state)] {
        static_cast<void>(eventually(state));
        stop.request_stop();
    });
}

std::jthread stop_when_asleep(std::stop_source& stop) {
    return stop_when(stop, [waiting = ::gettid()] { return is_asleep(waiting); });
}

}  // namespace throng::test
