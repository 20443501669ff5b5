#include "app/options/window_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "app/options/interrupt.h"
#include "app/options/standard_output.h"
#include "core/base/error.h"
#include "core/base/shared_library.h"

namespace throng {

void become_window_program(const CommonOptions& common, const Message& where, const Message& advice) {
    std::string path = find_module(kWindowProgram);
    if (path.empty()) {
        throw Error(ErrorKind::unavailable, "the window is not installed", where,
                    {"install the package throng, or %1", advice});
    }
    std::vector<std::string> arguments = common.arguments;
    std::vector<char*> argv{path.data()};
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    standard_output::flush();
    hold_signals();
    ::execv(path.c_str(), argv.data());
    const std::string problem = std::strerror(errno);
    exit_on_signals();
    throw Error(ErrorKind::unavailable, "the window cannot be started: " + problem, path, advice);
}

}  // namespace throng
