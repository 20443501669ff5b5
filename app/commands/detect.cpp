// throng detect SOURCE...: headless detection that writes files and prints a table of stage timings at the end.
#include <memory>

#include "app/commands/detect_run.h"
#include "app/options/command.h"
#include "app/options/command_line.h"
#include "app/options/encoder_options.h"

namespace throng {

void add_detect_command(CLI::App& program, CommandContext& context) {
    CLI::App& command =
        add_command(program, "detect", "Find faces without a window; prints a table of stage timings at the end");
    auto arguments = std::make_shared<DetectArguments>();
    add_value(command, "Options", "SOURCE", arguments->sources, "", source_forms());
    add_source_options(command, arguments->source);
    add_value(command, "Source", "--streams", arguments->streams, "N",
              "Number of concurrent sources; 0: chosen by the backend", whole_range(0, 256));
    add_settings(command, arguments->detection, detector_settings());
    add_settings(command, arguments->detection, nms_settings());
    add_output_options(command, arguments->output);
    add_choice(command, "Output", "--audio", arguments->output.copy_audio, kAudioNames,
               "Audio of the source: copy it into the video, or drop it");
    add_value(command, "Archive", "--out", arguments->archive.out, "DIR",
              "Process every file by itself; write one result per file into a folder that mirrors the tree of the "
              "inputs");
    add_archive_options(command, arguments->archive);
    add_clock_options(command, arguments->clocks);
    set_footer(command,
               "Examples:\n"
               "  throng detect crowd.mp4 --json faces.jsonl --video annotated.mp4\n"
               "  throng detect photos/ --images out/ --blur\n"
               "  throng detect door.mp4 hall.mp4 stairs.mp4 --json faces.jsonl\n"
               "  throng detect photos/ clips/ --out results --shard 1/8 --resume\n"
               "  throng detect camera:0 --frames 300 --min-size 60 --json - | jq .raw\n"
               "  throng detect crowd:faces=200,size=1920x1080 --frames 100");
    set_run(command, context, [&context, arguments] { return DetectRun(*arguments, context.common).run(); });
}

}  // namespace throng
