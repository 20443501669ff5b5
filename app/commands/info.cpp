// throng info: shows the capabilities of this build and this machine.
#include <fmt/format.h>

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

void print_states(const char* title, const Json& list) {
    standard_output::print("\n{}\n", title);
    if (list.empty()) standard_output::print("  none\n");
    for (const Json& entry : list) {
        const char* state = !entry.contains("usable")     ? ""
                            : entry["usable"].get<bool>() ? "usable       "
                                                          : "unavailable  ";
        standard_output::print("  {:<12} {}{}\n", entry["name"].get<std::string>(), state,
                               entry["details"].get<std::string>());
    }
}

void print_models(const Json& list) {
    standard_output::print("\nModels\n");
    for (const Json& model : list) {
        standard_output::print("  {} {:<40} {}\n", model["default"].get<bool>() ? "*" : " ",
                               model["name"].get<std::string>(), model["path"].get<std::string>());
    }
    if (!list.empty()) {
        standard_output::print("  * default of the detector without --model; see `throng models`\n");
        return;
    }
    standard_output::print("  none; searched folders:\n");
    for (const auto& folder : model_folders()) standard_output::print("    {}\n", folder.string());
    standard_output::print(
        "  install the package opencv-data, run `throng models fetch`, or name a file with --model\n");
}

int info(const CommonOptions& common, const std::string& root, bool json) {
    Json all;
    all["versions"] = versions();
    const std::string no_cuda = cuda_unavailable_reason(common.device).text();
    all["backends"] = backends(no_cuda);
    all["gpus"] = gpus(common.device, no_cuda);
    all["board"] = board(root, common.device);
    all["decoders"] = decoders(common.device);
    all["encoders"] = encoders();
    all["cameras"] = cameras();
    all["models"] = models();
    if (json) {
        standard_output::print("{}\n", json_text(all, 2));
        return 0;
    }
    for (const auto& [name, version] : all["versions"].items())
        standard_output::print("{:<8} {}\n", name, version.get<std::string>());
    print_states("Backends", all["backends"]);
    print_states("GPUs", all["gpus"]);
    print_states("Board", all["board"]);
    print_states("Decoders", all["decoders"]);
    print_states("Encoders", all["encoders"]);
    print_states("Cameras", all["cameras"]);
    print_models(all["models"]);
    return 0;
}

}  // namespace

void add_info_command(CLI::App& program, CommandContext& context) {
    CLI::App& command = add_command(
        program, "info", "Versions, backends, GPUs, board, clocks, decoders, encoders, cameras and models found");
    auto json = std::make_shared<bool>(false);
    auto root = std::make_shared<std::string>();
    auto encoder = std::make_shared<std::string>();
    add_flag(command, "Options", "--json", *json, "Print JSON");
    add_value(command, "Board", "--root", *root, "DIR", "Prefix of every system path (for tests and dry runs)");
    add_value(command, "Options", "--probe-encoder", *encoder, "NAME",
              "Only encode five frames with this encoder; exit status 4: it fails", one_of(encoder_names()));
    set_run(command, context, [&context, json, root, encoder] {
        return encoder->empty() ? info(context.common, *root, *json) : probe(*encoder);
    });
}

}  // namespace throng
