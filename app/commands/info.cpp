// throng info: what this build and this machine can do.
#include <fmt/format.h>
#include <hwy/targets.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/core/utility.hpp>
#include <string>
#include <thread>
#include <vector>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
}
#ifdef TH_WITH_UI
#include <QtCore/qglobal.h>
#endif
#ifdef TH_WITH_CUDA
#include "gpu/runtime/probe.h"
#endif

#include "app/commands/command.h"
#include "app/options/backend.h"
#include "app/options/table.h"
#include "core/base/error.h"
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
#ifdef TH_WITH_UI
    json["qt"] = qVersion();
#else
    json["qt"] = "built without the window";
#endif
    json["ffmpeg"] = ffmpeg_version();
    json["opencv"] = cv::getVersionString();
    // Of the sets that this CPU has, the lowest bit is the best.
    const auto targets = static_cast<std::uint64_t>(hwy::SupportedTargets());
    json["highway"] = hwy::TargetName(static_cast<decltype(hwy::SupportedTargets())>(targets & (~targets + 1)));
    return json;
}

Json backends(int device) {
    Json list = Json::array();
    list.push_back({{"name", "cpu"}, {"usable", true}, {"details", make_cpu_backend()->description()}});
    const std::string trouble = cuda_trouble(device);
    list.push_back({{"name", "cuda"}, {"usable", trouble.empty()}, {"details", trouble}});
    return list;
}

Json gpus() {
    Json list = Json::array();
#ifdef TH_WITH_CUDA
    for (const gpu::DeviceInfo& device : gpu::probe_cuda().devices) {
        list.push_back({{"name", fmt::format("device {}", device.index)},
                        {"usable", device.trouble.empty()},
                        {"details", fmt::format("{}, compute capability {}.{}, {} multiprocessors, {:.1f} GiB{}{}",
                                                device.name, device.major, device.minor, device.multiprocessors,
                                                static_cast<double>(device.memory) / (1ULL << 30U),
                                                device.trouble.empty() ? "" : ": ", device.trouble)}});
    }
#endif
    return list;
}

Json decoders(int device) {
    Json list = Json::array();
    for (const DecoderInfo& decoder : list_decoders(device)) {
        list.push_back({{"name", decoder.name}, {"usable", decoder.available}, {"details", decoder.details}});
    }
    return list;
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
        list.push_back(
            {{"name", model.name}, {"kind", model.kind}, {"default", is_default}, {"path", model.path.string()}});
    }
    return list;
}

void print_states(const char* title, const Json& list) {
    fmt::print("\n{}\n", title);
    if (list.empty()) fmt::print("  none\n");
    for (const Json& entry : list) {
        const char* state = !entry.contains("usable") ? "" : entry["usable"].get<bool>() ? "usable  " : "not here  ";
        fmt::print("  {:<10} {}{}\n", entry["name"].get<std::string>(), state, entry["details"].get<std::string>());
    }
}

void print_models(const Json& list) {
    fmt::print("\nModels\n");
    for (const Json& model : list) {
        fmt::print("  {} {:<40} {}\n", model["default"].get<bool>() ? "*" : " ", model["name"].get<std::string>(),
                   model["path"].get<std::string>());
    }
    if (!list.empty()) {
        fmt::print("  * what --detector haar and --detector lbp take\n");
        return;
    }
    fmt::print("  none; looked in\n");
    for (const auto& folder : model_folders()) fmt::print("    {}\n", folder.string());
    fmt::print("  install the package opencv-data, or name a file with --model\n");
}

int info(const CommonOptions& common, bool json) {
    Json all;
    all["versions"] = versions();
    all["backends"] = backends(common.device);
    all["gpus"] = gpus();
    all["decoders"] = decoders(common.device);
    all["cameras"] = cameras();
    all["models"] = models();
    if (json) {
        fmt::print("{}\n", all.dump(2, ' ', false, Json::error_handler_t::replace));
        return 0;
    }
    for (const auto& [name, version] : all["versions"].items())
        fmt::print("{:<8} {}\n", name, version.get<std::string>());
    print_states("Backends", all["backends"]);
    print_states("GPUs", all["gpus"]);
    print_states("Decoders", all["decoders"]);
    print_states("Cameras", all["cameras"]);
    print_models(all["models"]);
    return 0;
}

}  // namespace

void add_info_command(CLI::App& program, CommandContext& context) {
    CLI::App* command = program.add_subcommand("info", "Versions, backends, GPUs, decoders, cameras and models found");
    auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "As JSON")->group("Output");
    command->callback([&context, json] { context.run = [&context, json] { return info(context.common, *json); }; });
}

}  // namespace throng
