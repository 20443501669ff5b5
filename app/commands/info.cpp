// throng info: shows the capabilities of this build and this machine.
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/core/utility.hpp>
#include <string>
#include <vector>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
}
#include "app/cuda_module/load.h"
#include "app/options/backend.h"
#include "app/options/command.h"
#include "app/options/command_line.h"
#include "app/options/encoder_options.h"
#include "app/options/standard_output.h"
#include "app/options/table.h"
#include "app/options/window_program.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/output_file.h"
#include "core/base/resources.h"
#include "core/base/shared_library.h"
#include "core/clocks/clock_controller.h"
#include "core/clocks/telemetry.h"
#include "core/cpu/cascade_kernels.h"
#include "core/cpu/cpu_backend.h"
#include "core/model/model_finder.h"
#include "core/video/source.h"

namespace throng {
namespace {

using Json = nlohmann::ordered_json;

std::string ffmpeg_version() {
    const auto text = [](unsigned v) { return fmt::format("{}.{}.{}", v >> 16U, (v >> 8U) & 0xFFU, v & 0xFFU); };
    return fmt::format("{} (libavformat {}, libavcodec {})", av_version_info(), text(avformat_version()),
                       text(avcodec_version()));
}

Json versions() {
    Json json;
    json["throng"] = TH_VERSION;
    json["qt"] = find_module(kWindowProgram).empty() ? "the window is not installed (package throng)" : TH_QT_VERSION;
    json["ffmpeg"] = ffmpeg_version();
    json["opencv"] = cv::getVersionString();
    json["highway"] = simd_name();
    return json;
}

Json backends(const std::string& unavailable_reason) {
    Json list = Json::array();
    list.push_back({{"name", "cpu"}, {"usable", true}, {"details", make_cpu_backend()->description()}});
    list.push_back({{"name", "cuda"}, {"usable", unavailable_reason.empty()}, {"details", unavailable_reason}});
    return list;
}

// Only the chosen device is tested: a test creates its context.
Json gpus(int chosen, const std::string& unavailable_reason) {
    Json list = Json::array();
    for (gpu::DeviceInfo& device : probe_cuda_module().devices) {
        if (device.index == chosen) device.unavailable_reason = unavailable_reason;
        list.push_back(
            {{"name", fmt::format("device {}", device.index)},
             {"usable", device.unavailable_reason.empty()},
             {"details",
              fmt::format("{}, compute capability {}.{}, {} multiprocessors, {:.1f} GiB{}{}", device.name, device.major,
                          device.minor, device.multiprocessors, static_cast<double>(device.memory) / (1ULL << 30U),
                          device.unavailable_reason.empty() ? "" : ": ", device.unavailable_reason)}});
    }
    return list;
}

// Returns what decides which libraries and kernel files there are.
Json system(const SystemFiles& files) {
    Json list = Json::array();
    const auto add = [&](const std::string& name, const std::string& details) {
        if (!details.empty()) list.push_back({{"name", name}, {"details", details}});
    };
    const auto line_of = [&](const char* file, const std::string& key) {
        const std::string text = '\n' + files.read(file).value_or("");
        const std::size_t at = text.find('\n' + key);
        if (at == std::string::npos) return std::string();
        const std::size_t begin = text.find_first_not_of(" \t\"", at + 1 + key.size());
        return text.substr(std::min(begin, text.size()), text.find_first_of("\"\n", begin) - begin);
    };
    add("system", line_of("/etc/os-release", "PRETTY_NAME="));
    utsname kernel{};
    if (::uname(&kernel) == 0) add("kernel", fmt::format("{} {} {}", kernel.sysname, kernel.release, kernel.machine));
    add("cores", std::to_string(cpu_cores()));
    add("memory", line_of("/proc/meminfo", "MemTotal:"));
    add("power mode", files.read("/var/lib/nvpmodel/status").value_or(""));
    // Lists the names, which differ from release to release of a board.
    const std::string devfreq = "/sys/class/devfreq/";
    for (const std::string& entry : files.list(devfreq)) {
        std::string details = files.read(devfreq + entry + "/device/of_node/name").value_or("no name") + ", has";
        for (const char* file :
             {"cur_freq", "min_freq", "max_freq", "available_frequencies", "governor", "device/load"}) {
            if (files.read(devfreq + entry + "/" + file)) details += fmt::format(" {}", file);
        }
        add(entry, details);
    }
    return list;
}

// Returns the libraries that are loaded when a run needs them.
Json libraries() {
    Json list = Json::array();
    for (const char* name : {"libcuda.so.1", "libnvcuvid.so.1", "libnvidia-ml.so.1", "libEGL.so.1",
                             "libgstreamer-1.0.so.0", "libmosquitto.so.1"}) {
        const SharedLibrary library{name};
        list.push_back(
            {{"name", name}, {"usable", static_cast<bool>(library)}, {"details", library ? "" : library.problem()}});
    }
    return list;
}

// Restores the clocks that a crashed run left changed, as at every start of the program.
Json board(const std::string& root, int device) {
    ClockOptions options;
    options.root = root;
    options.device = device;
    const ClockController clocks(options);
    TelemetryReader telemetry(make_system_files(root), open_nvml(root, device));
    const TelemetrySample sample = telemetry.read();
    const auto megahertz = [](const std::optional<Hertz>& hertz) {
        return hertz ? fmt::format("{:.1f} MHz", static_cast<double>(*hertz) / 1e6) : std::string("-");
    };
    Json list = Json::array();
    const auto add = [&](const char* name, const std::string& details) {
        list.push_back({{"name", name}, {"details", details}});
    };
    const Board& found = clocks.board();
    add("board", found.soc.empty() ? "not a Jetson" : fmt::format("{}, {}", found.model, found.soc));
    if (!found.release.empty()) add("release", found.release);
    add("control", clocks.kind() == "none" ? "none: no Tegra board, no GPU under /sys/class/devfreq, no NVML"
                                           : fmt::format("{}, {}", clocks.kind(), clocks.location()));
    const std::vector<Hertz> steps = clocks.steps();
    if (!steps.empty())
        add("steps", fmt::format("{} from {} to {}", steps.size(), megahertz(steps.front()), megahertz(steps.back())));
    add("clocks", fmt::format("GPU {}, memory {}, CPU {}", megahertz(sample.gpu_clock), megahertz(sample.memory_clock),
                              megahertz(sample.cpu_clock)));
    if (sample.gpu_load) add("load", fmt::format("{:.0f} %", *sample.gpu_load * 100));
    if (sample.power) add("power", fmt::format("{:.1f} W", *sample.power));
    for (const NamedReading& reading : sample.temperatures)
        add("sensor", fmt::format("{} {:.1f} °C", reading.name, reading.value));
    if (sample.throttled()) add("held down", describe_throttling(sample.throttle_reasons));
    return list;
}

Json decoders(int device) {
    Json list = Json::array();
    for (const DecoderInfo& decoder : list_decoders(device)) {
        list.push_back({{"name", name_of(kDecoderNames, decoder.kind)},
                        {"usable", decoder.available},
                        {"details", decoder.details}});
    }
    return list;
}

Json encoders() {
    Json list = Json::array();
    for (const EncoderInfo& encoder : list_encoders()) {
        std::string details = encoder.details;
        if (!encoder.verified) details += (details.empty() ? "" : "; ") + std::string("never verified on hardware");
        list.push_back({{"name", encoder.name},
                        {"usable", encoder.available},
                        {"hardware", encoder.hardware},
                        {"verified", encoder.verified},
                        {"details", details}});
    }
    return list;
}

// Encodes in this process, for the process that called it as a probe.
int probe(const std::string& encoder) {
    const std::string why = test_encoder(encoder);
    if (!why.empty()) standard_output::print("{}\n", why);
    return why.empty() ? 0 : exit_status(ErrorKind::unavailable);
}

Json cameras() {
    Json list = Json::array();
    for (const CameraInfo& camera : list_cameras()) list.push_back({{"name", camera.spec}, {"details", camera.name}});
    return list;
}

Json models() {
    Json list = Json::array();
    for (const ModelFile& model : list_models()) {
        const bool is_default = model.name == default_model(model.kind);
        list.push_back({{"name", model.name},
                        {"kind", detector_kind(model.kind).name},
                        {"default", is_default},
                        {"path", model.path.string()}});
    }
    return list;
}

using Text = std::back_insert_iterator<std::string>;

void append_states(Text text, const char* title, const Json& list) {
    fmt::format_to(text, "\n{}\n", title);
    if (list.empty()) fmt::format_to(text, "  none\n");
    std::size_t width = 12;
    for (const Json& entry : list) width = std::max(width, entry["name"].get_ref<const std::string&>().size());
    for (const Json& entry : list) {
        const char* state = !entry.contains("usable")     ? ""
                            : entry["usable"].get<bool>() ? "usable       "
                                                          : "unavailable  ";
        fmt::format_to(text, "  {:<{}} {}{}\n", entry["name"].get<std::string>(), width, state,
                       entry["details"].get<std::string>());
    }
}

void append_models(Text text, const Json& list) {
    fmt::format_to(text, "\nModels\n");
    for (const Json& model : list) {
        fmt::format_to(text, "  {} {:<40} {}\n", model["default"].get<bool>() ? "*" : " ",
                       model["name"].get<std::string>(), model["path"].get<std::string>());
    }
    if (!list.empty()) {
        fmt::format_to(text, "  * default of the detector without --model; see `throng models`\n");
        return;
    }
    fmt::format_to(text, "  none; searched folders:\n");
    for (const auto& folder : model_folders()) fmt::format_to(text, "    {}\n", folder.string());
    fmt::format_to(text, "  install the package opencv-data, run `throng models fetch`, or name a file with --model\n");
}

std::string text_of(const Json& all) {
    std::string out;
    const Text text(out);
    for (const auto& [name, version] : all["versions"].items())
        fmt::format_to(text, "{:<8} {}\n", name, version.get<std::string>());
    append_states(text, "System", all["system"]);
    append_states(text, "Backends", all["backends"]);
    append_states(text, "GPUs", all["gpus"]);
    append_states(text, "Board", all["board"]);
    append_states(text, "Libraries", all["libraries"]);
    append_states(text, "Decoders", all["decoders"]);
    append_states(text, "Encoders", all["encoders"]);
    append_states(text, "Cameras", all["cameras"]);
    append_models(text, all["models"]);
    return out;
}

// Writes the home folder, which names the user, as ~.
std::string without_home(std::string text) {
    const char* variable = std::getenv("HOME");
    std::string home = variable == nullptr ? "" : variable;
    while (home.ends_with('/')) home.pop_back();
    if (home.empty()) return text;
    for (std::size_t at = text.find(home); at != std::string::npos; at = text.find(home, at + 1)) {
        const std::size_t end = at + home.size();
        if (end == text.size() || text[end] == '/' || text[end] == '\n') text.replace(at, home.size(), "~");
    }
    return text;
}

struct InfoArguments {
    std::string root;
    std::string encoder;
    std::string report;
    bool json = false;
};

int info(const CommonOptions& common, const InfoArguments& arguments) {
    Json all;
    all["versions"] = versions();
    all["system"] = system(*make_system_files(arguments.root));
    const std::string no_cuda = cuda_unavailable_reason(common.device).text();
    all["backends"] = backends(no_cuda);
    all["gpus"] = gpus(common.device, no_cuda);
    all["board"] = board(arguments.root, common.device);
    all["libraries"] = libraries();
    all["decoders"] = decoders(common.device);
    all["encoders"] = encoders();
    all["cameras"] = cameras();
    all["models"] = models();
    if (!arguments.report.empty()) {
        OutputFile file(arguments.report);
        file.write(without_home(text_of(all)));
        file.close();
    }
    if (arguments.json) {
        standard_output::print("{}\n", json_text(all, 2));
    } else if (arguments.report.empty()) {
        standard_output::print("{}", text_of(all));
    } else if (arguments.report != "-") {
        standard_output::print("{}: read it before you send it\n", arguments.report);
    }
    return 0;
}

}  // namespace

void add_info_command(CLI::App& program, CommandContext& context) {
    CLI::App& command = add_command(
        program, "info", "Show versions, backends, GPUs, board, clocks, decoders, encoders, cameras and models");
    auto arguments = std::make_shared<InfoArguments>();
    add_flag(command, "Options", "--json", arguments->json, "Print JSON");
    add_value(command, "Options", "--report", arguments->report, "FILE",
              "Write what a bug report needs; your home folder is written as ~");
    add_value(command, "Board", "--root", arguments->root, "DIR",
              "Prefix of every system path (for tests and dry runs)");
    add_value(command, "Options", "--probe-encoder", arguments->encoder, "NAME",
              "Only encode five frames with this encoder; exit status 4: it fails", one_of(encoder_names()));
    set_run(command, context, [&context, arguments] {
        return arguments->encoder.empty() ? info(context.common, *arguments) : probe(arguments->encoder);
    });
}

}  // namespace throng
