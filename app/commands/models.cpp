// throng models: lists the search folders, the installed and the recommended models; downloads recommended ones.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/options/command.h"
#include "app/options/command_line.h"
#include "app/options/interrupt.h"
#include "app/options/progress.h"
#include "app/options/standard_output.h"
#include "core/base/json_text.h"
#include "core/base/sha256.h"
#include "core/detect/detector_kinds.h"
#include "core/model/model_catalogue.h"
#include "core/model/model_fetch.h"
#include "core/model/model_finder.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Returns whether a recommended model is installed, and whether its file is identical to the publisher's.
std::string state_of(const RecommendedModel& model, const std::map<std::string, fs::path>& found) {
    const auto here = found.find(std::string(model.name));
    if (here == found.end()) return "not here";
    if (model.sha256.empty()) return "here";
    return sha256_of(here->second) == model.sha256 ? "here" : "here, but not the publisher's file";
}

Json listing() {
    Json folders = Json::array();
    std::error_code ignored;
    for (const fs::path& folder : model_folders()) {
        folders.push_back({{"path", folder.string()}, {"exists", fs::is_directory(folder, ignored)}});
    }
    Json found = Json::array();
    std::map<std::string, fs::path> paths;
    for (const ModelFile& file : list_models()) {
        paths.emplace(file.name, file.path);
        found.push_back({{"name", file.name},
                         {"kind", detector_kind(file.kind).name},
                         {"default", file.name == default_model(file.kind)},
                         {"path", file.path.string()}});
    }
    Json recommended = Json::array();
    for (const RecommendedModel& model : recommended_models()) {
        recommended.push_back({{"name", model.name},
                               {"kind", detector_kind(model.kind).name},
                               {"help", model.help},
                               {"license", model.license},
                               {"training_data", model.training},
                               {"publisher", model.publisher},
                               {"address", model.address},
                               {"package", model.package},
                               {"bytes", model.size},
                               {"sha256", model.sha256},
                               {"finds_half_from_px", model.half_from > 0 ? Json(model.half_from) : Json(nullptr)},
                               {"state", state_of(model, paths)}});
    }
    return {{"folders", folders}, {"found", found}, {"recommended", recommended}};
}

void print_listing(const Json& all) {
    const auto text = [](const Json& value) { return value.get<std::string>(); };
    standard_output::print("Search folders (THRONG_MODELS adds folders at the front)\n");
    for (const Json& folder : all["folders"]) {
        if (folder["exists"].get<bool>()) standard_output::print("  {}\n", text(folder["path"]));
    }
    const std::string user_folder = user_model_folder().string();
    std::error_code ignored;
    if (!user_folder.empty() && !fs::is_directory(user_folder, ignored))
        standard_output::print("  {} (does not exist yet)\n", user_folder);

    standard_output::print("\nFound\n");
    if (all["found"].empty()) standard_output::print("  none\n");
    for (const Json& model : all["found"]) {
        standard_output::print("  {} {:<6} {:<42} {}\n", model["default"].get<bool>() ? "*" : " ", text(model["kind"]),
                               text(model["name"]), text(model["path"]));
    }
    if (!all["found"].empty()) standard_output::print("  * default of the detector without --model\n");

    standard_output::print("\nRecommended\n");
    for (const Json& model : all["recommended"]) {
        standard_output::print("  {} ({}): {}; {}\n", text(model["name"]), text(model["kind"]), text(model["help"]),
                               text(model["state"]));
        if (!model["finds_half_from_px"].is_null()) {
            standard_output::print("      finds half of the faces from {} px on\n",
                                   model["finds_half_from_px"].get<int>());
        }
        standard_output::print("      {}, license {}\n      trained on {}\n", text(model["publisher"]),
                               text(model["license"]), text(model["training_data"]));
        if (!text(model["package"]).empty()) {
            standard_output::print("      in the package {}\n", text(model["package"]));
            continue;
        }
        standard_output::print("      {}\n      {} bytes, SHA-256 {}\n", text(model["address"]),
                               model["bytes"].get<std::uint64_t>(), text(model["sha256"]));
    }
    standard_output::print("\n`throng models fetch [NAME]` downloads a model, verifies it and installs it into {}\n",
                           user_folder.empty() ? "the folder given by --to" : user_folder);
}

int list(bool json) {
    const Json all = listing();
    if (json) {
        standard_output::print("{}\n", json_text(all, 2));
    } else {
        print_listing(all);
    }
    return 0;
}

// Shows the terms on standard error, where nobody may miss them, and the progress.
class FetchDisplay final : public ModelFetchObserver {
public:
    explicit FetchDisplay(const CommonOptions& common) : common_(common) {}

    void show_terms(const std::string& text) override { fmt::print(stderr, "{}\n", text); }
    bool update(const RecommendedModel& model, std::uint64_t done) override {
        if (!progress_) progress_.emplace(common_, std::string(model.name), model.size);
        progress_->update(done, "bytes");
        return !InterruptGuard::requested();
    }
    void finish(const RecommendedModel& model, const fs::path& path, DownloadResult result) override {
        if (progress_) progress_->finish();
        progress_.reset();
        if (common_.quiet) return;
        standard_output::print("{} {} {}\n", model.name,
                               result == DownloadResult::fetched ? "installed as" : "is already installed as",
                               path.string());
    }

private:
    const CommonOptions& common_;
    std::optional<Progress> progress_;
};

int fetch(const ModelFetch& what, const CommonOptions& common) {
    const InterruptGuard interrupts;
    FetchDisplay display(common);
    fetch_models(what, display);
    return 0;
}

}  // namespace

void add_models_command(CLI::App& program, CommandContext& context) {
    CLI::App& models = add_command(program, "models", "List installed and recommended models, and download them");
    auto json = std::make_shared<bool>(false);
    const auto run_list = [&context, json] { context.run = [json] { return list(*json); }; };
    add_flag(models, "Options", "--json", *json, "Print JSON");
    set_default_action(models, run_list);

    CLI::App& list_command = add_command(models, "list", "List installed and recommended models (default)");
    add_flag(list_command, "Options", "--json", *json, "Print JSON");
    set_action(list_command, run_list);

    auto arguments = std::make_shared<ModelFetch>();
    CLI::App& fetch_command = add_command(
        models, "fetch",
        "Download a recommended model over HTTPS, verify its checksum and install it; resumes a partial download. "
        "TH_FETCH=OFF in the environment declines");
    add_value(fetch_command, "Options", "NAME", arguments->names, "",
              fmt::format("Name of a recommended model; default: {}, within {} seconds", recommended_network().name,
                          kOptionalFetchLimit));
    add_value(fetch_command, "Download", "--to", arguments->folder, "DIR",
              "Folder to install into; default: the user's model folder");
    add_value(
        fetch_command, "Download", "--from", arguments->mirror, "URL",
        "URL of a folder with the same files, instead of the publisher's; may be http://. Default: the environment "
        "variable TH_MODEL_MIRROR");
    add_value(fetch_command, "Download", "--certificates", arguments->certificates, "FILE",
              "Certificates to trust instead of the system's (PEM)");
    set_run(fetch_command, context, [&context, arguments] { return fetch(*arguments, context.common); });
}

}  // namespace throng
