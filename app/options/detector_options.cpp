#include "app/options/detector_options.h"

namespace throng {

void add_detector_options(CLI::App& command, DetectorParams& params) {
    const auto group = "Detector";
    command.add_option("--detector", params.kind, "Kind of detector: haar or lbp cascade")
        ->check(CLI::IsMember({"haar", "lbp"}))
        ->type_name("")
        ->capture_default_str()
        ->group(group);
    command.add_option("--model", params.model, "Model file, or a name such as alt2; default: the kind's best")
        ->type_name("FILE")
        ->group(group);
    command.add_option("--min-size", params.min_size, "Smallest side of a face to look for, in pixels of the frame")
        ->type_name("PX")
        ->capture_default_str()
        ->group(group);
    command.add_option("--max-size", params.max_size, "Largest side; 0 for no limit")
        ->type_name("PX")
        ->capture_default_str()
        ->group(group);
    command.add_option("--scale-factor", params.scale_factor, "Between neighbouring sizes, 1.01 to 10")
        ->type_name("F")
        ->capture_default_str()
        ->group(group);
    command.add_option("--threads", params.threads, "Threads of the CPU backend; 0 for one a core")
        ->type_name("N")
        ->capture_default_str()
        ->group(group);
}

}  // namespace throng
