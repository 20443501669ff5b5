// throng info: what this build and this machine can do.
#include <cstdio>

#include "app/commands/command.h"

namespace throng {

void add_info_command(CLI::App& program, CommandContext& context) {
    CLI::App* command = program.add_subcommand("info", "Versions, backends, GPUs, decoders and models found");
    command->callback([&context] {
        context.run = [] {
            std::printf("throng %s\n", TH_VERSION);
            return 0;
        };
    });
}

}  // namespace throng
