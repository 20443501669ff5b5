// throng bench WHAT: measures one part of the program. Each measurement has its own file.
#include <CLI/CLI.hpp>

#include "app/options/command.h"

namespace throng {

void add_bench_command(CLI::App& program, CommandContext& context) {
    CLI::App* bench = program.add_subcommand("bench", "Benchmarks, with results as a table, JSON or CSV");
    bench->require_subcommand(1);
    add_bench_nms_command(*bench, context);
    add_bench_cascade_command(*bench, context);
    add_bench_hog_command(*bench, context);
    add_bench_cnn_command(*bench, context);
    add_bench_pipeline_command(*bench, context);
}

}  // namespace throng
