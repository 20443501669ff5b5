#include "app/options/source_options.h"

#include <CLI/CLI.hpp>

#include "app/options/values.h"

namespace throng {

void add_source_options(CLI::App& command, SourceArguments& arguments) {
    const auto group = "Source";
    command.add_option("--decoder", arguments.source.decoder, "Video decoder")
        ->check(CLI::IsMember({"auto", "software", "cuda", "v4l2m2m"}))
        ->type_name("")
        ->capture_default_str()
        ->group(group);
    command.add_option("--frames", arguments.frames, "Stop after this many frames; 0 for all")
        ->check(whole_range(std::int64_t{0}))
        ->type_name("N")
        ->capture_default_str()
        ->group(group);
    command.add_option("--open-timeout", arguments.source.open_timeout, "Seconds to wait for a stream to open")
        ->check(finite_range(0.1, 3600))
        ->type_name("S")
        ->capture_default_str()
        ->group(group);
    command
        .add_option("--read-timeout", arguments.source.read_timeout,
                    "Seconds without data after which a stream counts as stalled")
        ->check(finite_range(0.1, 3600))
        ->type_name("S")
        ->capture_default_str()
        ->group(group);
    command
        .add_option("--reconnects", arguments.source.reconnects,
                    "Reconnection attempts after a stream breaks; -1 for no limit")
        ->check(whole_range(-1, 1000000))
        ->type_name("N")
        ->capture_default_str()
        ->group(group);
}

const char* source_forms() {
    return "A video or image file, a folder of images, rtsp://..., camera:N or /dev/videoN, gst:PIPELINE, "
           "mosaic:SOURCE, or crowd:faces=60,size=1920x1080,seed=1";
}

}  // namespace throng
