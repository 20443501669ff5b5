#include "app/options/source_options.h"

#include "app/options/command_line.h"

namespace throng {

void add_source_options(CLI::App& command, SourceArguments& arguments) {
    const auto group = "Source";
    add_choice(command, group, "--decoder", arguments.source.decoder, kDecoderNames, "Video decoder");
    add_value(command, group, "--frames", arguments.frames, "N", "Stop after this many frames; 0 for all",
              whole_range(std::int64_t{0}));
    add_value(command, group, "--open-timeout", arguments.source.open_timeout, "S",
              "Seconds to wait for a stream to open", finite_range(0.1, 3600));
    add_value(command, group, "--read-timeout", arguments.source.read_timeout, "S",
              "Seconds without data after which a stream counts as stalled", finite_range(0.1, 3600));
    add_value(command, group, "--reconnects", arguments.source.reconnects, "N",
              "Reconnection attempts after a stream breaks; -1 for no limit", whole_range(-1, 1000000));
}

const char* source_forms() {
    return "A video or image file, a folder of images, rtsp://..., camera:N or /dev/videoN, csi:N[,size=WxH][,fps=N], "
           "gst:PIPELINE, mosaic:SOURCE, or crowd:faces=60,size=1920x1080,seed=1";
}

}  // namespace throng
