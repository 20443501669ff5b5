// Parses the command line, runs one command and turns errors into messages and exit statuses.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>

#include "app/commands/command.h"
#include "core/base/error.h"
#include "core/base/log.h"

int main(int argc, char** argv) {
    CLI::App program("Throng: real-time face detection in crowds", "throng");
    program.set_version_flag("--version", TH_VERSION);
    CLI11_PARSE(program, argc, argv);
    return 0;
}
