// Prepares the process and runs its command line.
#include <csignal>

#include "app/commands/commands.h"
#include "app/options/interrupt.h"
#include "app/options/standard_output.h"

int main(int argc, char** argv) {
    using namespace throng;
    standard_output::reserve_descriptors();
    exit_on_signals();
    // A closed pipe (`| head`) becomes a write error, so that other outputs are still closed properly.
    std::signal(SIGPIPE, SIG_IGN);
    // Exceeding the file size limit (`ulimit -f`) becomes a write error, too, as a full disk does.
    std::signal(SIGXFSZ, SIG_IGN);
    return run_command_line({argv + 1, argv + argc});
}
