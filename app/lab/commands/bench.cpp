// throng bench WHAT: measures one part of the program. Each measurement has its own file.
#include "app/options/command.h"
#include "app/options/command_line.h"

namespace throng {

void add_bench_command(CLI::App& program, CommandContext& context) {
    CLI::App& bench = add_command(program, "bench", "Run benchmarks; write a table, JSON or CSV");
    set_default_action(bench);
    add_bench_nms_command(bench, context);
    add_bench_cascade_command(bench, context);
    add_bench_hog_command(bench, context);
    add_bench_cnn_command(bench, context);
    add_bench_pipeline_command(bench, context);
}

}  // namespace throng
